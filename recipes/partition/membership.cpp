// SPDX-License-Identifier: Apache-2.0
#include "partition/membership.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace docent::detail {

void Membership::forget() {
    present_.clear();
    changes_.clear();
}

/// Notes the differences between the present members and the members that count. A difference that was there before keeps
/// its time.
void Membership::on_seen(std::optional<Weights> counted_members, Weights present, Time now) {
    counted_ = std::move(counted_members);
    present_ = std::move(present);
    std::map<std::string, Change, std::less<>> changes;
    const auto note = [&](const std::string& id, std::optional<std::uint32_t> weight) {
        const auto before = changes_.find(id);
        const bool is_known = before != changes_.end() && before->second.weight == weight;
        changes.emplace(id, Change{weight, is_known ? before->second.since : now});
    };
    const Weights none;
    const Weights& counted = counted_ ? *counted_ : none;
    for (const auto& [id, weight] : present_) {
        const auto before = counted.find(id);
        if (before == counted.end() || before->second != weight) note(id, weight);
    }
    for (const auto& [id, weight] : counted) {
        if (!present_.contains(id)) note(id, std::nullopt);
    }
    changes_ = std::move(changes);
}

std::optional<Weights> Membership::due(Time now) const {
    const auto next = next_due();
    if (!next || *next > now) return std::nullopt;
    if (!counted_) return present_;
    Weights members = *counted_;
    for (const auto& [id, change] : changes_) {
        if (due_at(change) > now) continue;
        if (change.weight) members[id] = *change.weight;
        else members.erase(id);
    }
    return members;
}

std::optional<Membership::Time> Membership::next_due() const {
    std::optional<Time> next;
    std::optional<Time> next_join;
    std::set<std::string_view> gone;
    for (const auto& [id, change] : changes_) {
        const Time at = due_at(change);
        next = std::min(next.value_or(at), at);
        if (change.weight) next_join = std::min(next_join.value_or(at), at);
        else gone.insert(id);
    }
    // A plan without members would help nobody: if all have gone, the plan waits for a new member.
    const bool all_gone = counted_ && gone.size() == counted_->size();
    return all_gone ? next_join : next;
}

} // namespace docent::detail
