// SPDX-License-Identifier: Apache-2.0

// Decides when the follower learns changes. Only clients at the follower can see that it has learned. So it learns a change no
// earlier than a client can see the difference.

#include "names/node_name.hpp"
#include "picture/peek.hpp"
#include "small_world.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <variant>

namespace docent::explorer {

/// Returns the changes that the follower still lacks, as far as a client may see them.
SmallWorld::Changes SmallWorld::unseen_changes() {
    Changes changes;
    const auto add = [&](const std::string& path) {
        changes.paths.insert(path);
        changes.parents.insert(std::string(parent_path(path)));
    };
    const auto visitors = this->visitors();
    ensemble().for_each_unseen_by(1, [&](std::int64_t zxid, const detail::TreeTxn& change) {
        if (!is_news(visitors, change, zxid)) return;
        const auto* const end = std::get_if<detail::TreeEndSession>(&change);
        if (!end)
            return std::visit(
                [&](const auto& each) {
                    if constexpr (requires { each.path; }) add(each.path);
                },
                change);
        changes.ends.insert(end->session);
        for (const auto& [path, node] :
             ensemble().seen_by(1).nodes()) { // nodes that are created later were added by their creates
            const bool goes = node.stat.ephemeral_owner == end->session;
            if (goes && (!reductions_.news || is_looked_at(visitors, path, end->session, zxid))) add(path);
        }
    });
    return changes;
}

bool SmallWorld::anybody(bool (SmallWorld::*is)(std::size_t)) {
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!is_over(index) && (this->*is)(index)) return true;
    }
    return false;
}

bool SmallWorld::is_at_follower(std::size_t index) {
    return client(index).server() == 1u;
}

bool SmallWorld::is_away(std::size_t index) {
    return !client(index).linked() && may_visit(index);
}

/// Returns true if the client may connect again.
bool SmallWorld::may_move(std::size_t index) {
    const bool stays = client(index).linked() && ensemble().alive(client(index).session().session_id) && !parts_[index].silent;
    return faults_left_ > 0 || parts_[index].doomed || !stays;
}

/// Returns true if the client may read the follower's data: it is connected there, or may connect with its present session. A
/// new session first sends a request that passes the leader, and this brings the follower up to date.
bool SmallWorld::may_visit(std::size_t index) {
    if (!reductions_.news) return is_at_follower(index) || may_move(index);
    return is_at_follower(index) || (may_move(index) && ensemble().alive(client(index).session().session_id));
}

bool SmallWorld::follower_may_matter() {
    return anybody(&SmallWorld::may_visit);
}

/// Returns true if this change of a node matters to the client. The client owns the node, or reads or watches the node or the
/// list of its parent. Or a contender of the client waits to be admitted in this queue, and the node may be ahead of it.
/// Exceptions: a change as old as what the client has seen, because the follower has it before it accepts the client. And any
/// change before the first request of a new session, because this request brings the follower up to date.
bool SmallWorld::looks_at(std::size_t index, const std::string& path, std::int64_t owner, std::int64_t zxid) {
    const auto& own = client(index);
    if (reductions_.places && !is_at_follower(index) && zxid <= own.last_zxid()) return false;
    if (reductions_.places && parts_[index].is_new) return false;
    const std::string parent(parent_path(path));
    const bool is_own_node = owner == own.session().session_id && own.is_own(path);
    if (is_own_node || own.asks_about(path)) return true;
    const bool is_of_claim = path.find("/_c_") != std::string::npos;
    if (is_of_claim && is_queue(parent) && !own.watches_list(parent) && !may_be_in_its_way(index, path, zxid)) return false;
    if (own.asks_about(parent)) return true;
    if (path == detail::Ledger::path) return false; // the ledger is only written
    return any_contender_of(
        index, [&](const Contender& one) { return is_of_claim ? one.wants_in() && is_queue(parent) : !one.is_deaf(); });
}

/// Returns true if the client looks only at the nodes of this queue that are ahead of its nodes. Exceptions: three waiters of a
/// client know of other nodes, too, a keeper looks behind its node, and permits are counted.
bool SmallWorld::goes_by_place(std::size_t index, const std::string& queue) {
    return !is_counted(queue) && looks_from_its_nodes(index);
}

bool SmallWorld::is_counted(const std::string& queue) const {
    return plan_.limit > 0 && queue == "/s/leases";
}

/// Returns true if the client looks only ahead of its nodes. If it has no node, lists tell it nothing.
bool SmallWorld::looks_from_its_nodes(std::size_t index) {
    return reductions_.places && at_work(index) <= 2 && !keeps(index);
}

/// Returns true if the node may be ahead of one of the client's nodes. The follower knows this node, or learns of it before
/// this change.
bool SmallWorld::may_be_in_its_way(std::size_t index, const std::string& path, std::int64_t zxid) {
    if (!looks_from_its_nodes(index)) return true;
    const auto queue = parent_path(path);
    const bool whole = is_counted(std::string(queue));
    const auto session = client(index).session().session_id;
    const auto is_from_there = [&](const std::string& other, std::int64_t owner) {
        return owner == session && parent_path(other) == queue &&
               (whole || detail::number_text(path) <= detail::number_text(other)) && client(index).is_own(other);
    };
    const auto& nodes = ensemble().seen_by(1).nodes();
    bool is_in_its_way = std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) {
        return is_from_there(node.first, node.second.stat.ephemeral_owner);
    });
    ensemble().for_each_unseen_create_by(1, [&](std::int64_t made_at, const detail::TreeCreate& made) {
        is_in_its_way = is_in_its_way || (made_at < zxid && is_from_there(made.path, made.owner));
    });
    return is_in_its_way;
}

/// Counts the client's contenders that are not done.
std::size_t SmallWorld::at_work(std::size_t index) const {
    return static_cast<std::size_t>(std::count_if(contenders_.begin(), contenders_.end(), [&](const Contender& one) {
        return one.client() == index && one.state() != Contender::State::done;
    }));
}

bool SmallWorld::is_queue(const std::string& path) const {
    const auto& queues = plan_.queues;
    return std::any_of(queues.begin(), queues.end(), [&](const auto& queue) { return queue.first == path; });
}

/// Returns the owner of a node that the follower knows, or will learn of.
std::int64_t SmallWorld::owner_of(const std::string& path) {
    if (const auto* const node = ensemble().seen_by(1).find(path)) return node->stat.ephemeral_owner;
    std::int64_t owner = 0;
    ensemble().for_each_unseen_create_by(1, [&](std::int64_t, const detail::TreeCreate& made) {
        if (made.path == path) owner = made.owner;
    });
    return owner;
}

/// Returns the clients that are at the follower, or may come there.
SmallWorld::Visitors SmallWorld::visitors() {
    Visitors all;
    all.reserve(parts_.size());
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!is_over(index) && may_visit(index)) all.push_back(index);
    }
    return all;
}

/// Returns true if one of these clients looks at the node.
bool SmallWorld::is_looked_at(const Visitors& visitors, const std::string& path, std::int64_t owner, std::int64_t zxid) {
    return std::any_of(visitors.begin(), visitors.end(), [&](std::size_t index) { return looks_at(index, path, owner, zxid); });
}

/// Returns true if the session belongs to one of these clients, or if one of them looks at a node of the session.
bool SmallWorld::is_looked_at(const Visitors& visitors, const detail::TreeEndSession& end, std::int64_t zxid) {
    const bool is_theirs = std::any_of(visitors.begin(), visitors.end(),
                                       [&](std::size_t index) { return end.session == client(index).session().session_id; });
    if (is_theirs) return true;
    const auto& nodes = ensemble().seen_by(1).nodes();
    bool is_seen = std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) {
        return node.second.stat.ephemeral_owner == end.session && is_looked_at(visitors, node.first, end.session, zxid);
    });
    ensemble().for_each_unseen_create_by(
        1, [&](std::int64_t, const detail::TreeCreate& made) { // or a later node of the session
            is_seen = is_seen || (made.owner == end.session && is_looked_at(visitors, made.path, end.session, zxid));
        });
    return is_seen;
}

/// Returns true if a client may see the change at the follower before the follower learns more.
bool SmallWorld::is_news(const Visitors& visitors, const detail::TreeTxn& change, std::int64_t zxid) {
    if (!reductions_.news) return true;
    if (const auto* const end = std::get_if<detail::TreeEndSession>(&change)) return is_looked_at(visitors, *end, zxid);
    const auto* const count = std::get_if<detail::TreeCount>(&change);
    return count || std::visit(
                        [&](const auto& each) {
                            if constexpr (requires { each.path; })
                                return is_looked_at(visitors, each.path, owner_of(each.path), zxid);
                            else return false;
                        },
                        change);
}

/// Returns the changes that the follower still lacks, by transaction. Each entry has only the changes that are news.
std::vector<SmallWorld::Unseen> SmallWorld::unseen() {
    std::vector<Unseen> all;
    if (!ensemble().lags(1)) return all;
    const auto visitors = this->visitors();
    ensemble().for_each_unseen_by(1, [&](std::int64_t zxid, const detail::TreeTxn& change) {
        if (all.empty() || all.back().zxid != zxid) all.push_back({zxid, {}});
        if (is_news(visitors, change, zxid)) all.back().news.push_back(&change);
    });
    return all;
}

/// The follower learns changes at once if no client would look at them.
void SmallWorld::learn_what_is_no_news() {
    if (!reductions_.orders || !reductions_.news) return;
    while (ensemble().lags(1)) {
        const auto visitors = this->visitors();
        const auto is_first = [first = ensemble().seen_by(1).zxid() + 1](std::int64_t zxid) { return zxid == first; };
        bool comes_news = false;
        ensemble().for_each_unseen_by(1, [&](std::int64_t zxid, const detail::TreeTxn& change) {
            comes_news = comes_news || (is_first(zxid) && is_news(visitors, change, zxid));
        });
        if (comes_news) return;
        ensemble().learn_one(1);
    }
}

/// Returns true if the client only removes nodes, now and later: its contenders had their locks, and release them.
bool SmallWorld::asks_leader_only(std::size_t index) {
    if (!reductions_.removals || may_move(index) || is_over(index) || keeps(index)) return false;
    if (client(index).session().state != SessionState::connected) return false;
    if (!only_removes(client(index)) || client(index).watches_others()) return false;
    return !any_contender_of(index, [](const Contender& one) { return one.wants_in() || one.is_busy(); });
}

/// Returns true if the client waits for a read of data that the follower still lacks. Before a request that passes the leader,
/// the follower learns everything.
bool SmallWorld::reads_what_changes(std::size_t index) {
    if (reductions_.dooms && parts_[index].doomed) return false;
    const auto* const request = is_at_follower(index) ? client(index).request_to_serve() : nullptr;
    return request && !zk::passes_leader(*request) && may_see(unseen_changes(), zk::path_of(*request));
}

/// Returns true if the client will see a change that the follower still lacks. Exception: its next request passes the leader,
/// and nothing can go wrong before that. Then the client sees the same.
bool SmallWorld::needs_news(std::size_t index) {
    if (!is_at_follower(index) || (reductions_.dooms && parts_[index].doomed)) return false;
    if (reads_what_changes(index)) return true;
    const auto* const request = client(index).request_to_serve();
    if (request && zk::passes_leader(*request) && faults_left_ == 0 && !parts_[index].silent) return false;
    const auto changes = unseen_changes();
    const auto watched = client(index).watched_paths();
    return changes.ends.contains(client(index).session().session_id) ||
           std::any_of(watched.begin(), watched.end(), [&](const auto& path) { return may_see(changes, path); });
}

/// If no client is at the follower, a client that connects chooses how much the follower has learned: see learned_before().
bool SmallWorld::follower_learns() {
    if (!ensemble().lags(1)) return false;
    const bool is_visited = anybody(&SmallWorld::is_at_follower);
    const bool is_awaited = anybody(&SmallWorld::is_away);
    if (!reductions_.orders) return is_visited || is_awaited;
    return is_visited && (is_awaited || anybody(&SmallWorld::needs_news));
}

/// Returns the numbers of changes that the follower may have learned when the client connects. The follower must know enough
/// to accept the client. Larger numbers count only if the next change is news, or if there is none.
std::vector<std::size_t> SmallWorld::learned_before(std::size_t index, bool is_unseen) {
    if (!reductions_.orders || anybody(&SmallWorld::is_at_follower)) return {0};
    std::vector<std::size_t> counts;
    const auto changes = unseen();
    const auto seen = client(index).last_zxid();
    for (std::size_t n = 0; n <= changes.size(); ++n) {
        const bool is_enough = n == changes.size() || changes[n].zxid > seen;
        if (is_enough && (n == changes.size() || !changes[n].news.empty())) counts.push_back(n);
    }
    if (is_unseen || (reductions_.news && !ensemble().alive(client(index).session().session_id))) counts.resize(1);
    return counts;
}

/// Learns one change. If no client can read anything in between, learns changes until a client can see one.
void SmallWorld::learn() {
    const bool one_by_one = !reductions_.orders || anybody(&SmallWorld::is_away) || anybody(&SmallWorld::reads_what_changes);
    const auto arrived = [&] {
        std::size_t count = 0;
        for (std::size_t index = 0; index < parts_.size(); ++index) {
            if (reductions_.dooms && parts_[index].doomed) continue;
            count += client(index).arrivals() + (client(index).has_lost_event() || client(index).misses_event() ? 1 : 0);
        }
        return count;
    };
    const auto before = arrived();
    do ensemble().learn_one(1);
    while (!one_by_one && ensemble().lags(1) && arrived() == before);
}

/// If no client is at the follower, the follower learns the changes that every client requires to connect.
void SmallWorld::let_follower_catch_up() {
    if (!reductions_.orders || anybody(&SmallWorld::is_at_follower)) return;
    auto wanted = std::numeric_limits<std::int64_t>::max();
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!is_over(index) && may_visit(index)) wanted = std::min(wanted, client(index).last_zxid());
    }
    while (ensemble().lags(1) && ensemble().seen_by(1).zxid() < wanted) ensemble().learn_one(1);
}

} // namespace docent::explorer
