// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the recipes that have made the children of a path, and their holders.

#include "client/core/operation.hpp"
#include "names/node_name.hpp"

#include <docent/recipes/inspection.hpp>

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {

/// The parent of the classified nodes.
enum class ChildrenOf {
    path,   // the recipe's path
    gate,   // `locks` of a semaphore
    leases, // `leases` of a semaphore
};

struct Classified {
    std::vector<Participant> participants; // from the names only: without data, session and token
    std::vector<std::string> strangers;    // names that belong to no recipe
    bool is_semaphore = false;             // it has a gate and leases, which must be listed as well
};

/// `others`: names of other libraries at the path itself; may be null. Pure.
Classified classify(const std::string& path, ChildrenOf which, const std::vector<std::string>& children,
                    const OtherNamesPtr& others = nullptr);

/// Finds the participants at a path. Fails with `no_node` if there is no such path.
std::shared_ptr<Operation> make_inspection(std::shared_ptr<ClientView> view, std::string path, OtherNamesPtr others,
                                           Done<Inspection> done);

} // namespace docent::detail
