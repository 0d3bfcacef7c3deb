// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/wait_graph.hpp"

#include "cli/view/shown.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace docent::cli {
namespace {

constexpr auto nowhere = static_cast<std::size_t>(-1);

/// Whether `other` is ahead of `waiter` in its queue and excludes it.
bool is_ahead(const Participant& other, const Participant& waiter) {
    const bool same_queue = other.recipe == waiter.recipe && other.kind != ParticipantKind::lease;
    const bool both_read = other.kind == ParticipantKind::read && waiter.kind == ParticipantKind::read;
    return same_queue && other.position < waiter.position && !both_read;
}

/// The permits that `waiter` waits for (any of them is enough); none unless it is the first at a gate.
std::vector<const Participant*> permits_for(const LockState& lock, const Participant& waiter) {
    std::vector<const Participant*> permits;
    if (!is_at_gate(waiter) || waiter.position != 0) return permits;
    for (const Participant& one : lock.participants) {
        if (one.kind == ParticipantKind::lease && !is_reserved(one, waiter)) permits.push_back(&one);
    }
    return permits;
}

/// "a/b" is below "a".
bool is_at_or_below(std::string_view owner, std::string_view above) {
    return owner.starts_with(above) && (owner.size() == above.size() || owner[above.size()] == '/');
}

/// Whether, by their nodes, `holder` releases only after `waiter` has had its turn.
bool is_tied(const Participant& holder, const Participant& waiter, Tie tie) {
    if (!holder.owner.empty() && !waiter.owner.empty()) return is_at_or_below(waiter.owner, holder.owner);
    return tie == Tie::session && holder.session_id == waiter.session_id;
}

/// Whether the two may belong to one thread: they have one session, and not both have an owner.
bool may_be_same(const Participant& one, const Participant& other) {
    return one.session_id == other.session_id && (one.owner.empty() || other.owner.empty());
}

/// The waiters at some locks, and which of them are stuck.
class Waiters {
public:
    Waiters(const std::vector<LockState>& locks, Tie tie) : tie_(tie) {
        for (const LockState& lock : locks) {
            for (const Participant& one : lock.participants) {
                if (one.holds && !is_at_gate(one)) continue;
                numbers_.emplace(&one, waiters_.size());
                waiters_.push_back({&lock, &one, permits_for(lock, one)});
            }
        }
        for (std::size_t i = 0; i < waiters_.size(); ++i) {
            of_session_[waiters_[i].participant->session_id].push_back(i);
            for (std::string_view owner = waiters_[i].participant->owner; !owner.empty();) { // with the owners above it
                of_owner_[owner].push_back(i);
                const auto end = owner.rfind('/');
                owner = owner.substr(0, end == std::string_view::npos ? 0 : end);
            }
        }
        while (free_those_who_can_go()) {
        }
    }

    std::vector<Wait> stuck_waits() const {
        std::vector<Wait> waits;
        for (const Waiter& waiter : waiters_) {
            if (!waiter.stuck) continue;
            bool behind_another = false; // a nearer waiter already waits for the participants further ahead
            const auto add = [&](const Participant& ahead) {
                const bool waits_too = numbers_.contains(&ahead);
                if ((waits_too && behind_another) || !hinders(ahead, waiter)) return;
                behind_another = behind_another || (waits_too && ahead.kind != ParticipantKind::read);
                waits.push_back({waiter.lock->path, *waiter.participant, ahead});
            };
            const auto& all = waiter.lock->participants;
            std::for_each(all.rbegin(), all.rend(), [&](const Participant& one) { // from the nearest
                if (is_ahead(one, *waiter.participant)) add(one);
            });
            for (const Participant* permit : waiter.permits) add(*permit);
        }
        return waits;
    }

private:
    struct Waiter {
        const LockState* lock;
        const Participant* participant;
        std::vector<const Participant*> permits; // that it waits for
        bool stuck = true;
    };

    /// Whether `one` is in the way of `waiter`, and cannot go on.
    bool hinders(const Participant& one, const Waiter& waiter) const {
        const auto own = numbers_.find(&one);
        const bool waits_too = own != numbers_.end();
        if (waits_too && waiters_[own->second].stuck) return true;
        // A waiter that can go on will hold the lock. With Tie::session, its session may then wait at another place, so look
        // there. An owner waits at one place at a time, or gives one up.
        if (waits_too && (tie_ == Tie::owner || is_tied(one, *waiter.participant, tie_))) return false;
        return !may_be_same(one, *waiter.participant) && is_held_up(one);
    }
    bool is_held_up(const Participant& holder) const {
        const auto any = [&](const auto& waiters, const auto& key) {
            const auto found = waiters.find(key);
            return found != waiters.end() && std::any_of(found->second.begin(), found->second.end(), [&](std::size_t i) {
                       return waiters_[i].stuck && is_tied(holder, *waiters_[i].participant, tie_);
                   });
        };
        return (!holder.owner.empty() && any(of_owner_, std::string_view(holder.owner))) ||
               (tie_ == Tie::session && any(of_session_, holder.session_id));
    }
    bool can_go(const Waiter& waiter) const {
        const auto& all = waiter.lock->participants;
        const auto& permits = waiter.permits;
        return std::none_of(
                   all.rbegin(), all.rend(),
                   [&](const Participant& one) { return is_ahead(one, *waiter.participant) && hinders(one, waiter); }) &&
               (permits.empty() ||
                !std::all_of(permits.begin(), permits.end(), [&](const Participant* one) { return hinders(*one, waiter); }));
    }
    bool free_those_who_can_go() {
        bool any = false;
        for (Waiter& waiter : waiters_) { // in the order of the queues: one round can free a whole queue
            if (!waiter.stuck || !can_go(waiter)) continue;
            waiter.stuck = false;
            any = true;
        }
        return any;
    }

    const Tie tie_;
    std::vector<Waiter> waiters_;
    std::unordered_map<const Participant*, std::size_t> numbers_; // the index in waiters_
    std::map<std::int64_t, std::vector<std::size_t>> of_session_;
    std::map<std::string_view, std::vector<std::size_t>> of_owner_; // by an owner: the waiters at or below it
};

bool is_there(const Participant& one, const LockState& lock) {
    return std::any_of(lock.participants.begin(), lock.participants.end(), [&](const Participant& other) {
        return other.node_path == one.node_path && other.session_id == one.session_id && other.holds == one.holds;
    });
}

/// A graph: its vertices are waiters, its edges are waits.
class WaitGraph {
public:
    WaitGraph(const std::vector<Wait>& waits, Tie tie) : waits_(waits), tie_(tie) {
        std::map<std::string_view, std::size_t> numbers; // of the waiters, in their order
        for (std::size_t i = 0; i < waits.size(); ++i) {
            const auto [place, is_new] = numbers.emplace(waits[i].waiter.node_path, waits_of_.size());
            if (is_new) waits_of_.emplace_back();
            waits_of_[place->second].push_back(i);
        }
        tied_.resize(waits_of_.size());
        std::map<std::string_view, std::size_t> places; // index in after_, by the node waited for
        after_of_.reserve(waits.size());
        for (const Wait& wait : waits) {
            const auto [known, is_new] = places.emplace(wait.ahead.node_path, after_.size());
            after_of_.push_back(known->second);
            if (!is_new) continue;
            auto& after = after_.emplace_back();
            const auto found = numbers.find(wait.ahead.node_path);
            const std::size_t itself = found == numbers.end() ? nowhere : found->second;
            if (itself != nowhere) after.push_back(itself);
            if (itself != nowhere && tie == Tie::owner) continue;
            for (std::size_t other = 0; other < waits_of_.size(); ++other) {
                if (other == itself || !is_tied(wait.ahead, waits[waits_of_[other].front()].waiter, tie)) continue;
                after.push_back(other);
                tied_[other] = true;
            }
        }
    }

    /// See cli::cycles().
    std::vector<std::vector<Wait>> cycles() const {
        std::vector<std::vector<Wait>> found;
        std::set<std::string> in_cycle; // nodes of waiters in a cycle that was found
        for (std::size_t waiter = 0; waiter < waits_of_.size(); ++waiter) {
            if (!tied_[waiter] || in_cycle.contains(node(waiter))) continue;
            auto cycle = cycle_with(waiter);
            if (cycle.empty()) continue; // the waiter is not in a cycle, but may wait for one
            const bool is_new = std::none_of(cycle.begin(), cycle.end(),
                                             [&](const Wait& wait) { return in_cycle.contains(wait.waiter.node_path); });
            for (const Wait& wait : cycle) in_cycle.insert(wait.waiter.node_path);
            if (is_new) found.push_back(std::move(cycle));
        }
        return found;
    }

private:
    const std::string& node(std::size_t waiter) const { return waits_[waits_of_[waiter].front()].waiter.node_path; }

    /// The shortest cycle that contains `waiter`; empty if there is none. Begins with its first wait in waits_.
    std::vector<Wait> cycle_with(std::size_t waiter) const {
        std::vector<std::size_t> came_by(waits_of_.size(), nowhere);   // the wait that leads here
        std::vector<std::size_t> came_from(waits_of_.size(), nowhere); // the waiter of that wait
        std::deque<std::size_t> frontier{waiter};
        while (!frontier.empty() && came_by[waiter] == nowhere) {
            const std::size_t at = frontier.front();
            frontier.pop_front();
            for (const std::size_t wait : waits_of_[at]) {
                for (const std::size_t next : after_[after_of_[wait]]) {
                    if (came_by[next] != nowhere || (is_behind_itself(wait) && node(next) != waits_[wait].ahead.node_path))
                        continue;
                    came_by[next] = wait;
                    came_from[next] = at;
                    frontier.push_back(next);
                }
            }
        }
        if (came_by[waiter] == nowhere) return {};
        std::vector<std::size_t> order; // the waiters of the cycle, backwards
        for (std::size_t at = waiter; order.empty() || at != waiter; at = came_from[at]) order.push_back(at);
        std::reverse(order.begin(), order.end());
        std::vector<Wait> cycle;
        cycle.reserve(order.size());
        std::rotate(order.begin(), std::min_element(order.begin(), order.end()), order.end());
        // The wait that leads to a waiter is a wait of the waiter before it in the cycle.
        for (std::size_t i = 0; i < order.size(); ++i) cycle.push_back(waits_[came_by[order[(i + 1) % order.size()]]]);
        return cycle;
    }

    /// Whether the waiter waits for another attempt of its own. This alone is not a cycle.
    bool is_behind_itself(std::size_t wait) const {
        const auto& [lock, waiter, ahead] = waits_[wait];
        return !ahead.holds && is_tied(ahead, waiter, tie_);
    }

    const std::vector<Wait>& waits_;
    const Tie tie_;
    std::vector<std::vector<std::size_t>> waits_of_;
    std::vector<bool> tied_;                      // by waiter: tied to a participant ahead; each cycle has such a waiter
    std::vector<std::vector<std::size_t>> after_; // the waiters that can be next after a participant ahead
    std::vector<std::size_t> after_of_;           // for each wait, the index in after_
};

} // namespace

bool is_run_by(const Participant& one, const Participant& holder) {
    return holder.holds && !holder.owner.empty() && one.owner != holder.owner && is_at_or_below(one.owner, holder.owner);
}

std::vector<LockState> in_both(const std::vector<LockState>& first, const std::vector<LockState>& second) {
    std::vector<LockState> both;
    for (const LockState& then : first) {
        const auto now =
            std::find_if(second.begin(), second.end(), [&](const LockState& lock) { return lock.path == then.path; });
        if (now == second.end()) continue;
        const bool permit_is_free =
            std::any_of(then.participants.begin(), then.participants.end(),
                        [&](const Participant& one) { return one.kind == ParticipantKind::lease && !is_there(one, *now); });
        LockState kept{then.path, {}};
        for (const Participant& one : then.participants) {
            const bool may_go = permit_is_free && is_at_gate(one); // the waiter goes on when it hears of the free permit
            if (is_there(one, *now) && !may_go) kept.participants.push_back(one);
        }
        both.push_back(std::move(kept));
    }
    return both;
}

std::vector<Wait> stuck_waits(const std::vector<LockState>& locks, Tie tie) {
    return Waiters(locks, tie).stuck_waits();
}

std::vector<std::vector<Wait>> cycles(const std::vector<Wait>& waits, Tie tie) {
    return WaitGraph(waits, tie).cycles();
}

std::vector<Deadlock> find_deadlocks(const std::vector<LockState>& locks) {
    std::vector<Deadlock> found;
    std::set<std::string> certain;
    for (auto& cycle : cycles(stuck_waits(locks, Tie::owner), Tie::owner)) {
        for (const Wait& wait : cycle) certain.insert(wait.waiter.node_path);
        found.push_back({std::move(cycle), true});
    }
    for (auto& cycle : cycles(stuck_waits(locks, Tie::session), Tie::session)) {
        const bool is_told =
            std::any_of(cycle.begin(), cycle.end(), [&](const Wait& wait) { return certain.contains(wait.waiter.node_path); });
        if (!is_told) found.push_back({std::move(cycle), false});
    }
    return found;
}

} // namespace docent::cli
