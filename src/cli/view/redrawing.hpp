// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace docent::cli {

/// How `text` is written over what stands on a terminal of so many lines: what does not fit is counted in the last one. Pure.
std::string redrawn(std::string_view text, std::size_t lines);

/// A second screen of the terminal, which shows what it showed before when this ends.
class Redrawing {
public:
    Redrawing();
    ~Redrawing();
    Redrawing(const Redrawing&) = delete;
    Redrawing& operator=(const Redrawing&) = delete;

    void draw(std::string_view text);
};

} // namespace docent::cli
