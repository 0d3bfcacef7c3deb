// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/history.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace docent::chaos {

/// What must not be, and who had a part in it, when.
struct Violation {
    std::string kind; ///< exclusion, tokens, unheard, broken, counter, store, left, progress, memory, descriptors, history
    std::string text;
    std::vector<Hold> holds = {}; ///< In the order in which they were granted; may be empty.
    std::vector<Work> works = {};
    Time from = 0;
    Time to = 0;
    std::string evidence = {}; ///< What shows that it is ZooKeeper's own; empty: it is not.
};
using Violations = std::vector<Violation>;

// Each looks for one kind of violation.

/// No two hold what excludes them, by the times at which owns() said yes; an administrator's deletion of a node excuses its
/// holder.
Violations check_exclusion(const History& history);
/// Of two that exclude each other the later one has the larger token, which is the number of the queue's node: FIFO, too.
Violations check_tokens(const History& history);
/// Nobody owned what had been taken away by hand more than T before, or held on for so long without hearing that somebody asks.
Violations check_heard(const History& history);
/// No process has seen a promise broken.
Violations check_processes(const History& history);
/// Each value of the counter was set once; in the end every acknowledged one is there, and no other but for unknown outcomes.
Violations check_counter(const History& history);
/// A store that refuses older tokens lost no update.
Violations check_store(const History& history);
/// Nothing was on the server when nobody held or wanted anything.
Violations check_left(const History& history);
/// Suspects: nodes that were there while somebody waited, and should not. They count only with evidence.
Violations suspect_ghosts(const History& history);
/// In each resource somebody was granted something in that time after each healing.
Violations check_progress(const History& history, std::chrono::nanoseconds longest);
/// Processes that are idle need no more than before.
Violations check_growth(const History& history);

/// All of them, and that every line could be read.
Violations check_all(const History& history, std::chrono::nanoseconds longest_progress);

/// Whether the ensemble has forgotten that transaction, by the ledger; empty: not that we know.
std::string gone_by_ledger(const History& history, std::int64_t zxid);
/// Holders of Curator's that still believed in what they had lost, when another one had it already.
std::size_t ignorant_beside_others(const History& history);
/// Updates that a store accepted and has no more.
std::int64_t lost_updates(const History& history, const std::string& store);
/// From the last yes of a holder that lost its lock to the next grant that excludes it.
struct Margin {
    std::chrono::nanoseconds time{};
    std::string text; ///< Whose it was, and whose it is.
};
/// The smallest one. Only of those whose node went with its session, not because they let go then, too.
std::optional<Margin> smallest_margin(const History& history,
                                      const std::function<bool(const std::string& node)>& ended_with_session);

} // namespace docent::chaos
