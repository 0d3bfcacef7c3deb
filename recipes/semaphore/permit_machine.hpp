// SPDX-License-Identifier: Apache-2.0
#pragma once

// The actions that the permit machine asks of its driver.

#include "queue/acquire_action.hpp"
#include "queue/acquire_machine.hpp"

#include <docent/recipes/permit_usage.hpp>
#include <docent/session_event.hpp>
#include <docent/stat.hpp>
#include <docent/watch_event.hpp>

#include <cstdint>
#include <set>
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

// Takes permits of a semaphore, all or none, for a caller that holds its gate: events in, actions out. Pure.
//
// The gate only orders the callers. The limit holds by another rule: permits are granted by a list of the leases that contains
// the caller's own nodes and not more nodes than the limit. Of all permits that are taken, the last one was granted by a list
// that contained all others.

struct PermitRules {
    std::int32_t count = 1;
    WaitMode wait_mode = WaitMode::waits;
    RetryPolicy retry;
};

/// The node that holds the gate.
struct Gate {
    std::int64_t czxid = 0;
    std::uint64_t epoch = 0;
};

/// The replies to CreatePermits, in the order of its GUIDs. Errors of the creates: see error_of_create().
struct PermitsCreated {
    struct Node {
        error_code ec = {};
        std::string name = {};
        std::int64_t czxid = 0;
        std::int64_t ephemeral_owner = 0;
    };
    std::vector<Node> nodes;
    error_code list = {};
    std::vector<std::string> children = {};
};

class PermitMachine {
public:
    using Actions = PermitActions;

    PermitMachine(PermitRules rules, AcquireSources& sources, Gate gate);

    Actions start(const SessionEvent& session, std::int32_t limit);

    // Replies to the actions with these names.
    Actions on_created(const PermitsCreated& created);
    Actions on_listed(error_code ec, const std::vector<std::string>& children);
    Actions on_gate_read(error_code ec, const Stat& stat);
    Actions on_paused();
    Actions on_no_session(); // the time of AwaitSession is over

    Actions on_leases_event();
    Actions on_gate_event(WatchEventType type);
    Actions on_limit(std::int32_t limit);
    Actions on_session(const SessionEvent& event);
    Actions finish(error_code ec); // ends it: the caller's time is over, or it has given up

private:
    enum class Step {
        waiting,  // waits for a connection
        creating, // waits for the reply to CreatePermits
        listing,  // waits for the reply to ListPermits
        parked,   // waits for a change
        pausing,  // waits before the next try
        done,
    };
    enum class Need { create, list, sync };
    enum class Watch { unset, asked, set };
    struct Permit {
        std::string guid;
        PermitNode node = {};
        bool may_exist = true;
    };

    Actions go(const ConnectedStep<Need>::Next& next);
    Actions ask(Need need);
    Actions await_session() const;
    Actions create_again(error_code ec);
    Actions decide(const std::vector<std::string>& children);
    Actions park();
    Actions watch_gate();
    Actions grant();
    Actions begin_again();
    Actions drop_permits();

    PermitRules rules_;
    ConnectedStep<Need> connected_step_;
    Gate gate_;
    Step step_ = Step::waiting;
    std::vector<Permit> permits_;
    std::set<std::string> dropped_; // GUIDs of removed nodes that may still exist; they do not count
    std::int32_t limit_ = 0;
    std::int32_t out_ = 0; // the number of permits taken in the last list
    bool watched_ = false; // the last list has set a watch

    std::uint64_t gate_asked_on_ = 0; // the connection that carries the read of the gate
    Watch gate_watch_ = Watch::unset;
};

} // namespace docent::detail
