// SPDX-License-Identifier: Apache-2.0
#pragma once

// The next step of a member of a double barrier, by the nodes that it sees. Pure. The nodes are Curator's:
//
//     <path>/<uuid>   ephemeral: a member, from the beginning of its enter() to its leave()
//     <path>/ready    persistent: the members that are here may go on
//
// Members older than `ready` have passed, because `ready` is made when enough members are here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace docent::detail {

inline constexpr std::string_view ready_name = "ready";

// ---- entering

struct EnteringView {
    std::int64_t own = 0;   // czxid of the member's node; 0: it does not exist
    std::int64_t ready = 0; // czxid of `ready`; 0: it does not exist
    std::size_t members = 0;
    std::optional<std::int64_t> oldest_other = {}; // czxid; 0: there is no other member. Empty: not known
};

struct OwnNodeGone {
    friend bool operator==(const OwnNodeGone&, const OwnNodeGone&) = default;
};
struct GoIn {
    friend bool operator==(const GoIn&, const GoIn&) = default;
};
struct MakeReady {
    friend bool operator==(const MakeReady&, const MakeReady&) = default;
};
/// Read the czxids of the other members' nodes.
struct LookAtOthers {
    friend bool operator==(const LookAtOthers&, const LookAtOthers&) = default;
};
/// `ready` is a leftover: none of the members that it was made for is here.
struct RemoveStaleReady {
    friend bool operator==(const RemoveStaleReady&, const RemoveStaleReady&) = default;
};
struct AwaitReady {
    friend bool operator==(const AwaitReady&, const AwaitReady&) = default;
};
using EnteringStep = std::variant<OwnNodeGone, GoIn, MakeReady, LookAtOthers, RemoveStaleReady, AwaitReady>;

/// `wanted`: the number of members that the barrier waits for.
EnteringStep next_entering(const EnteringView& seen, std::size_t wanted);

// ---- leaving

struct LeavingView {
    bool own_is_there = false;
    std::string_view own;
    std::vector<std::string> others = {}; // sorted: members that were inside when this one began to leave, and still are
    bool lost = false;                    // the member's node was gone before, or belongs to an earlier session
    std::optional<bool> ready = {};       // whether `ready` exists. Empty: not known
};

struct RemoveOwn {
    friend bool operator==(const RemoveOwn&, const RemoveOwn&) = default;
};
/// Remove both at once: this is the last member, and the next ones begin again.
struct RemoveOwnAndReady {
    friend bool operator==(const RemoveOwnAndReady&, const RemoveOwnAndReady&) = default;
};
struct AwaitRemoval {
    std::string name;
    friend bool operator==(const AwaitRemoval&, const AwaitRemoval&) = default;
};
/// Find out whether the other members are inside, or wait for more members (perhaps for the one that lost its node).
struct LookForReady {
    friend bool operator==(const LookForReady&, const LookForReady&) = default;
};
struct AllHaveLeft {
    friend bool operator==(const AllHaveLeft&, const AllHaveLeft&) = default;
};
using LeavingStep = std::variant<RemoveOwn, RemoveOwnAndReady, AwaitRemoval, LookForReady, AllHaveLeft>;

/// The member with the lowest name stays until the others have gone; it waits for one after the other. The others remove their
/// nodes at once and wait for the lowest. A member that has lost its node may see nodes of members that enter again and wait
/// for it. So without `ready`, it waits for no member.
LeavingStep next_leaving(const LeavingView& seen);

} // namespace docent::detail
