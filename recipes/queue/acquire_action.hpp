// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the acquire machine asks its driver to do.

#include <docent/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

namespace docent::detail {

/// Create our queue node and list the queue, back to back; the parents' creates go before them if they are to be made. Without
/// the list if others of this client are in line already, by whom it is known whom to wait for.
struct Enter {
    std::string guid;
    bool make_parents = false;
    bool operator==(const Enter&) const = default;
};
/// Sync, then list: has a create been applied whose reply was lost? Also proves that the session is alive at the leader.
struct FindOwn {
    std::string guid;
    bool operator==(const FindOwn&) const = default;
};
struct List {
    bool operator==(const List&) const = default;
};
/// What does our client know of the queue already? Answered at once.
struct Look {
    std::string name;
    bool operator==(const Look&) const = default;
};
/// Read with a watch. Our own node's read always goes out before that of the one ahead.
struct WatchOwn {
    std::string name;
    bool operator==(const WatchOwn&) const = default;
};
struct WatchAhead {
    std::string name;
    bool operator==(const WatchAhead&) const = default;
};
struct Pause {
    std::chrono::milliseconds length;
    bool operator==(const Pause&) const = default;
};
/// There is no session: give up after the connection timeout, counted from the first of these since the last connection.
struct AwaitSession {
    bool operator==(const AwaitSession&) const = default;
};
/// The lock is ours. Nothing follows.
struct Grant {
    std::string name;
    std::int64_t czxid = 0;
    std::uint64_t epoch = 0;  // of the session that owns the node
    bool own_watched = false; // the watch that WatchOwn has set is still armed
    bool operator==(const Grant&) const = default;
};
/// The attempt has ended. Nothing follows.
struct Fail {
    error_code ec;
    bool operator==(const Fail&) const = default;
};
/// Obligations, not steps: the attempt does not wait for them.
struct Remove {
    std::string name;
    bool operator==(const Remove&) const = default;
};
struct RemoveProtected {
    std::string guid;
    bool operator==(const RemoveProtected&) const = default;
};
/// There was no such node, and if one comes late, it is of nobody.
struct ForgetGuid {
    std::string guid;
    bool operator==(const ForgetGuid&) const = default;
};

using AcquireAction = std::variant<Enter, FindOwn, List, Look, WatchOwn, WatchAhead, Pause, AwaitSession, Grant, Fail, Remove,
                                   RemoveProtected, ForgetGuid>;
using AcquireActions = std::vector<AcquireAction>;

template <typename Action> std::vector<Action> joined(std::vector<Action> first, std::vector<Action> second) {
    std::move(second.begin(), second.end(), std::back_inserter(first));
    return first;
}

} // namespace docent::detail
