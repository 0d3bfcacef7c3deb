// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "docent_process.hpp"
#include "folder.hpp"

#include <memory>
#include <string>
#include <vector>

namespace docent::test {

/// A terminal as people have one: a tmux of its own, in which a command runs. Everything in it ends with it.
class RealTerminal {
public:
    /// Runs `docent` with these words, and says `ended STATUS` on the first screen when it has ended.
    /// In a shell with job control it says `suspended` when it has been stopped, and goes on after Enter.
    enum class Jobs { none, controlled };
    RealTerminal(const std::vector<std::string>& words, const std::string& connect, int columns, int lines,
                 Jobs jobs = Jobs::none);
    ~RealTerminal();
    RealTerminal(const RealTerminal&) = delete;
    RealTerminal& operator=(const RealTerminal&) = delete;

    /// What it shows, line by line.
    std::string screen() const;
    /// Whether it shows this within a generous time.
    bool shows(const std::string& text) const;
    /// By tmux's names of keys: `q`, `Enter`, `C-c`.
    void press(const std::vector<std::string>& keys) const;
    void resize(int columns, int lines) const;
    /// As Ctrl-S and Ctrl-Q: what is written to the terminal waits meanwhile.
    void hold_output() const;
    void let_output_go_on() const;
    /// To docent.
    void send(int signal) const;
    bool runs_docent() const;
    /// Whether docent has ended with this status, and the first screen is back.
    bool ended(int status) const;

private:
    std::string tmux(std::vector<std::string> words) const;
    void set_flow(int action) const;
    pid_t docent() const;

    Folder folder_;
    std::unique_ptr<DocentProcess> server_;
};

} // namespace docent::test
