// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which recipes have made the children of a path, and who of them holds. Pure.

#include <docent/recipes/inspection.hpp>

#include <string>
#include <vector>

namespace docent::detail {

/// Where participants may be.
enum class Place {
    path,   // the recipe's own path
    gate,   // a semaphore's child `locks`
    leases, // a semaphore's child `leases`
};

struct Classified {
    std::vector<Participant> participants; // as the names say: without data, session and token
    std::vector<std::string> strangers;
    bool is_semaphore = false; // there are a gate and leases to look at
};

Classified classify(const std::string& path, Place place, const std::vector<std::string>& children);

} // namespace docent::detail
