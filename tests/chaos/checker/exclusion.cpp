// SPDX-License-Identifier: Apache-2.0
#include "checker/checks.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace docent::chaos {
namespace {

constexpr auto nanoseconds_a_millisecond = 1'000'000;

using Holds = std::vector<const Hold*>;

/// Holds that were owned at some time, in the order of their first yes.
std::map<std::string, Holds> by_resource(const History& history) {
    std::map<std::string, Holds> resources;
    for (const Hold& hold : history.holds) {
        if (hold.first_yes != 0) resources[hold.resource].push_back(&hold);
    }
    for (auto& [name, holds] : resources) {
        std::stable_sort(holds.begin(), holds.end(), [](auto* a, auto* b) { return a->first_yes < b->first_yes; });
    }
    return resources;
}

bool exclude(const Hold& a, const Hold& b) {
    if (a.mode.kind == Mode::Kind::permit) return a.mode.limit == 1;
    return a.mode.kind == Mode::Kind::exclusive || b.mode.kind == Mode::Kind::exclusive;
}

std::string name_of(const Hold& hold) {
    return hold.work.process + " (work " + std::to_string(hold.work.number) + ", token " + std::to_string(hold.token) +
           (hold.number > 1 ? ", hold " + std::to_string(hold.number) : "") + ')';
}

/// Leaves out a hold if an administrator deleted its node. A deletion does not excuse the last holder in the queue.
Holds not_excused(const History& history, const Holds& together) {
    const Hold& last =
        **std::max_element(together.begin(), together.end(), [](auto* a, auto* b) { return a->token < b->token; });
    Holds others;
    std::copy_if(together.begin(), together.end(), std::back_inserter(others),
                 [&](const Hold* hold) { return hold->token == last.token || !history.deleted.contains(hold->node); });
    return others;
}

/// Holds of one node are ordered by their numbers, if both numbers are known.
bool comes_after(const Hold& hold, const Hold& before) {
    if (hold.token != before.token) return hold.token > before.token;
    if (hold.work.process != before.work.process) return false;
    return hold.number == 0 || before.number == 0 || hold.number > before.number;
}

/// The hold of a node that was deleted by hand, by a process that does not know of it yet. A further hold asks no server. The
/// first one may rest on an answer that a server sent before the deletion.
bool came_by_a_deleted_node(const History& history, const Hold& hold) {
    const auto deleted = history.deleted.find(hold.node);
    if (deleted == history.deleted.end()) return false;
    return hold.number != 1 ||
           (deleted->second <= hold.first_yes && hold.first_yes <= deleted->second + longest_unheard(history));
}

Violation too_many(const Holds& together) {
    const Hold& last = *together.back();
    Violation found{.kind = "exclusion", .text = last.resource + " is held at once by"};
    Time until = last.last_yes;
    for (const Hold* hold : together) {
        found.text += (hold == together.front() ? " " : " and ") + name_of(*hold);
        found.holds.push_back(*hold);
        found.works.push_back(hold->work);
        until = std::min(until, hold->last_yes);
    }
    found.text += ", for " + std::to_string((until - last.first_yes) / nanoseconds_a_millisecond) + " ms";
    found.from = last.first_yes;
    found.to = until;
    return found;
}

/// The holder's own client ended the session, so the servers knew at once.
bool ended_by_itself(const History& history, const Hold& lost) {
    const auto renewals = history.renewals.find(lost.work.process);
    if (renewals == history.renewals.end()) return false;
    const auto next = renewals->second.upper_bound(lost.last_yes);
    return next != renewals->second.end() && *next <= lost.ended;
}

} // namespace

Violations check_exclusion(const History& history) {
    Violations found;
    for (const auto& [resource, holds] : by_resource(history)) {
        Holds active;
        for (const Hold* hold : holds) {
            std::erase_if(active, [&](auto* other) { return other->last_yes <= hold->first_yes; });
            if (hold->mode.kind == Mode::Kind::permit) {
                active.push_back(hold);
                const Holds together = not_excused(history, active);
                if (together.size() > hold->mode.limit) found.push_back(too_many(together));
                continue;
            }
            for (const Hold* other : active) {
                if (exclude(*hold, *other) && not_excused(history, {other, hold}).size() == 2)
                    found.push_back(too_many({other, hold}));
            }
            active.push_back(hold);
        }
    }
    return found;
}

Violations check_tokens(const History& history) {
    Violations found;
    for (const auto& [resource, holds] : by_resource(history)) {
        const Hold* any = nullptr;       // has the largest token so far
        const Hold* exclusive = nullptr; // the same, of the exclusive holds
        for (const Hold* hold : holds) {
            const bool alone = exclude(*hold, *hold);
            const Hold* before = alone ? any : exclusive;
            const bool downgraded =
                before != nullptr && before->work.process == hold->work.process && !alone && before->token == hold->token;
            if (before != nullptr && !comes_after(*hold, *before) && !downgraded && !came_by_a_deleted_node(history, *hold)) {
                found.push_back({.kind = "tokens",
                                 .text = resource + ": " + name_of(*hold) + " comes after " + name_of(*before),
                                 .holds = {*before, *hold},
                                 .works = {before->work, hold->work},
                                 .from = before->first_yes,
                                 .to = hold->first_yes});
            }
            if (any == nullptr || comes_after(*hold, *any)) any = hold;
            if (alone && (exclusive == nullptr || comes_after(*hold, *exclusive))) exclusive = hold;
        }
    }
    return found;
}

std::size_t ignorant_beside_others(const History& history) {
    const auto beside = [](const Hold& lost, const Hold& other) {
        return other.resource == lost.resource && other.work != lost.work && exclude(lost, other) && other.first_yes != 0 &&
               other.first_yes < lost.believed && other.last_yes > lost.node_gone;
    };
    return static_cast<std::size_t>(std::count_if(history.holds.begin(), history.holds.end(), [&](const Hold& lost) {
        return lost.believed != 0 &&
               std::any_of(history.holds.begin(), history.holds.end(), [&](const Hold& other) { return beside(lost, other); });
    }));
}

std::optional<Margin> smallest_margin(const History& history,
                                      const std::function<bool(const std::string& node)>& ended_with_session) {
    std::optional<Margin> smallest;
    for (const auto& [resource, holds] : by_resource(history)) {
        for (std::size_t i = 0; i < holds.size(); ++i) {
            const Hold& lost = *holds[i];
            if (lost.by_curator || lost.end != End::lost || history.deleted.contains(lost.node) ||
                ended_by_itself(history, lost) || !ended_with_session(lost.node))
                continue;
            const auto next = std::find_if(holds.begin() + static_cast<std::ptrdiff_t>(i) + 1, holds.end(),
                                           [&](auto* hold) { return exclude(lost, *hold) && hold->work != lost.work; });
            if (next == holds.end()) continue;
            const std::chrono::nanoseconds time((*next)->first_yes - lost.last_yes);
            if (smallest && smallest->time <= time) continue;
            smallest = {.time = time, .text = resource + ", from " + name_of(lost) + " to " + name_of(**next)};
        }
    }
    return smallest;
}

} // namespace docent::chaos
