// SPDX-License-Identifier: Apache-2.0

// When the follower learns. What it learns is seen by nobody but those who are there, so that it learns no earlier than they
// can see it.

#include "picture/peek.hpp"
#include "small_world.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <variant>

namespace docent::explorer {
namespace {

/// What somebody can see of changes.
struct Changes {
    std::set<std::string> paths;   // that come, go or change
    std::set<std::string> parents; // whose children do
    std::set<std::int64_t> ends;   // of sessions
};

Changes unseen_changes(const detail::FakeEnsemble& ensemble) {
    Changes changes;
    const auto add = [&](const std::string& path) {
        changes.paths.insert(path);
        changes.parents.insert(std::string(parent_path(path)));
    };
    ensemble.for_each_unseen_by(1, [&](std::int64_t, const detail::FakeTxn& change) {
        std::visit(
            [&](const auto& each) {
                if constexpr (requires { each.path; }) add(each.path);
                else changes.ends.insert(each.session);
            },
            change);
    });
    for (const auto& [path, node] : ensemble.seen_by(1).nodes()) { // what is made and goes with its session later is there
        if (changes.ends.contains(node.stat.ephemeral_owner)) add(path);
    }
    return changes;
}

bool may_see(const Changes& changes, const std::string& path) {
    return changes.paths.contains(path) || changes.parents.contains(path);
}

} // namespace

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
    return !client(index).linked();
}

/// It may connect again one day.
bool SmallWorld::may_move(std::size_t index) {
    const bool stays = client(index).linked() && ensemble().alive(client(index).session().session_id) && !parts_[index].silent;
    return faults_left_ > 0 || !stays;
}

bool SmallWorld::follower_may_matter() {
    return anybody(&SmallWorld::is_at_follower) || anybody(&SmallWorld::may_move);
}

/// It waits for a read of what the follower has not learned of yet. For what passes the leader the follower learns it all.
bool SmallWorld::reads_what_changes(std::size_t index) {
    if (reductions_.dooms && parts_[index].doomed) return false;
    const auto* const request = is_at_follower(index) ? next_request(client(index)) : nullptr;
    return request && !zk::passes_leader(*request) && may_see(unseen_changes(ensemble()), zk::path_of(*request));
}

/// It will see something of what the follower has to learn; and not just the same when its server passes on what it has asked
/// for, unless something can go wrong before that.
bool SmallWorld::needs_news(std::size_t index) {
    if (!is_at_follower(index) || (reductions_.dooms && parts_[index].doomed)) return false;
    if (reads_what_changes(index)) return true;
    const auto* const request = next_request(client(index));
    if (request && zk::passes_leader(*request) && faults_left_ == 0 && !parts_[index].silent) return false;
    const auto changes = unseen_changes(ensemble());
    const auto watched = watched_paths(client(index));
    return changes.ends.contains(client(index).session().session_id) ||
           std::any_of(watched.begin(), watched.end(), [&](const auto& path) { return may_see(changes, path); });
}

/// When nobody is there, those who connect choose how much it has learned: news_for().
bool SmallWorld::follower_learns() {
    if (!ensemble().lags(1)) return false;
    const bool is_visited = anybody(&SmallWorld::is_at_follower);
    const bool is_awaited = anybody(&SmallWorld::is_away);
    if (!reductions_.orders) return is_visited || is_awaited;
    return is_visited && (is_awaited || anybody(&SmallWorld::needs_news));
}

/// How many changes it may have learned of when the client connects: at least those that it must know to take it.
SmallWorld::News SmallWorld::news_for(std::size_t index) {
    if (!reductions_.orders || anybody(&SmallWorld::is_at_follower)) return {};
    std::set<std::int64_t> zxids;
    ensemble().for_each_unseen_by(1, [&](std::int64_t zxid, const auto&) { zxids.insert(zxid); });
    const auto wanted = zxids.upper_bound(last_zxid(client(index)));
    return {static_cast<std::size_t>(std::distance(zxids.begin(), wanted)), zxids.size()};
}

/// One change; or all until somebody can see something, if nobody can read anything in between.
void SmallWorld::learn() {
    const bool one_by_one = !reductions_.orders || anybody(&SmallWorld::is_away) || anybody(&SmallWorld::reads_what_changes);
    const auto arrived = [&] {
        std::size_t count = 0;
        for (std::size_t index = 0; index < parts_.size(); ++index) {
            if (!reductions_.dooms || !parts_[index].doomed) count += arrivals(client(index));
        }
        return count;
    };
    const auto before = arrived();
    do ensemble().learn_one(1);
    while (!one_by_one && ensemble().lags(1) && arrived() == before);
}

/// A follower to which nobody is connected knows as much already as it must know for anybody who may connect.
void SmallWorld::let_follower_catch_up() {
    if (!reductions_.orders || anybody(&SmallWorld::is_at_follower)) return;
    auto wanted = std::numeric_limits<std::int64_t>::max();
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!is_over(index) && may_move(index)) wanted = std::min(wanted, last_zxid(client(index)));
    }
    while (ensemble().lags(1) && ensemble().seen_by(1).zxid() < wanted) ensemble().learn_one(1);
}

} // namespace docent::explorer
