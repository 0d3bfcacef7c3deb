// SPDX-License-Identifier: Apache-2.0
#pragma once

// The actions that the permit machine asks of its driver.

#include "queue/acquire_action.hpp"

#include <docent/recipes/permit_usage.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace docent::detail {

/// Create a lease node for each GUID and list the leases, in one round trip. With `make_parents`, create the parents first.
struct CreatePermits {
    std::vector<std::string> guids;
    bool make_parents = false;
    bool operator==(const CreatePermits&) const = default;
};
enum class Freshness {
    as_seen, // as the client's server has it
    synced,  // after a sync; also proves that the session lives at the leader
};
/// List the leases with a watch.
struct ListPermits {
    Freshness freshness = Freshness::as_seen;
    bool operator==(const ListPermits&) const = default;
};
/// Read the gate's node with a watch.
struct WatchGate {
    bool operator==(const WatchGate&) const = default;
};
/// The gate's session has ended: begin again with the gate. No action follows.
struct BeginAgain {
    bool operator==(const BeginAgain&) const = default;
};
struct PermitNode {
    std::string name;
    std::int64_t czxid = 0;
    bool operator==(const PermitNode&) const = default;
};
/// The caller holds the permits. No action follows.
struct GrantPermits {
    std::vector<PermitNode> nodes;
    PermitUsage usage;
    bool operator==(const GrantPermits&) const = default;
};

using PermitAction = std::variant<CreatePermits, ListPermits, WatchGate, Pause, AwaitSession, BeginAgain, GrantPermits, Fail,
                                  Remove, RemoveProtected>;
using PermitActions = std::vector<PermitAction>;

} // namespace docent::detail
