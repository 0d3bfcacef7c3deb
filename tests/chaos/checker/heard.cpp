// SPDX-License-Identifier: Apache-2.0
#include "checker/checks.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace docent::chaos {
namespace {

/// The longest time for which a holder may own a lock without hearing of an event. It owns the lock only if the leader answered
/// a request that was sent less than T ago. Events from before that answer have arrived. One second more is for a busy machine.
Time longest_unheard(const History& history) {
    return history.session_timeout + std::chrono::nanoseconds(std::chrono::seconds(1)).count();
}

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
            found.push_back(unheard(hold, std::max(asked->time, hold.revocable), "it was asked for, and has not heard of it"));
    }
    return found;
}

Violations check_processes(const History& history) {
    Violations found;
    for (const std::string& line : history.broken) found.push_back({.kind = "broken", .text = line});
    return found;
}

} // namespace docent::chaos
