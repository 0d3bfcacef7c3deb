// SPDX-License-Identifier: Apache-2.0
#pragma once

// Searches all paths of a world.

#include "small_world.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace docent::explorer {

struct Bounds {
    std::size_t faults = 2;
    std::size_t steps = 400;                  // of one path; a longer path is an error
    std::size_t slots = std::size_t{1} << 25; // of the table of states
    std::size_t processes = 2;
    Reductions reductions;
    bool saves = true; // returns to saved states; otherwise repeats the path from the beginning, with the same result
    std::chrono::milliseconds time{600'000};
};

struct Findings {
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t ends = 0;
    std::size_t depth = 0;
    std::chrono::duration<double> time{};
    std::string unfinished;         // why the search was not complete; empty if it was
    std::string violation;          // empty if there is none
    std::vector<std::string> story; // the path to the violation
};

/// Searches without faults, then with one more fault each time. Skips a state that was visited after fewer faults with as many
/// faults left, because it cannot lead to anything worse.
Findings search(const Plan& plan, const Bounds& bounds);

} // namespace docent::explorer
