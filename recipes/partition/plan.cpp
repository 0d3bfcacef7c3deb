// SPDX-License-Identifier: Apache-2.0
#include "partition/plan.hpp"

#include "partition/escape.hpp"
#include "partition/rendezvous.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

namespace docent::detail {

std::uint64_t digest_of(std::vector<std::string> items) {
    std::sort(items.begin(), items.end());
    std::string all;
    for (const auto& item : items) all += escaped(item) + ' ';
    return fnv1a(all);
}

Weights weights_of(const Plan& plan) {
    Weights weights;
    for (const auto& [id, member] : plan.members) weights.emplace(id, member.weight);
    return weights;
}

// ---- the next plan

namespace {

/// A member while its items change.
struct Share {
    const std::string* id;
    std::uint32_t weight;
    std::size_t least; // its fair share, rounded down
    std::size_t most;  // rounded up
    std::vector<std::pair<Distance, std::string>> items = {};

    std::size_t lack() const { return items.size() < least ? least - items.size() : 0; }
    /// The farthest item comes last.
    void sort() {
        std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
            if (a.first < b.first || b.first < a.first) return a.first < b.first;
            return a.second < b.second;
        });
    }
};

std::vector<Share> shares_of(std::size_t items, const Weights& members) {
    std::uint64_t sum = 0;
    for (const auto& [id, weight] : members) sum += weight;
    std::vector<Share> shares;
    for (const auto& [id, weight] : members) {
        const std::uint64_t product = std::uint64_t{items} * weight;
        shares.push_back(
            {&id, weight, static_cast<std::size_t>(product / sum), static_cast<std::size_t>((product + sum - 1) / sum)});
    }
    return shares;
}

/// Takes the farthest items of the members that have more than they may have.
void take_excess(std::vector<Share>& shares, std::vector<std::string>& loose) {
    for (Share& share : shares) {
        share.sort();
        for (; share.items.size() > share.most; share.items.pop_back()) loose.push_back(std::move(share.items.back().second));
    }
}

/// Takes items from members above their least share, until `loose` has as many as the members below their least share lack.
void take_what_others_lack(std::vector<Share>& shares, std::vector<std::string>& loose) {
    std::size_t lack = 0;
    std::vector<Share*> rich;
    for (Share& share : shares) {
        lack += share.lack();
        if (share.items.size() > share.least) rich.push_back(&share);
    }
    // Each has at most one item more than its least share.
    std::sort(rich.begin(), rich.end(), [](const Share* a, const Share* b) {
        const Distance& of_a = a->items.back().first;
        const Distance& of_b = b->items.back().first;
        if (of_a < of_b || of_b < of_a) return of_b < of_a;
        return *a->id < *b->id;
    });
    for (std::size_t next = 0; loose.size() < lack && next < rich.size(); ++next) {
        loose.push_back(std::move(rich[next]->items.back().second));
        rich[next]->items.pop_back();
    }
}

/// Gives each item to the nearest member with room. Keeps back as many items as the members below their least share
/// lack.
void give(std::vector<Share>& shares, std::vector<std::string> loose) {
    std::sort(loose.begin(), loose.end());
    std::size_t lack = 0;
    for (const Share& share : shares) lack += share.lack();
    std::size_t left = loose.size();
    for (std::string& item : loose) {
        Share* nearest = nullptr;
        Distance least;
        for (Share& share : shares) {
            const bool has_room = share.items.size() < (left > lack ? share.most : share.least);
            if (!has_room) continue;
            const Distance distance = distance_between(item, *share.id, share.weight);
            if (nearest && !(distance < least)) continue;
            nearest = &share;
            least = distance;
        }
        if (!nearest) return; // there are no members
        if (nearest->lack() > 0) --lack;
        nearest->items.emplace_back(least, std::move(item));
        --left;
    }
}

} // namespace

Plan next_plan(const Plan& before, std::vector<std::string> items, const Weights& members) {
    Plan plan{.digest = digest_of(items), .moves = before.moves};
    auto shares = shares_of(items.size(), members);
    std::unordered_map<std::string_view, Share*> share_of;
    for (Share& share : shares) share_of.emplace(*share.id, &share);
    std::unordered_map<std::string_view, const std::string*> owners; // of the items in `before`
    for (const auto& [id, member] : before.members) {
        for (const auto& item : member.items) owners.emplace(item, &id);
    }

    std::vector<std::string> loose;
    for (const auto& item : items) {
        const auto owner = owners.find(item);
        const auto share = owner == owners.end() ? share_of.end() : share_of.find(*owner->second);
        if (share == share_of.end()) loose.push_back(item);
        else share->second->items.emplace_back(distance_between(item, *owner->second, share->second->weight), item);
    }
    take_excess(shares, loose);
    take_what_others_lack(shares, loose);
    give(shares, std::move(loose));

    for (Share& share : shares) {
        PlannedMember member{.weight = share.weight};
        for (auto& [distance, item] : share.items) {
            const auto owner = owners.find(item);
            if (owner != owners.end() && *owner->second != *share.id) ++plan.moves;
            member.items.push_back(std::move(item));
        }
        std::sort(member.items.begin(), member.items.end());
        plan.members.emplace(*share.id, std::move(member));
    }
    return plan;
}

// ---- its text

namespace {

constexpr std::string_view mark = "docent-plan 1 ";

bool read_member(std::string_view line, Plan& plan) {
    PlannedMember member;
    if (!read_number(take_until(line, ' '), member.weight) || member.weight == 0 || member.weight > max_weight) return false;
    const auto id = unescaped(take_until(line, ' '));
    if (!id || id->empty()) return false;
    while (!line.empty()) {
        auto item = unescaped(take_until(line, ' '));
        if (!item || item->empty()) return false;
        member.items.push_back(std::move(*item));
    }
    std::sort(member.items.begin(), member.items.end());
    return plan.members.emplace(*id, std::move(member)).second;
}

} // namespace

std::string format_plan(const Plan& plan) {
    std::string text = std::string(mark) + hex16(plan.digest) + ' ' + std::to_string(plan.moves) + '\n';
    for (const auto& [id, member] : plan.members) {
        text += std::to_string(member.weight) + ' ' + escaped(id);
        for (const auto& item : member.items) text += ' ' + escaped(item);
        text += '\n';
    }
    return text;
}

std::optional<Plan> parse_plan(std::string_view data) {
    if (!data.starts_with(mark)) return std::nullopt;
    data.remove_prefix(mark.size());
    std::string_view head = take_until(data, '\n');
    Plan plan;
    const auto digest = take_until(head, ' ');
    if (digest.size() != 16 || !read_number(digest, plan.digest, 16) || !read_number(head, plan.moves)) return std::nullopt;
    while (!data.empty()) {
        if (!read_member(take_until(data, '\n'), plan)) return std::nullopt;
    }
    return plan;
}

} // namespace docent::detail
