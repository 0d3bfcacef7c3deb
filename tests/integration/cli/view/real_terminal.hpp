// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "docent_process.hpp"
#include "folder.hpp"

#include <memory>
#include <string>
#include <vector>

namespace docent::test {

/// A real terminal: a tmux in which a command runs. All its processes end with it.
class RealTerminal {
public:
    /// Whether the shell has job control. If so, it prints `suspended` when docent has been stopped, and continues docent after
    /// Enter.
    enum class Jobs { none, controlled };
    /// Runs `docent` with these words in a shell, which prints `ended STATUS` on the first screen when docent has ended.
    RealTerminal(const std::vector<std::string>& words, const std::string& connect, int columns, int lines,
                 Jobs jobs = Jobs::none);
    ~RealTerminal();
    RealTerminal(const RealTerminal&) = delete;
    RealTerminal& operator=(const RealTerminal&) = delete;

    /// The screen, line by line.
    std::string screen() const;
    /// Returns true if the screen shows the text within a generous time.
    bool shows(const std::string& text) const;
    /// The same without the other text.
    bool shows_without(const std::string& text, const std::string& other) const;
    /// Presses keys, given by tmux's names: `q`, `Enter`, `C-c`.
    void press(const std::vector<std::string>& keys) const;
    void resize(int columns, int lines) const;
    /// Stops the output, as Ctrl-S does, until let_output_go_on().
    void hold_output() const;
    void let_output_go_on() const;
    /// Sends a signal to docent.
    void send(int signal) const;
    bool runs_docent() const;
    /// Returns true if docent ends with this status and the first screen comes back.
    bool ended(int status) const;

private:
    std::string tmux(std::vector<std::string> words) const;
    void set_flow(int action) const;
    pid_t docent() const;

    Folder folder_;
    std::unique_ptr<DocentProcess> server_;
};

} // namespace docent::test
