// SPDX-License-Identifier: Apache-2.0
#include "checker/checks.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>

namespace docent::chaos {
namespace {

// More descriptors: a client may have been disconnected at the first count. A connection takes the C client's socket and its
// copy; the rest is a reserve. More memory: the allocator keeps memory that is free.
constexpr std::int64_t more_descriptors = 5;
constexpr std::int64_t more_memory = 24 * 1024; // KiB

Violation unheard(const Hold& hold, Time since, const std::string& what) {
    return {.kind = "unheard",
            .text = hold.work.process + " (work " + std::to_string(hold.work.number) + ") owned " + hold.node + " for " +
                    std::to_string((hold.last_yes - since) / 1'000'000) + " ms after " + what,
            .holds = {hold},
            .works = {hold.work},
            .from = since,
            .to = hold.last_yes};
}

} // namespace

Time longest_unheard(const History& history) {
    return history.session_timeout + std::chrono::nanoseconds(std::chrono::seconds(1)).count();
}

Violations check_heard(const History& history) {
    Violations found;
    if (history.session_timeout == 0) return found;
    for (const Hold& hold : history.holds) {
        if (hold.by_curator || hold.first_yes == 0 || hold.last_yes <= hold.granted) continue;
        const auto too_late = [&](Time since) { return hold.last_yes > since + longest_unheard(history); };
        if (hold.node_gone != 0 && history.deleted.contains(hold.node) && too_late(hold.node_gone))
            found.push_back(unheard(hold, hold.node_gone, "an administrator had taken it away"));
        if (hold.revocable == 0 || hold.asked_for) continue;
        const auto asked = std::find_if(history.revocations.begin(), history.revocations.end(), [&](const Revocation& asks) {
            return asks.node == hold.node && too_late(std::max(asks.time, hold.revocable));
        });
        if (asked != history.revocations.end())
            found.push_back(
                unheard(hold, std::max(asked->time, hold.revocable), "it was asked for, of which it has not heard"));
    }
    return found;
}

Violations check_processes(const History& history) {
    Violations found;
    for (const std::string& line : history.broken) found.push_back({.kind = "broken", .text = line});
    return found;
}

Violations check_left(const History& history) {
    Violations found;
    for (const std::string& node : history.left) found.push_back({.kind = "left", .text = node});
    return found;
}

Violations suspect_orphans(const History& history) {
    Violations found;
    for (const std::string& node : history.waiting) found.push_back({.kind = "orphan", .text = node});
    return found;
}

Violations check_progress(const History& history, std::chrono::nanoseconds longest) {
    Violations found;
    for (const Time healed : history.healed) {
        const Time due = healed + longest.count();
        if (calm_until(history, healed) < due) continue; // the calm was too short to tell
        for (const std::string& resource : history.resources) {
            const auto grants = history.grants.find(resource);
            const bool granted =
                grants != history.grants.end() && grants->second.upper_bound(healed) != grants->second.upper_bound(due);
            if (granted) continue;
            found.push_back({.kind = "progress",
                             .text = resource + " was granted to nobody in " +
                                     std::to_string(longest / std::chrono::seconds(1)) + " s after all faults had ended",
                             .from = healed,
                             .to = due});
        }
    }
    return found;
}

Time longest_without_owner(const History& history) {
    return history.session_timeout + std::chrono::nanoseconds(std::chrono::seconds(5)).count();
}

Violations check_items(const History& history, std::chrono::nanoseconds longest) {
    Violations found;
    for (const Time healed : history.healed) {
        const Time due = healed + longest.count();
        if (calm_until(history, healed) < due) continue; // the calm was too short to tell
        for (const std::string& item : history.items) {
            const auto owned = first_owned(history, item, healed);
            if (owned.value_or(history.end) <= due) continue;
            found.push_back({.kind = "items",
                             .text = item + " had no owner for " +
                                     std::to_string((owned.value_or(history.end) - healed) / 1'000'000) +
                                     " ms after all faults had ended",
                             .from = healed,
                             .to = due});
        }
    }
    return found;
}

Violations check_growth(const History& history) {
    Violations found;
    std::map<std::string, std::vector<const Idle*>> processes;
    for (const Idle& idle : history.idles) processes[idle.process].push_back(&idle);
    for (const auto& [process, idles] : processes) {
        const auto compare = [&](const char* kind, std::int64_t Idle::*figure, std::int64_t more) {
            const std::int64_t first = idles.front()->*figure;
            const std::int64_t last = idles.back()->*figure;
            if (last <= first + more) return;
            found.push_back(
                {.kind = kind, .text = process + ", idle, has " + std::to_string(last) + ", and had " + std::to_string(first)});
        };
        compare("descriptors", &Idle::descriptors, more_descriptors);
        compare("memory", &Idle::memory, more_memory);
    }
    return found;
}

Violations check_all(const History& history, std::chrono::nanoseconds longest_progress) {
    Violations all;
    const auto add = [&](Violations found) { std::move(found.begin(), found.end(), std::back_inserter(all)); };
    add(check_exclusion(history));
    add(check_tokens(history));
    add(check_heard(history));
    add(check_processes(history));
    add(check_counter(history));
    add(check_store(history));
    add(check_left(history));
    add(suspect_orphans(history));
    add(check_progress(history, longest_progress));
    add(check_items(history, std::chrono::nanoseconds(longest_without_owner(history))));
    add(check_growth(history));
    for (const std::string& line : history.unreadable) all.push_back({.kind = "history", .text = "cannot be read: " + line});
    return all;
}

} // namespace docent::chaos
