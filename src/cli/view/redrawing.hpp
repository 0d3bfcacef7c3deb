// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace docent::cli {

/// The bytes that write `text` over the screen of a terminal with `lines` lines. The last line counts the lines that do not
/// fit. Pure.
std::string redrawn(std::string_view text, std::size_t lines);

/// A second screen of the terminal, from the first drawing on. The destructor restores the first screen.
class Redrawing {
public:
    Redrawing() = default;
    ~Redrawing() { end(); }
    Redrawing(const Redrawing&) = delete;
    Redrawing& operator=(const Redrawing&) = delete;

    void draw(std::string_view text);
    void end() noexcept;
    /// Restores the terminal and stops this program. When it continues, draws the last text again. May be called from any
    /// thread.
    void suspend();

private:
    std::mutex mutex_;
    bool entered_ = false;
    std::string last_;
};

} // namespace docent::cli
