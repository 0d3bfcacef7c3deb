// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the permit machine asks its driver to do.

#include "queue/acquire_action.hpp"

#include <docent/recipes/permit_usage.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace docent::detail {

/// Create a lease node for each guid and list the leases, back to back; the parents' creates go before them if they are to be
/// made.
struct CreatePermits {
    std::vector<std::string> guids;
    bool make_parents = false;
    bool operator==(const CreatePermits&) const = default;
};
enum class Freshness {
    as_seen, // by our server
    synced,  // also proves that the session is alive at the leader
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
/// The session is not the one of the gate any more: begin with the gate. Nothing follows.
struct BeginAgain {
    bool operator==(const BeginAgain&) const = default;
};
struct PermitNode {
    std::string name;
    std::int64_t czxid = 0;
    bool operator==(const PermitNode&) const = default;
};
/// The permits are ours. Nothing follows.
struct GrantPermits {
    std::vector<PermitNode> nodes;
    PermitUsage usage;
    bool operator==(const GrantPermits&) const = default;
};

using PermitAction = std::variant<CreatePermits, ListPermits, WatchGate, Pause, AwaitSession, BeginAgain, GrantPermits, Fail,
                                  Remove, RemoveProtected>;
using PermitActions = std::vector<PermitAction>;

} // namespace docent::detail
