// SPDX-License-Identifier: Apache-2.0
#pragma once

// The actions that the acquire machine asks of its driver.

#include <docent/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

namespace docent::detail {

/// Create the waiter's node and list the queue, in one round trip. With `make_parents`, create the parents first. If other
/// waiters of this client are in the queue, the driver may leave out the list. It then tells the machine the waiter's
/// neighbours in the snapshot.
struct Enter {
    std::string guid;
    bool make_parents = false;
    bool operator==(const Enter&) const = default;
};
/// Sync, then list, to find out whether a create with a lost reply was applied. Also proves that the session lives at the
/// leader.
struct FindOwn {
    std::string guid;
    bool operator==(const FindOwn&) const = default;
};
struct List {
    bool operator==(const List&) const = default;
};
/// Ask what this client knows of the queue. The driver answers at once.
struct Look {
    std::string name;
    bool operator==(const Look&) const = default;
};
/// Read the waiter's own node with a watch. This read always goes out before the read of the node ahead.
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
/// There is no session. Give up after the connection timeout, which begins with the first such action since the last
/// connection.
struct AwaitSession {
    bool operator==(const AwaitSession&) const = default;
};
/// The waiter holds the lock. No action follows.
struct Grant {
    std::string name;
    std::int64_t czxid = 0;
    std::uint64_t epoch = 0;  // of the session that owns the node
    bool own_watched = false; // the watch of WatchOwn is still set
    bool operator==(const Grant&) const = default;
};
/// The attempt has ended. No action follows.
struct Fail {
    error_code ec;
    bool operator==(const Fail&) const = default;
};
/// Removals in the background: the attempt does not wait for them.
struct Remove {
    std::string name;
    bool operator==(const Remove&) const = default;
};
struct RemoveProtected {
    std::string guid;
    bool operator==(const RemoveProtected&) const = default;
};
/// No node with this GUID was found. If one appears later, it is orphaned.
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
