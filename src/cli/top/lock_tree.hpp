// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which locks there are below a path, and what is to be asked to know it: decides, and asks nobody itself.
//
// Each node that is no lock's is listed, with a watch, and once more when that fires, but never twice within a second. Of each
// queue, the nodes of the first holder and of the first who waits are read, once; of the one that is open, all of them. Of a
// semaphore with waiters, all permits: their sessions tell which of them are only reserved.

#include "cli/top/turns.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/stat.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace docent::cli {

/// One request, answered by one on_...() of the same path.
struct Ask {
    enum class What {
        list,  // the children, with a watch
        await, // whether it is there, with a watch: it was not
        read,  // a lock's node
    } what;
    std::string path;
    friend bool operator==(const Ask&, const Ask&) = default;
};

enum class Failure {
    gone,   // there is no such node
    denied, // we may not
    later,  // no server answers, say
};

/// Whose node it is.
struct NodeDetails {
    std::string label = {};
    std::int64_t session_id = 0;
    std::int64_t czxid = 0;
    std::int64_t created = 0;
    std::string owner = {};
};

/// One queue at a path, as its names tell it.
struct Queue {
    RecipeKind recipe = RecipeKind::mutex;
    ParticipantKind kind = ParticipantKind::lock; // of the first holder, or of the first who waits
    std::size_t holders = 0;
    std::size_t waiters = 0;
    std::size_t reserved = 0;      // permits that the first waiter at the gate has put aside, where sessions are known
    std::string first_holder = {}; // nodes; empty if there is none
    std::string first_waiter = {};
    friend bool operator==(const Queue&, const Queue&) = default;
};

/// Recipe by recipe, as an inspection has them. If it has only names, a permit that is reserved counts as held.
std::vector<Queue> queues_of(const Inspection& inspection);

class LockTree {
public:
    using Time = std::chrono::steady_clock::time_point;

    struct Limits {
        std::size_t nodes = 10'000;                                        // that are listed; more are left out
        std::size_t in_flight = 64;                                        // requests at once
        std::chrono::milliseconds between_looks = std::chrono::seconds(1); // at the same node
    };
    LockTree(std::string root, Limits limits) : root_(std::move(root)), limits_(limits) {}

    void start(Time now);

    /// What may be asked now.
    std::vector<Ask> due(Time now);
    /// When due() has more though nothing was answered or told; nothing if never.
    std::optional<Time> next_time() const;
    /// Whether nothing is asked, nor will be until something changes.
    bool settled() const { return in_flight_ == 0 && lists_.empty() && reads_.empty(); }

    void on_listed(const std::string& path, const Children& children, Time now);
    void on_awaited(const std::string& path, bool exists, Time now);
    void on_read(const std::string& path, NodeDetails details);
    void on_failed(const Ask& ask, Failure failure, Time now);
    /// The watch of a list, or of who waits for a node, has fired.
    void on_changed(const std::string& path, Time now);

    /// Nodes that are no longer listed, since the last call: their watches are of no use.
    std::vector<std::string> take_forgotten() { return std::exchange(forgotten_, {}); }

    /// Of this path all nodes are read; of none if it is empty.
    void open(std::string path);

    struct Lock {
        std::vector<Queue> queues;
        std::size_t strangers = 0; // without those that are paths of locks, or above some
        std::optional<double> turns_per_minute;
    };
    /// Those at which somebody is or was since the start, by path.
    std::map<std::string, Lock> locks(Time now) const;
    /// Who is at a path, with what has been read of the nodes; nobody if it is not known.
    Inspection participants(const std::string& path) const;
    /// Null if it has not been read.
    const NodeDetails* details(const std::string& node) const;

    bool root_exists() const { return root_exists_; }
    /// Nodes that may not be listed, and such as were left out because there are too many.
    std::size_t denied() const;
    std::size_t left_out() const;
    std::size_t listed() const { return places_.size(); }

private:
    struct Place {
        std::vector<std::string> names;
        bool scheduled = false;
        bool asked = false;
        bool again = false; // it changed while it was asked for
        bool was_lock = false;
        bool denied = false;
        std::size_t left_out = 0; // children
        std::optional<Time> last_ask;
        std::vector<Queue> queues;
        std::vector<std::string> strangers;
        std::set<std::string> wanted; // nodes whose details are kept
        std::optional<QueueMark> mark;
        std::optional<TurnRate> turns;
    };

    RecipeChildren names_at(const std::string& path) const;
    bool is_semaphore(const std::string& path) const;
    bool has_leases(const std::string& path) const;
    bool leads_to_locks(const std::string& path) const;
    /// The path of the recipe to which what is listed at `path` belongs.
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
    const Limits limits_;
    std::map<std::string, Place> places_;
    std::set<std::pair<Time, std::string>> lists_; // to be asked for, not before
    std::deque<std::string> reads_;
    std::map<std::string, std::optional<NodeDetails>> details_; // by node; without while it is being read
    std::vector<std::string> forgotten_;
    std::string open_;
    std::size_t in_flight_ = 0;
    bool root_exists_ = true;
};

} // namespace docent::cli
