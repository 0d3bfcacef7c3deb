// SPDX-License-Identifier: Apache-2.0
#pragma once

// Notices lost watch events. Servers drop events of nodes that the client may not read (ZOOKEEPER-4799), and bugs lose events.
// So the client reads each watched node again from time to time. If the node has changed without an event, the client reports
// the lost event. Pure.

#include <docent/error.hpp>
#include <docent/stat.hpp>
#include <docent/watch_event.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace docent::zk {

/// The kind of request that has set a watch. The C client keeps one list for each kind.
enum class WatchKind { data, exists, children };

/// The state of a node, as far as watches report changes of it.
struct NodeState {
    enum class Presence { unknown, missing, unreadable, readable };

    Presence presence = Presence::unknown;
    std::int64_t czxid = 0; // these zxids belong to a node that could be read
    std::int64_t mzxid = 0;
    std::int64_t pzxid = 0;
    friend bool operator==(const NodeState&, const NodeState&) = default;
};

/// The state that the answer to a read shows. Unknown if the answer says nothing about the node. Servers check the ACL of a
/// node only if the node exists, so `no_auth` means that it exists.
NodeState told_by(const error_code& ec, const Stat& stat);

/// The state after `now`. The zxids of a node stay known while the node may not be read.
NodeState known_after(const NodeState& before, const NodeState& now);

/// The event that a watch must have had between the two states, if any.
std::optional<WatchEventType> missed_event(WatchKind kind, const NodeState& before, const NodeState& now);

/// When to read a node again after a server's answer or event: after 1 to 1.25 session timeouts. The random part spreads the
/// reads of watches that were set together.
inline std::chrono::steady_clock::time_point next_look(std::chrono::steady_clock::time_point now,
                                                       std::chrono::milliseconds session_timeout, std::uint64_t random) {
    const auto quarter = static_cast<std::uint64_t>(session_timeout.count()) / 4;
    return now + session_timeout + std::chrono::milliseconds{static_cast<std::int64_t>(quarter == 0 ? 0 : random % quarter)};
}

/// The largest number of such reads of one client in each session timeout. With more watched nodes, each is read less often.
inline constexpr std::size_t most_looks = 2048;

} // namespace docent::zk
