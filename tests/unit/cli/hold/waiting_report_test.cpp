// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/waiting_report.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t own_session = 7;

Participant one(bool holds, std::string data, std::int64_t session = 1, RecipeKind recipe = RecipeKind::mutex) {
    return {.recipe = recipe,
            .kind = ParticipantKind::lock,
            .node_path = "/a/" + data,
            .position = 0,
            .holds = holds,
            .data = std::move(data),
            .session_id = session,
            .fencing_token = 1,
            .created = 60'000};
}

constexpr std::chrono::system_clock::time_point now{100s};

std::optional<Holder> holder_among(std::vector<Participant> participants) {
    return first_holder({.participants = std::move(participants), .strangers = {}}, own_session, now);
}

TEST(WaitingReport, NamesTheHolderAndTheNumberOfWaiters) {
    EXPECT_EQ(waiting_text("lock /a", 10s, {.label = "root@a:1 import.sh", .age = 40s, .waiting = 1}),
              "lock /a: waiting for 10s, held by root@a:1 import.sh (its node is 40s old)");
    EXPECT_EQ(waiting_text("lock /a", 3min, {.label = "x", .others = 2, .waiting = 5}),
              "lock /a: waiting for 3m, held by x and 2 more; 5 are waiting");
    EXPECT_EQ(
        waiting_text("lock /a", 10s, {.label = "__REVOKE__", .age = 40s}),
        "lock /a: waiting for 10s, held by a holder without a label, which was asked to give it up (its node is 40s old)");
    EXPECT_EQ(waiting_text("lock /a", 10s, {.label = "__REVOKE__\nx"}),
              "lock /a: waiting for 10s, held by x, which was asked to give it up");
    EXPECT_EQ(silence_text("lock /a", 10s, "no answer from zk:1"),
              "lock /a: waiting for 10s; no ZooKeeper answers: no answer from zk:1");
    EXPECT_EQ(silence_text("lock /a", 10s, ""), "lock /a: waiting for 10s; no ZooKeeper answers");
    EXPECT_EQ(waiting_text("lock /a", 500ms, {}), "lock /a: waiting for 500ms, held by somebody without a label");
}

TEST(WaitingReport, AnElectionHasALeader) {
    const auto holder =
        holder_among({one(true, "a", 1, RecipeKind::leader_latch), one(false, "b", own_session, RecipeKind::leader_latch)});
    ASSERT_TRUE(holder);
    EXPECT_EQ(waiting_text("election /e", 1s, *holder), "election /e: waiting for 1s, led by a (its node is 40s old)");
}

TEST(WaitingReport, AReservedPermitIsNotHeld) {
    const auto node = [](ParticipantKind kind, std::int64_t session, std::int64_t token) {
        Participant made = one(kind == ParticipantKind::lease, std::to_string(token), session, RecipeKind::semaphore);
        made.kind = kind;
        made.fencing_token = token;
        return made;
    };
    using enum ParticipantKind;
    const auto holder = holder_among({node(lease, 1, 10), node(lease, 2, 12), node(lock, 2, 11)});
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->label, "10");
    EXPECT_EQ(holder->others, 0U);
}

TEST(WaitingReport, AnUnreadableHolderHasNoLabel) {
    Participant unreadable = one(true, "", 0);
    unreadable.readable = false;
    unreadable.fencing_token = 0;
    const Inspection inspection{.participants = {unreadable, one(false, "mine", own_session)}, .strangers = {}};
    const auto holder = first_holder(inspection, own_session, now);
    ASSERT_TRUE(holder);
    EXPECT_EQ(waiting_text("lock /a", 10s, *holder), "lock /a: waiting for 10s, held by a holder whose node may not be read");
    EXPECT_TRUE(lasting_nodes_ahead(inspection, own_session).empty()) << "its session is unknown";
}

TEST(WaitingReport, ComesLessAndLessOften) {
    EXPECT_EQ(first_report(false), 10s);
    EXPECT_LT(first_report(true), 1s);
    EXPECT_EQ(next_report(10s), 20s);
    EXPECT_EQ(next_report(20s), 40s);
    EXPECT_EQ(next_report(500ms), 10s + 500ms);
    EXPECT_EQ(next_report(5h), 6h);
}

TEST(WaitingReport, NamesTheFirstOtherHolder) {
    EXPECT_FALSE(first_holder({}, own_session, now));
    EXPECT_FALSE(holder_among({one(false, "waits")}));
    EXPECT_FALSE(holder_among({one(true, "a", own_session)}));
    const auto holder = holder_among({one(true, "a"), one(true, "b"), one(false, "c"), one(false, "d", own_session)});
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->label, "a");
    EXPECT_EQ(holder->age, 40s);
    EXPECT_EQ(holder->others, 1u);
    EXPECT_EQ(holder->waiting, 2u);
}

TEST(WaitingReport, NamesNodesAheadThatAreNotEphemeral) {
    constexpr std::int64_t nobody = 0;
    Inspection queue{.participants = {one(true, "a", nobody), one(false, "b"), one(false, "c", nobody),
                                      one(false, "d", own_session), one(false, "e", nobody)},
                     .strangers = {}};
    EXPECT_EQ(lasting_nodes_ahead(queue, own_session), (std::vector<std::string>{"/a/a", "/a/c"})) << "/a/e is behind";
    queue.participants[0].recipe = RecipeKind::leader_latch;
    EXPECT_EQ(lasting_nodes_ahead(queue, own_session), std::vector<std::string>{"/a/c"}) << "another queue";
    EXPECT_TRUE(lasting_nodes_ahead(queue, own_session + 1).empty()) << "this one does not wait";
    EXPECT_EQ(
        lasting_node_text("lock /a", "/a/c"),
        "lock /a: the node /a/c is not ephemeral: it does not end with a session; if its owner is gone, remove it: docent "
        "break /a/c");
}

TEST(WaitingReport, AWaiterForALockThatItRunsUnderIsTold) {
    EXPECT_NE(waiting_text("lock /a", 1s, {.label = "x", .waits_for_us = true}).find("held by x; this command runs inside it"),
              std::string::npos);
    const auto queue = [](std::string holder, std::string waiter) {
        Inspection inspection{.participants = {one(true, "h"), one(false, "w", own_session)}, .strangers = {}};
        inspection.participants[0].owner = std::move(holder);
        inspection.participants[1].owner = std::move(waiter);
        inspection.participants[1].position = 1;
        return inspection;
    };
    EXPECT_TRUE(waits_for_itself(queue("a", "a/b"), "/a", own_session));
    EXPECT_FALSE(waits_for_itself(queue("a", "a/b"), "/a", own_session + 1)) << "somebody else does";
    EXPECT_FALSE(waits_for_itself(queue("a", "b"), "/a", own_session));
    EXPECT_FALSE(waits_for_itself(queue("a/c", "a/b"), "/a", own_session)) << "beside it, not around it";
    EXPECT_FALSE(waits_for_itself(queue("", ""), "/a", own_session));
}

TEST(WaitingReport, AContenderAtAGateHoldsNothing) {
    EXPECT_FALSE(holder_among({one(true, "a", 1, RecipeKind::semaphore)}));
}

} // namespace
} // namespace docent::cli
