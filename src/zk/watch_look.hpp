// SPDX-License-Identifier: Apache-2.0
#pragma once

// How an event that never comes is noticed: servers drop the events of nodes that the client may not read (ZOOKEEPER-4799), and
// events get lost by bugs. So a watched node is looked at again from time to time, and a change that no event has told of is
// told as the event that was lost. Pure.

#include <docent/error.hpp>
#include <docent/stat.hpp>
#include <docent/watch_event.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace docent::zk {

/// What a watch on the server was set by; the C client keeps one list for each.
enum class WatchKind { data, exists, children };

/// What an answer says of a node, as far as watches tell.
struct NodeState {
    enum class Presence { unknown, missing, unreadable, readable };

    Presence presence = Presence::unknown;
    std::int64_t czxid = 0; // the zxids of a node that could be read
    std::int64_t mzxid = 0;
    std::int64_t pzxid = 0;
    friend bool operator==(const NodeState&, const NodeState&) = default;
};

/// The answer to a read of the node, with any of the three kinds of requests. Unknown if it says nothing of the node. Servers
/// look at the ACL of a node only if the node exists: `no_auth` says that it does.
NodeState told_by(const error_code& ec, const Stat& stat);

/// What is known by now: the zxids of a node stay known while nobody may read it.
NodeState known_after(const NodeState& before, const NodeState& now);

/// The event that a watch should have had between these two; none if it had nothing to tell.
std::optional<WatchEventType> missed_event(WatchKind kind, const NodeState& before, const NodeState& now);

/// When to look again at a node of which a server has told just now: after a session timeout and up to a quarter of one, by
/// chance, so that watches which were set together are not looked at together.
inline std::chrono::steady_clock::time_point next_look(std::chrono::steady_clock::time_point now,
                                                       std::chrono::milliseconds session_timeout, std::uint64_t random) {
    const auto quarter = static_cast<std::uint64_t>(session_timeout.count()) / 4;
    return now + session_timeout + std::chrono::milliseconds{static_cast<std::int64_t>(quarter == 0 ? 0 : random % quarter)};
}

/// Of one client, in each session timeout: with more watched nodes than that, each is looked at more seldom.
inline constexpr std::size_t most_looks = 2048;

} // namespace docent::zk
