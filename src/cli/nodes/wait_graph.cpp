// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/wait_graph.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace docent::cli {
namespace {

/// One who waits, and for whom: for all of them, or for one of the holders of permits.
struct Wish {
    std::string lock;
    Participant waiter;
    std::vector<Participant> all;
    std::vector<Participant> any;
};

bool go_together(const Participant& one, const Participant& other) {
    return one.kind == ParticipantKind::read && other.kind == ParticipantKind::read;
}

bool is_at_gate(const Participant& one) {
    return one.recipe == RecipeKind::semaphore && one.kind == ParticipantKind::lock;
}

/// By the one at the gate, who waits for others' to come back (Participant::holds).
bool is_reserved(const Participant& lease, const Participant& at_gate) {
    return lease.session_id == at_gate.session_id && lease.fencing_token > at_gate.fencing_token;
}

std::vector<Wish> wishes_at(const LockState& lock) {
    std::vector<Wish> wishes;
    std::vector<Participant> leases;
    for (const Participant& one : lock.participants) {
        if (one.kind == ParticipantKind::lease) leases.push_back(one);
    }
    for (const Participant& one : lock.participants) {
        const bool at_gate = is_at_gate(one);
        if (one.holds && !at_gate) continue;
        Wish wish{lock.path, one, {}, {}};
        for (const Participant& other : lock.participants) {
            const bool same_queue = other.recipe == one.recipe && other.kind != ParticipantKind::lease;
            if (same_queue && other.position < one.position && !go_together(one, other)) wish.all.push_back(other);
        }
        if (at_gate && one.position == 0) {
            for (const Participant& lease : leases) {
                if (!is_reserved(lease, one)) wish.any.push_back(lease);
            }
        }
        wishes.push_back(std::move(wish));
    }
    return wishes;
}

class Sessions {
public:
    explicit Sessions(const std::vector<Wish>& wishes) {
        for (const Wish& wish : wishes) stuck_.insert(wish.waiter.session_id);
        while (free_those_who_can_go(wishes)) {
        }
    }
    bool is_stuck(const Participant& one) const { return stuck_.contains(one.session_id); }
    /// Whether `one` stands in the way of `waiter`.
    bool hinders(const Participant& one, const Participant& waiter) const {
        return one.session_id != waiter.session_id && is_stuck(one);
    }

private:
    bool can_go(const Wish& wish) const {
        const auto hinders_it = [&](const Participant& one) { return hinders(one, wish.waiter); };
        const bool has_turn = std::none_of(wish.all.begin(), wish.all.end(), hinders_it);
        return has_turn && (wish.any.empty() || !std::all_of(wish.any.begin(), wish.any.end(), hinders_it));
    }
    bool free_those_who_can_go(const std::vector<Wish>& wishes) {
        std::set<std::int64_t> still;
        for (const Wish& wish : wishes) {
            if (is_stuck(wish.waiter) && !can_go(wish)) still.insert(wish.waiter.session_id);
        }
        const bool fewer = still.size() < stuck_.size();
        stuck_ = std::move(still);
        return fewer;
    }

    std::set<std::int64_t> stuck_;
};

const LockState* find(const std::vector<LockState>& locks, const std::string& path) {
    const auto found = std::find_if(locks.begin(), locks.end(), [&](const LockState& lock) { return lock.path == path; });
    return found == locks.end() ? nullptr : &*found;
}

bool is_there(const Participant& one, const LockState& lock) {
    return std::any_of(lock.participants.begin(), lock.participants.end(), [&](const Participant& other) {
        return other.node_path == one.node_path && other.session_id == one.session_id && other.holds == one.holds;
    });
}

/// The shortest way from the end of `first` to its beginning, with it in front; nothing if there is none.
std::optional<std::vector<Wait>> circle_through(const Wait& first, const std::vector<Wait>& waits) {
    std::map<std::int64_t, const Wait*> came_by{{first.ahead.session_id, nullptr}};
    std::deque<std::int64_t> open{first.ahead.session_id};
    while (!open.empty() && !came_by.contains(first.waiter.session_id)) {
        const auto session = open.front();
        open.pop_front();
        for (const Wait& wait : waits) {
            if (wait.waiter.session_id != session) continue;
            if (came_by.emplace(wait.ahead.session_id, &wait).second) open.push_back(wait.ahead.session_id);
        }
    }
    if (!came_by.contains(first.waiter.session_id)) return std::nullopt;
    std::vector<Wait> circle;
    for (const Wait* wait = came_by[first.waiter.session_id]; wait; wait = came_by[wait->waiter.session_id]) {
        circle.push_back(*wait);
    }
    circle.push_back(first);
    std::reverse(circle.begin(), circle.end());
    return circle;
}

} // namespace

std::vector<LockState> in_both(const std::vector<LockState>& first, const std::vector<LockState>& second) {
    std::vector<LockState> both;
    for (const LockState& then : first) {
        const LockState* const now = find(second, then.path);
        if (!now) continue;
        const bool permit_is_free =
            std::any_of(then.participants.begin(), then.participants.end(),
                        [&](const Participant& one) { return one.kind == ParticipantKind::lease && !is_there(one, *now); });
        LockState kept{then.path, {}};
        for (const Participant& one : then.participants) {
            const bool may_go = permit_is_free && is_at_gate(one); // who waits for one has only to hear of it
            if (is_there(one, *now) && !may_go) kept.participants.push_back(one);
        }
        both.push_back(std::move(kept));
    }
    return both;
}

std::vector<Wait> stuck_waits(const std::vector<LockState>& locks) {
    std::vector<Wish> wishes;
    for (const LockState& lock : locks) {
        for (Wish& wish : wishes_at(lock)) wishes.push_back(std::move(wish));
    }
    const Sessions sessions(wishes);
    std::vector<Wait> waits;
    for (const Wish& wish : wishes) {
        if (!sessions.is_stuck(wish.waiter)) continue;
        for (const auto* ahead : {&wish.all, &wish.any}) {
            for (const Participant& one : *ahead) {
                if (sessions.hinders(one, wish.waiter)) waits.push_back({wish.lock, wish.waiter, one});
            }
        }
    }
    return waits;
}

std::vector<std::vector<Wait>> circles(const std::vector<Wait>& waits) {
    std::vector<std::vector<Wait>> found;
    std::set<std::int64_t> told;
    for (const Wait& first : waits) {
        if (told.contains(first.waiter.session_id)) continue;
        auto circle = circle_through(first, waits);
        for (const Wait& other : waits) { // a shorter one that begins here
            if (other.waiter.session_id != first.waiter.session_id) continue;
            auto shorter = circle_through(other, waits);
            if (shorter && (!circle || shorter->size() < circle->size())) circle = std::move(shorter);
        }
        if (!circle) continue; // it waits for those in a circle
        const bool is_new = std::none_of(circle->begin(), circle->end(),
                                         [&](const Wait& wait) { return told.contains(wait.waiter.session_id); });
        for (const Wait& wait : *circle) told.insert(wait.waiter.session_id);
        if (is_new) found.push_back(std::move(*circle));
    }
    return found;
}

} // namespace docent::cli
