// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace docent::cli {

/// How `text` is written over what stands on a terminal of so many lines: what does not fit is counted in the last one. Pure.
std::string redrawn(std::string_view text, std::size_t lines);

/// A second screen of the terminal, from the first drawing on; at the end it shows what it showed before.
class Redrawing {
public:
    Redrawing() = default;
    ~Redrawing() { end(); }
    Redrawing(const Redrawing&) = delete;
    Redrawing& operator=(const Redrawing&) = delete;

    void draw(std::string_view text);
    void end() noexcept;
    /// Stops this program, with the terminal as it was before; when it goes on, shows what was drawn last. From any thread.
    void suspend();

private:
    std::mutex mutex_;
    bool entered_ = false;
    std::string last_;
};

} // namespace docent::cli
