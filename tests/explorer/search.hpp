// SPDX-License-Identifier: Apache-2.0
#pragma once

// Goes through all that can happen in a world.

#include "small_world.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace docent::explorer {

struct Bounds {
    std::size_t faults = 2;
    std::size_t steps = 400;                  // of one story: longer ones are an error, not left out
    std::size_t slots = std::size_t{1} << 25; // of the table of states
    std::size_t processes = 2;
    Reductions reductions;
    bool saves = true; // goes back to what it has saved; else it goes there again from the beginning, and sees the same
    std::chrono::milliseconds time{600'000};
};

struct Findings {
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t ends = 0;
    std::size_t depth = 0;
    std::chrono::duration<double> time{};
    std::string unfinished;         // why not all was seen; empty if it was
    std::string violation;          // empty if there is none
    std::vector<std::string> story; // that leads there
};

/// First without faults, then with one more of them each time. A state with as many faults left as when it was seen with fewer
/// faults before it is not looked at again: nothing that it leads to can be worse.
Findings search(const Plan& plan, const Bounds& bounds);

} // namespace docent::explorer
