// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/history.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace docent::chaos {

/// A broken rule, and the holds and works that took part.
struct Violation {
    std::string kind; ///< such as `exclusion`, `tokens`, `counter`, `left`
    std::string text;
    std::vector<Hold> holds = {}; ///< In the order of the grants; may be empty.
    std::vector<Work> works = {};
    Time from = 0;
    Time to = 0;
    std::int64_t lost = 0;     ///< The zxid of an acknowledged write that the counter lacks; 0: there is none.
    std::string evidence = {}; ///< Shows that ZooKeeper is at fault. Empty: docent is.
};
using Violations = std::vector<Violation>;

// Each check looks for one kind of violation.

/// No two holders own a lock that excludes the other, by the times at which owns() was true. The deletion of a node by an
/// administrator excuses its holder.
Violations check_exclusion(const History& history);
/// Of two holders that exclude each other, the later one has the larger token. The token is the number of the node's creation,
/// so this checks FIFO, too. A holder whose node an administrator deletes while the grant is under way may be recorded late.
Violations check_tokens(const History& history);
/// No holder owned a lock more than T after its node was deleted by hand. No revocable holder owned a lock that long without
/// hearing of a request to give it up.
Violations check_heard(const History& history);
/// No process has recorded a broken promise.
Violations check_processes(const History& history);
/// Each value of the counter was set once. In the end, every acknowledged value is there. Any other value comes from an unknown
/// outcome.
Violations check_counter(const History& history);
/// A store that refuses older tokens lost no update.
Violations check_store(const History& history);
/// No node remained while no lane held or wanted a lock.
Violations check_left(const History& history);
/// Finds nodes that were there although all should be gone, while some process was still busy. They count only with evidence.
Violations suspect_orphans(const History& history);
/// After each healing, every resource was granted within `longest`.
Violations check_progress(const History& history, std::chrono::nanoseconds longest);
/// After each healing, each item of the partition was owned within `longest`.
Violations check_items(const History& history, std::chrono::nanoseconds longest);
/// The memory and descriptors of idle processes do not grow.
Violations check_growth(const History& history);

/// The time within which each item has an owner after all faults have ended.
Time longest_without_owner(const History& history);
/// Runs all checks, and checks that every line could be read.
Violations check_all(const History& history, std::chrono::nanoseconds longest_progress);

/// The longest time for which a holder may own a lock without hearing of an event. It owns the lock only if the leader answered
/// a request that was sent less than T ago. Events from before that answer have arrived. One second more is for a busy machine.
Time longest_unheard(const History& history);
/// Says why the ensemble has forgotten this transaction, by the ledger. Empty: the ledger does not show it.
std::string gone_by_ledger(const History& history, std::int64_t zxid);
/// Counts Curator's holders that believed in a lost lock while another holder had it.
std::size_t ignorant_beside_others(const History& history);
/// Counts updates that a store accepted and has lost.
std::int64_t lost_updates(const History& history, const std::string& store);
/// The time from the last yes of a lost lock's owns() to the first yes of the next holder that it excludes.
struct Margin {
    std::chrono::nanoseconds time{};
    std::string text; ///< The two holders.
};
/// The smallest margin. Counts only holders whose node ended with its session, because others may have removed it themselves.
std::optional<Margin> smallest_margin(const History& history,
                                      const std::function<bool(const std::string& node)>& ended_with_session);

/// Collects the lines of all histories that belong to a violation: events of its works, and of the nemesis around that time.
/// The lines are sorted. Their times are in milliseconds from the beginning of the violation.
std::vector<std::string> story_of(const Violation& violation, const std::filesystem::path& folder);

} // namespace docent::chaos
