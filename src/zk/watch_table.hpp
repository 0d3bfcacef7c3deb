// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"
#include "zk/watch_look.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace docent::zk {

/// Who waits for which event of one handle. Many sinks share one watch on the server. Knows what was last told of each watched
/// node, and so which events were lost. Also keeps count of what the C client
/// would have to restore after a reconnect: it puts all paths into one packet, and a packet over 1 MiB would make the server
/// refuse the connection for ever (zookeeper-c-client.md 2.5).
class WatchTable {
public:
    /// Bytes of paths that may be watched: leaves room for the packet's own fields.
    static constexpr std::size_t capacity = 900'000;

    /// Whether one more watch fits. True also for a path that is watched already.
    bool has_room(const std::string& path, WatchKind kind) const;

    /// Room for a watch whose request is on its way: once, however many there are. The path, which stays where it is until
    /// unreserve().
    const std::string& reserve(const std::string& path, WatchKind kind);
    void unreserve(const std::string& path, WatchKind kind);

    using Time = std::chrono::steady_clock::time_point;

    void add(const std::string& path, WatchKind kind, const WatchSink& sink);
    /// The same for a node that may not be read: no server watches it, so that only looks tell.
    void add_unwatched(const std::string& path, WatchKind kind, const WatchSink& sink);

    struct LostEvent {
        WatchEventType type;
        std::vector<WatchSink> sinks;
    };
    /// A server has told this of a node, behind all events that it had sent before. Returns the events that somebody waits for
    /// and that have never come. Whoever asked for a watch by the same request is added after this. The next look is due then.
    std::vector<LostEvent> on_told(const std::string& path, const NodeState& now, Time look_at);
    /// The paths that are to be looked at by now, `most` at once, those first that wait the longest. `next` says when each is
    /// due again.
    template <typename Next> std::vector<std::string> due(Time now, std::size_t most, const Next& next) {
        auto paths = take_due(now, most);
        for (const std::string& path : paths) set_due(entries_.at(path), next());
        return paths;
    }

    /// Removes and returns those who are to be told of this event.
    std::vector<WatchSink> take(const std::string& path, WatchEventType type);

    /// Removes and returns everybody: the session is gone.
    std::vector<std::pair<std::string, WatchSink>> take_all();

    /// Whether the server keeps a watch of this path that nobody waits for, and that may be removed there. On the server `data`
    /// and `exists` are one.
    bool is_abandoned(const std::string& path, WatchKind kind) const;
    /// All of these.
    std::vector<std::pair<std::string, WatchKind>> abandoned() const;
    /// Its removal is on its way. The path, which stays where it is until end_removal().
    const std::string& begin_removal(const std::string& path, WatchKind kind);
    /// The server has removed it, or the request to do so was lost.
    void end_removal(const std::string& path, WatchKind kind, bool removed);

    std::size_t bytes() const { return bytes_; }
    /// How many the server keeps.
    std::size_t on_server() const { return on_server_; }
    /// In its lists: somebody may be there more than once, or be gone, but not without bound.
    std::size_t places() const;

private:
    struct Place {
        std::weak_ptr<WatchSink::element_type> sink;
        WatchKind kind;
    };
    struct Watch {
        bool on_server = false;
        bool removing = false;
        bool by_looks = false;        // somebody waits whom no server will tell
        std::uint32_t on_the_way = 0; // requests that will set it

        bool has_room() const { return on_server || on_the_way > 0; }
    };
    struct Entry { // there may be as many as there are waiters
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
    std::vector<std::string> take_due(Time now, std::size_t most);
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
