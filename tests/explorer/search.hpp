// SPDX-License-Identifier: Apache-2.0
#pragma once

// The worlds, and the search of all paths of a world.

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

struct Comparison {
    std::uint64_t states = 0;
    std::uint64_t compared = 0; // states that were reached in two ways
    std::string difference;     // two paths to one picture, and a next state after only one of them
    std::string unfinished;     // why the search was not complete; empty if it was
};

/// Searches the world as search() does, in one process, and then in the reverse order. For one of `one_in` fingerprints, if a
/// state is reached again, takes all next steps from both states and compares the pictures. Both orders must see the same
/// states. If a state is seen only in the reverse order, the states before it are compared.
Comparison compare_pictures(const Plan& plan, const Bounds& bounds, std::uint64_t one_in);

/// Returns all worlds.
std::vector<Plan> all_worlds();

/// Returns the names of the worlds of --long: of each recipe with three contenders, one world with one session and one with
/// two.
std::vector<std::string> worlds_of_a_long_run();

} // namespace docent::explorer
