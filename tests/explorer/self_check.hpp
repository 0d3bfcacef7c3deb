// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks that states with the same picture are the same. The search relies on this when it skips a state.

#include "search.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace docent::explorer {

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

} // namespace docent::explorer
