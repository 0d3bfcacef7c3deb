// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs many seeds, in several processes at once.

#include "run.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>

namespace docent::seeds {

struct Range {
    std::uint64_t first = 0;
    std::uint64_t count = 1000;
    std::size_t processes = 2;
};

struct Findings {
    std::array<Figures, recipe_count> figures{};
    std::array<std::uint64_t, recipe_count> schedules{};
    std::optional<std::uint64_t> bad_seed; // the lowest one
    bool crashed = false;                  // at that seed
    std::chrono::duration<double> time{};
};

Findings walk(const Range& range);
void print(std::ostream& out, const Range& range, const Findings& found);

} // namespace docent::seeds
