// SPDX-License-Identifier: Apache-2.0
#pragma once

// Notices lost watch events. Servers drop events of nodes that the client may not read (ZOOKEEPER-4799), and bugs lose events.
// So the client reads each watched node again from time to time: a look. If the node has changed without an event, the client
// reports the lost event. Pure.

#include "zk/request.hpp"

#include <docent/error.hpp>
#include <docent/heartbeats.hpp>
#include <docent/stat.hpp>
#include <docent/watch_event.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace docent::zk {

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

/// Returns the known state after an answer that shows `now`. The zxids of a node stay known while the node may not be read.
NodeState known_after(const NodeState& before, const NodeState& now);

/// The event that a watch of this kind should have reported between the two states, if any.
std::optional<WatchEventType> missed_event(WatchKind kind, const NodeState& before, const NodeState& now);

/// The shortest time between two reads of a watched node. With two watched nodes, a relaxed client sends 16/3 heartbeats and at
/// most 2/3 reads in each session timeout.
constexpr std::chrono::milliseconds look_interval(std::chrono::milliseconds session_timeout, Heartbeats heartbeats) {
    return heartbeats == Heartbeats::relaxed ? 3 * session_timeout : session_timeout;
}

/// When to read a node again after a server's answer: after 1 to 1.25 intervals. The random part spreads the reads of
/// watches that were set together.
inline std::chrono::steady_clock::time_point next_look(std::chrono::steady_clock::time_point now,
                                                       std::chrono::milliseconds interval, std::uint64_t random) {
    const auto quarter = static_cast<std::uint64_t>(interval.count()) / 4;
    return now + interval + std::chrono::milliseconds{static_cast<std::int64_t>(quarter == 0 ? 0 : random % quarter)};
}

/// The largest number of looks of one client in each session timeout. With more watched nodes, each is read less often.
inline constexpr std::size_t most_looks = 2048;

/// The watches of one handle and the sinks that wait for them. Many sinks share one watch on the server. The table remembers
/// the last known state of each watched node, and so notices lost events.
///
/// It also limits the paths that the C client restores after a reconnect. The C client puts all paths into one packet, and a
/// server refuses a connection with a packet over 1 MiB, for ever (docs/contributing/c-client.md).
class WatchTable {
public:
    /// The largest number of bytes of watched paths. Leaves room for the other fields of the packet.
    static constexpr std::size_t capacity = 900'000;

    /// Whether one more watch fits. Also true for a path that is watched already.
    bool has_room(const std::string& path, WatchKind kind) const;

    /// Reserves room for a watch whose request is under way. Several requests for one watch take the room once. Returns the
    /// path, which stays valid until unreserve().
    const std::string& reserve(const std::string& path, WatchKind kind);
    void unreserve(const std::string& path, WatchKind kind);

    using Time = std::chrono::steady_clock::time_point;

    /// The server has set a watch, and `sink` waits for its event. `sink` is null if nobody waits.
    void add(const std::string& path, WatchKind kind, const WatchSink& sink);
    /// The same for a node that may not be read. The server sets no watch, so only reads notice a change.
    void add_unwatched(const std::string& path, WatchKind kind, const WatchSink& sink);

    struct LostEvent {
        WatchEventType type;
        std::vector<WatchSink> sinks;
    };
    /// A server's answer shows this state of a node. All events that the server sent before have arrived. Returns the events
    /// that were lost and that a sink waits for. Add a watch of the same request after this call. `look_at`: when to read the
    /// node again.
    std::vector<LostEvent> on_told(const std::string& path, const NodeState& now, Time look_at);
    /// The paths to read by now, `most` at most, the longest overdue first. `next` returns when each is due again.
    std::vector<std::string> due(Time now, std::size_t most, const std::function<Time()>& next);

    /// Removes and returns the sinks that wait for this event.
    std::vector<WatchSink> take(const std::string& path, WatchEventType type);

    /// Removes and returns all sinks, because the session has ended.
    std::vector<std::pair<std::string, WatchSink>> take_all();

    /// Whether the server keeps a watch of this path that no sink waits for and that may be removed. On the server, `data` and
    /// `exists` are one watch.
    bool is_abandoned(const std::string& path, WatchKind kind) const;
    /// All abandoned watches.
    std::vector<std::pair<std::string, WatchKind>> abandoned() const;
    /// The removal of the watch is under way. Returns the path, which stays valid until end_removal().
    const std::string& begin_removal(const std::string& path, WatchKind kind);
    /// The server has removed the watch (`removed`), or the request was lost.
    void end_removal(const std::string& path, WatchKind kind, bool removed);

    std::size_t bytes() const { return bytes_; }
    /// The number of watches that the server keeps.
    std::size_t on_server() const { return on_server_; }
    /// The number of entries in all lists. A sink may have several entries, and gone sinks may still have one; both are
    /// bounded.
    std::size_t places() const;

private:
    struct Place {
        std::weak_ptr<WatchSink::element_type> sink;
        WatchKind kind;
    };
    struct Watch {
        bool on_server = false;
        bool removing = false;
        bool by_looks = false;        // a sink waits, and the server has no watch
        std::uint32_t on_the_way = 0; // requests under way that will set the watch

        bool has_room() const { return on_server || on_the_way > 0; }
    };
    struct Entry { // small, because there may be one for each waiter
        std::vector<Place> places;
        std::array<Watch, 3> watches{};
        std::uint32_t purge_at = 8;
        NodeState known;
        Time look_at{};

        Watch& watch(WatchKind kind) { return watches[static_cast<std::size_t>(kind)]; }
        const Watch& watch(WatchKind kind) const { return watches[static_cast<std::size_t>(kind)]; }
    };

    static std::size_t cost(const std::string& path) { return path.size() + 4; }
    static bool is_unused(const Entry& entry);
    void erase_if_unused(const std::string& path);
    void set_due(Entry& entry, Time due);
    void place(Entry& entry, WatchKind kind, const WatchSink& sink);
    static void append_live(const Entry& entry, WatchKind kind, std::vector<WatchSink>& into);
    template <typename Change> void update(Watch& watch, const std::string& path, Change change);
    void take_kind(Entry& entry, const std::string& path, WatchKind kind, std::vector<WatchSink>& into);

    std::unordered_map<std::string, Entry> entries_;
    std::size_t bytes_ = 0;
    std::size_t on_server_ = 0;
    Time next_due_ = Time::max(); // nothing is due before
};

} // namespace docent::zk
