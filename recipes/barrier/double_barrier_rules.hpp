// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a member of a double barrier does next, from what it sees there. Pure. On the servers, as Curator has it:
//
//     <path>/<uuid>   a member, ephemeral: from the beginning of its enter() to its leave()
//     <path>/ready    persistent: those who are here may go on
//
// Members older than `ready` have gone through it, for it is made when enough are here.

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
    std::int64_t own = 0;   // czxid of our node; 0: it is not there
    std::int64_t ready = 0; // czxid of `ready`; 0: it is not there
    std::size_t members = 0;
    std::optional<std::int64_t> oldest_other = {}; // czxid; 0: there is no other one. Empty: nobody has looked
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
/// When were the other members' nodes made?
struct LookAtOthers {
    friend bool operator==(const LookAtOthers&, const LookAtOthers&) = default;
};
/// It is left over: nobody for whom it was made is here any more.
struct RemoveStaleReady {
    friend bool operator==(const RemoveStaleReady&, const RemoveStaleReady&) = default;
};
struct AwaitReady {
    friend bool operator==(const AwaitReady&, const AwaitReady&) = default;
};
using EnteringStep = std::variant<OwnNodeGone, GoIn, MakeReady, LookAtOthers, RemoveStaleReady, AwaitReady>;

/// `wanted`: how many members are to be there before they go in.
EnteringStep next_entering(const EnteringView& seen, std::size_t wanted);

// ---- leaving

struct LeavingView {
    bool own_is_there = false;
    std::string_view own;
    std::vector<std::string> others = {}; // sorted: those that were inside when it began to leave, and still are
    bool lost = false;                    // its node had gone before, or was of a session before
    std::optional<bool> ready = {};       // whether it is there. Empty: nobody has looked
};

struct RemoveOwn {
    friend bool operator==(const RemoveOwn&, const RemoveOwn&) = default;
};
/// Both at once: it is the last one, and whoever comes next begins anew.
struct RemoveOwnAndReady {
    friend bool operator==(const RemoveOwnAndReady&, const RemoveOwnAndReady&) = default;
};
struct AwaitRemoval {
    std::string name;
    friend bool operator==(const AwaitRemoval&, const AwaitRemoval&) = default;
};
/// Whether those who are there are inside, or wait until others come: perhaps for whoever lost its node.
struct LookForReady {
    friend bool operator==(const LookForReady&, const LookForReady&) = default;
};
struct AllHaveLeft {
    friend bool operator==(const AllHaveLeft&, const AllHaveLeft&) = default;
};
using LeavingStep = std::variant<RemoveOwn, RemoveOwnAndReady, AwaitRemoval, LookForReady, AllHaveLeft>;

/// The lowest stays until the others have gone, whom it waits for one after the other; these go at once and wait for the
/// lowest. Who has lost its node may see nodes of those who enter again, and wait for it: it waits for nobody without `ready`.
LeavingStep next_leaving(const LeavingView& seen);

} // namespace docent::detail
