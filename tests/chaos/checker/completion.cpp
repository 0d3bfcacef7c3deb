// SPDX-License-Identifier: Apache-2.0
#include "checker/checks.hpp"
#include "checker/transaction_log.hpp"

namespace docent::chaos {
namespace {

constexpr Time nanoseconds_of_a_millisecond = 1'000'000;
constexpr Time longest_closing = 10'000 * nanoseconds_of_a_millisecond; // later, the session may have expired

/// Converts a server's time to CLOCK_BOOTTIME, by the nearest recorded pair of both clocks. 0: there is no such pair.
Time our_time(const History& history, std::int64_t wall) {
    if (history.wall.empty()) return 0;
    auto near = history.wall.upper_bound(wall * nanoseconds_of_a_millisecond);
    if (near != history.wall.begin()) --near;
    return wall * nanoseconds_of_a_millisecond - near->second;
}

/// Ends a hold of Curator with its node. While no server answers, Curator's holder cannot know that its session is gone.
void end_with_node(Hold& hold) {
    if (!hold.by_curator || hold.node_gone == 0 || hold.last_yes <= hold.node_gone) return;
    hold.believed = hold.last_yes;
    hold.last_yes = hold.node_gone;
    if (hold.first_yes >= hold.last_yes) hold.first_yes = hold.last_yes = 0;
}

} // namespace

void complete(History& history, const TransactionLogs& logs) {
    for (Hold& hold : history.holds) {
        if (hold.node.empty()) hold.node = logs.made_by(hold.token);
        const std::vector<NodeChange> changes = logs.changes_of(hold.node);
        if (hold.token == 0 && !changes.empty()) hold.token = changes.front().zxid;
        const auto gone = logs.removal_of(hold.node);
        if (!gone) continue;
        hold.node_gone = our_time(history, gone->time);
        const auto closed = history.closed_sessions.find(gone->session);
        if (gone->kind == NodeChange::Kind::ended_with_session && closed != history.closed_sessions.end() &&
            hold.node_gone < closed->second + longest_closing)
            history.deleted.insert(hold.node);
        end_with_node(hold);
    }
}

} // namespace docent::chaos
