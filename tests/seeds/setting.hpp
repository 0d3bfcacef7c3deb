// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "queue/contender.hpp"
#include "scenario/wish.hpp"
#include "town.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace docent::seeds {

/// What a world is about.
struct Setting {
    std::string recipe;
    std::vector<std::pair<std::string, detail::QueueNames>> queues;
    std::map<std::string, std::size_t> limits; // of permits, by the folder of their nodes
    std::vector<detail::Wish> wishes;          // of which participants have one or more
    std::size_t wishes_each = 1;
    double commits = 0.2;          // chance of a guarded transaction
    detail::LeaseTerms terms = {}; // of what is held
    Town town = Town::none;        // else there are no locks
};

inline constexpr std::size_t lock_count = 7;
inline constexpr std::size_t recipe_count = lock_count + town_count;

/// By turns, so that all recipes have their share of any range of seeds: one in eight is no lock.
std::size_t recipe_of(std::uint64_t seed);
std::string recipe_name(std::size_t recipe);
Setting setting_of(std::uint64_t seed);

} // namespace docent::seeds
