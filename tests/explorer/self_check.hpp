// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether states that look alike are alike: what is pruned rests on that.

#include "search.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace docent::explorer {

struct Comparison {
    std::uint64_t states = 0;
    std::uint64_t compared = 0; // states that were reached in two ways
    std::string difference;     // two stories that lead to the same picture, and what only one of them can lead to
    std::string unfinished;     // why not all was seen; empty if it was
};

/// Goes through the world as search() does, in one process, and then in the reverse order. When a state was seen before, all
/// that can come next is compared with what can come next there: after each step the pictures must be the same ones. Of
/// `one_in` fingerprints one is compared, and both orders must see the same states: if one does not, the states that it came
/// from are compared.
Comparison compare_pictures(const Plan& plan, const Bounds& bounds, std::uint64_t one_in);

} // namespace docent::explorer
