// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is to be read so that a view of a tree is, and stays, that of the server; and what has changed in it. Pure.
//
// All is read anew on each connection, behind a sync, so that a server that lags behind brings nothing older back. Between two
// breaks, each node known is watched, or a read of it is owed. A child that goes is told by its parent's list: the watch of a
// list that has shown it fires.

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

/// Which answer belongs to which question.
using CacheTicket = std::uint64_t;

struct SyncCache {
    CacheTicket ticket;
    friend bool operator==(const SyncCache&, const SyncCache&) = default;
};
/// Its data, with a watch.
struct ReadCached {
    CacheTicket ticket;
    std::string path;
    friend bool operator==(const ReadCached&, const ReadCached&) = default;
};
/// Its children, with a watch.
struct ListCached {
    CacheTicket ticket;
    std::string path;
    friend bool operator==(const ListCached&, const ListCached&) = default;
};
/// A root that is not there: with a watch.
struct AwaitRoot {
    CacheTicket ticket;
    std::string path;
    friend bool operator==(const AwaitRoot&, const AwaitRoot&) = default;
};
/// Nothing is known of it any more: no watch of it is of use.
struct ForgetCached {
    std::string path;
    friend bool operator==(const ForgetCached&, const ForgetCached&) = default;
};
struct PauseCache {
    std::chrono::seconds length;
    friend bool operator==(const PauseCache&, const PauseCache&) = default;
};
using CacheAction = std::variant<SyncCache, ReadCached, ListCached, AwaitRoot, ForgetCached, PauseCache>;

/// What follows from one event.
struct CacheStep {
    std::vector<CacheEvent> changes;
    std::vector<CacheAction> actions;
    error_code obstacle; // what keeps it from being whole, if more than time is needed
};

class CacheMachine {
public:
    static constexpr std::size_t most_in_flight = 100;
    static constexpr std::chrono::seconds longest_pause{64};

    explicit CacheMachine(CacheShape shape, std::size_t in_flight = most_in_flight);

    CacheStep start();
    /// Each news of the connection.
    CacheStep on_session(bool connected);
    CacheStep on_synced(CacheTicket ticket, error_code ec);
    /// `node`: what was read, if `ec` is none.
    CacheStep on_read(CacheTicket ticket, const std::string& path, error_code ec, CachedNodePtr node);
    /// `names`: of the children that are of interest.
    CacheStep on_listed(CacheTicket ticket, const std::string& path, error_code ec, const std::vector<std::string>& names);
    CacheStep on_awaited(CacheTicket ticket, error_code ec);
    /// A watch that was set by one of these.
    CacheStep on_watch(const std::string& path, WatchEventType type);
    CacheStep on_pause_over();
    /// Follows nothing any more.
    CacheStep close();

    bool whole() const { return whole_; }

private:
    enum Kind : std::size_t { read, list, await };
    enum class Owed { nothing, queued, asked, after_pause, left_out };
    struct Question {
        Owed owed = Owed::nothing;
        bool again = false; // it has changed since it was asked
        CacheTicket ticket = 0;
    };
    struct Node {
        int depth = 0;
        bool suspect = false; // deleted, and perhaps made again
        std::array<Question, 3> questions;
        std::set<std::string> children; // names
        CachedNodePtr shown;
        error_code refusal;
    };
    using Nodes = std::map<std::string, Node>;

    void ask(const std::string& path, Node& node, Kind kind);
    void ask_all(const std::string& path, Node& node);
    void set(Question& question, Owed owed);
    /// Its node, if the answer is to the last question of this kind; then it is answered.
    Nodes::iterator answered(const std::string& path, Kind kind, CacheTicket ticket);
    void fail(Nodes::iterator which, Kind kind, error_code ec);
    void show(const std::string& path, Node& node, CachedNodePtr now);
    void hide(const std::string& path, Node& node);
    void gone(Nodes::iterator which);
    void drop(Nodes::iterator which);
    void drop_children(const std::string& path, Node& node);
    void refuse(const std::string& path, Node& node, error_code ec);
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
    CacheTicket sync_ = 0; // that is under way
    std::size_t in_flight_ = 0;
    std::size_t owed_ = 0; // questions without which it is not whole
    Nodes nodes_;
    std::deque<std::pair<std::string, Kind>> queue_;
    std::vector<std::pair<std::string, Kind>> paused_;
    CacheStep step_; // in the making
};

} // namespace docent::detail
