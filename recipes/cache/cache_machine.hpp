// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides what to read so that the view of a tree follows the servers, and reports the changes. Pure.
//
// After each connect, the machine reads everything again after a sync, so that a server that lags behind shows nothing old.
// While connected, each known node is watched, or a read of it is due. The parent's list reports a child that is gone: the
// watch of a list that contained the child fires.

#include <docent/recipes/cache/cache_event.hpp>
#include <docent/watch_event.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace docent::detail {

struct CacheShape {
    std::string root;
    bool shows_root = true;
    int depth = std::numeric_limits<int>::max(); // of the deepest node shown, below the root
};

/// Matches an answer with its request.
using CacheTicket = std::uint64_t;

struct SyncCache {
    CacheTicket ticket;
    friend bool operator==(const SyncCache&, const SyncCache&) = default;
};
/// Read the data with a watch.
struct ReadCached {
    CacheTicket ticket;
    std::string path;
    friend bool operator==(const ReadCached&, const ReadCached&) = default;
};
/// List the children with a watch.
struct ListCached {
    CacheTicket ticket;
    std::string path;
    friend bool operator==(const ListCached&, const ListCached&) = default;
};
/// Wait for a missing root, with a watch.
struct AwaitRoot {
    CacheTicket ticket;
    std::string path;
    friend bool operator==(const AwaitRoot&, const AwaitRoot&) = default;
};
/// The node is forgotten: drop its watches.
struct ForgetCached {
    std::string path;
    friend bool operator==(const ForgetCached&, const ForgetCached&) = default;
};
struct PauseCache {
    std::chrono::seconds length;
    friend bool operator==(const PauseCache&, const PauseCache&) = default;
};
using CacheAction = std::variant<SyncCache, ReadCached, ListCached, AwaitRoot, ForgetCached, PauseCache>;

/// The results of one event.
struct CacheStep {
    std::vector<CacheEvent> changes;
    std::vector<CacheAction> actions;
    error_code obstacle; // why the cache does not become whole, if waiting does not help
};

class CacheMachine {
public:
    static constexpr std::size_t most_in_flight = 100;
    static constexpr std::chrono::seconds longest_pause{64};

    explicit CacheMachine(CacheShape shape, std::size_t in_flight = most_in_flight);

    CacheStep start();
    /// The connection was made or broke.
    CacheStep on_session(bool connected);
    CacheStep on_synced(CacheTicket ticket, error_code ec);
    /// `node`: the node, without an error.
    CacheStep on_read(CacheTicket ticket, const std::string& path, error_code ec, CachedNodePtr node);
    /// `names`: the children that the selector wants.
    CacheStep on_listed(CacheTicket ticket, const std::string& path, error_code ec, const std::vector<std::string>& names);
    CacheStep on_awaited(CacheTicket ticket, error_code ec);
    /// A watch of one of these requests has fired.
    CacheStep on_watch(const std::string& path, WatchEventType type);
    CacheStep on_pause_over();
    /// Stops following nodes.
    CacheStep close();

    bool whole() const { return whole_; }

private:
    enum Kind : std::size_t { read, list, await };
    /// Whether an answer is due. `left_out`: the client may not read the node. It asks again after a pause, but the cache is
    /// whole without the answer.
    enum class Owed { nothing, queued, asked, after_pause, left_out };
    struct Question {
        Owed owed = Owed::nothing;
        bool again = false; // changed since the request was sent
        CacheTicket ticket = 0;
    };
    struct Node {
        int depth = 0;
        bool suspect = false; // was deleted, and may exist again
        std::array<Question, 3> questions;
        std::set<std::string> children; // names
        CachedNodePtr shown;
        error_code refusal;
    };
    using Nodes = std::map<std::string, Node>;

    void ask(const std::string& path, Node& node, Kind kind);
    void ask_all(const std::string& path, Node& node);
    void set(Question& question, Owed owed);
    /// The node, if `ticket` is its last request of this kind; else the end. Marks the request as answered.
    Nodes::iterator answered(const std::string& path, Kind kind, CacheTicket ticket);
    void fail(Nodes::iterator which, Kind kind, error_code ec);
    void show(const std::string& path, Node& node, CachedNodePtr now);
    void hide(const std::string& path, Node& node);
    void gone(Nodes::iterator which);
    void drop(Nodes::iterator which);
    void drop_children(const std::string& path, Node& node);
    void refuse(const std::string& path, Node& node, error_code ec);
    void sync();
    void pause();
    void tell(CacheEvent event) { step_.changes.push_back(std::move(event)); }
    CacheStep finish();

    const CacheShape shape_;
    const std::size_t in_flight_limit_;
    bool started_ = false;
    bool closed_ = false;
    bool connected_ = false;
    bool synced_ = false;
    bool whole_ = false;
    bool pausing_ = false;
    std::chrono::seconds pause_{1};
    CacheTicket last_ticket_ = 0;
    CacheTicket sync_ = 0; // of the sync under way
    std::size_t in_flight_ = 0;
    std::size_t owed_ = 0; // the number of answers that the cache needs to be whole
    Nodes nodes_;
    std::deque<std::pair<std::string, Kind>> queue_;
    std::vector<std::pair<std::string, Kind>> paused_;
    CacheStep step_; // the results so far
};

} // namespace docent::detail
