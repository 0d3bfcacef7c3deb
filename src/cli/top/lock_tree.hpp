// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts the turns at a lock, from lists that are read now and then. Pure.

#include <docent/client.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/stat.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace docent::cli {

/// The values of a list from which turns_between() counts turns.
struct QueueMark {
    std::int64_t czxid = 0;        // of the parent; `cversion` of a new parent begins at 0
    std::int32_t cversion = 0;     // how many children were created or removed since the creation of the parent
    std::int32_t children = 0;     // the present number of children
    std::string first_holder = {}; // its node; empty without a holder
    bool shared = false;           // several participants may hold at once
};

/// The number of turns that have ended between two lists of the same queue. The server counts created and removed children, so
/// no turn is missed. If the same participant holds alone in both lists, no turn has ended, and the others that left gave up.
/// If the holder has changed, participants that gave up count too.
std::uint32_t turns_between(const QueueMark& before, const QueueMark& after);

/// Turns in the last minute.
class TurnRate {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Turns are counted from `start` on.
    explicit TurnRate(Time start) : start_(start) {}

    void add(Time now, std::uint32_t turns);
    /// The turns of the last minute. In the first minute, the turns so far, scaled up. Nothing in the first five seconds.
    std::optional<double> per_minute(Time now) const;

private:
    struct Entry {
        Time time;
        std::uint32_t turns;
    };
    Time start_;
    std::deque<Entry> entries_; // of a little more than a minute
};

// Finds the locks below a path, and decides which requests that needs. Pure.
//
// Each node that does not belong to a lock is listed with a watch, and again after the watch has fired, but never twice within
// a second. In each queue, the nodes of the first holder and of the first waiter are read once. In the open queue, all nodes
// are read. In a semaphore with waiters, all permits are read: their sessions tell which permits are only reserved.

/// One request, answered by one on_...() of the same path.
struct Ask {
    enum class What {
        list,  // the children, with a watch
        await, // whether the missing node exists now, with a watch
        read,  // a lock's node
    } what;
    std::string path;
};

enum class Failure {
    gone,   // there is no such node
    denied, // not permitted
    later,  // for example, no server answers
};

/// The details of a node.
struct NodeDetails {
    std::string label = {};
    std::int64_t session_id = 0;
    std::int64_t czxid = 0;
    std::int64_t created = 0;
    std::string owner = {};
};

/// One queue at a path, by the names of its nodes.
struct Queue {
    RecipeKind recipe = RecipeKind::mutex;
    ParticipantKind kind = ParticipantKind::lock; // of the first holder, or of the first waiter
    std::size_t holders = 0;
    std::size_t waiters = 0;
    std::size_t reserved = 0;      // permits that the first waiter has reserved, if sessions are known
    std::string first_holder = {}; // its node; empty without a holder
    std::string first_waiter = {};
};

/// Finds the locks at and below a path. Its caller sends the requests of due(), and reports each answer to on_...().
class LockTree {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Lists at most `most_nodes` nodes.
    explicit LockTree(std::string root, std::size_t most_nodes = 10'000) : root_(std::move(root)), most_nodes_(most_nodes) {}

    void start(Time now);

    /// The requests to send now.
    std::vector<Ask> due(Time now);
    /// The time at which due() has more requests if no event comes before; nothing if only an event makes more requests due.
    std::optional<Time> next_time() const;
    /// Whether no request is under way or due.
    bool settled() const { return in_flight_ == 0 && lists_.empty() && reads_.empty(); }

    void on_listed(const std::string& path, const Children& children, Time now);
    void on_awaited(const std::string& path, bool exists, Time now);
    void on_read(const std::string& path, NodeDetails details);
    void on_failed(const Ask& ask, Failure failure, Time now);
    /// The watch of a list, or of a missing node, has fired.
    void on_changed(const std::string& path, Time now);

    /// Nodes that are no longer listed, since the last call. Their watches are not needed any more.
    std::vector<std::string> take_forgotten() { return std::exchange(forgotten_, {}); }

    /// Reads all nodes of this path. An empty path closes the open queue.
    void open(std::string path);

    struct Lock {
        std::vector<Queue> queues;
        std::size_t strangers = 0; // without nodes that are paths of locks, or above such paths
        std::optional<double> turns_per_minute;
    };
    /// The locks that have or had participants since the start, by path.
    std::map<std::string, Lock> locks(Time now) const;
    /// The participants at a path, with the details read so far; empty for an unknown path.
    Inspection participants(const std::string& path) const;
    /// The details of a node; null if it was not read.
    const NodeDetails* details(const std::string& node) const;

    bool root_exists() const { return root_exists_; }
    /// The number of nodes that may not be listed; the number of nodes that were left out because there are too many.
    std::size_t denied() const;
    std::size_t left_out() const;
    std::size_t listed() const { return places_.size(); }

private:
    struct Place {
        std::vector<std::string> names;
        bool scheduled = false;
        bool asked = false;
        bool again = false; // changed while a request was under way
        bool was_lock = false;
        bool denied = false;
        std::size_t left_out = 0; // the number of children left out
        std::optional<Time> last_ask;
        std::vector<Queue> queues;
        std::vector<std::string> strangers;
        std::set<std::string> wanted; // nodes to keep details of
        std::optional<QueueMark> mark;
        std::optional<TurnRate> turns;
    };

    RecipeChildren names_at(const std::string& path) const;
    bool is_semaphore(const std::string& path) const;
    bool has_leases(const std::string& path) const;
    bool leads_to_locks(const std::string& path) const;
    /// The path of the recipe that the children of `path` belong to.
    std::string recipe_path(const std::string& path) const;
    void schedule(const std::string& path, Time now);
    void update_recipe(const std::string& path);
    void want(Place& place, std::set<std::string> nodes);
    void update_turns(const std::string& path, const Stat& stat, Time now);
    void update_children(const std::string& path, Time now);
    Place* find(const std::string& path);
    const Place* find(const std::string& path) const;
    void forget(const std::string& path);

    const std::string root_;
    const std::size_t most_nodes_;
    std::map<std::string, Place> places_;
    std::set<std::pair<Time, std::string>> lists_; // lists to request, not before this time
    std::deque<std::string> reads_;
    std::map<std::string, std::optional<NodeDetails>> details_; // by node; nothing while a read is under way
    std::vector<std::string> forgotten_;
    std::string open_;
    std::size_t in_flight_ = 0;
    bool root_exists_ = true;
};

} // namespace docent::cli
