// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which recipes have made the children of a path, and who of them holds. Pure.

#include "names/node_name.hpp"

#include <docent/recipes/inspection.hpp>

#include <string>
#include <vector>

namespace docent::detail {

/// The node whose children are to be told apart.
enum class ChildrenOf {
    path,   // the recipe's own
    gate,   // `locks` of a semaphore
    leases, // `leases` of a semaphore
};

struct Classified {
    std::vector<Participant> participants; // as the names say: without data, session and token
    std::vector<std::string> strangers;
    bool is_semaphore = false; // there are a gate and leases to look at
};

/// `others`: of other libraries, at the path itself; null without.
Classified classify(const std::string& path, ChildrenOf which, const std::vector<std::string>& children,
                    const OtherNamesPtr& others = nullptr);

} // namespace docent::detail
