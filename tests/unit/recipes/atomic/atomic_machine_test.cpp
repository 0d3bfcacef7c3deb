// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_machine.hpp"

#include "unit/client/t0.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {
namespace atomic_machine_story {

using namespace std::chrono_literals;
using Bytes = std::optional<std::string>;
using AnswerKind = WriteAnswer::Kind;
using Finding = AtomicMachine::Finding;

/// Returns the data with an "x" appended.
NewData append(const Bytes& before) {
    return {before.value_or("") + "x"};
}
SeenValue seen(const char* data, std::int32_t version) {
    return {data, version};
}
const SeenValue no_value;

AtomicMachine::Plan appending(RetryPolicy retry = RetryPolicy::none()) {
    return {.change = append, .retry = retry};
}
AtomicMachine machine_of(AtomicMachine::Plan plan, int retries = 3, bool within_session = false) {
    const auto policy = RetryPolicy::n_times(retries, 10ms);
    return {std::move(plan), RetryBudget(within_session ? policy.within_session() : policy, t0)};
}
AtomicAction write(const char* data, std::int32_t version) {
    return WriteValue{data, version};
}
AtomicAction create(const char* data) {
    return WriteValue{data, -1, true};
}
AtomicAction done(Bytes before, Bytes after, AtomicStats stats) {
    return FinishAtomic{{}, {true, std::move(before), std::move(after), stats}};
}
AtomicAction not_done(const Bytes& before, AtomicStats stats) {
    return FinishAtomic{{}, {false, before, before, stats}};
}
AtomicAction failed(error_code ec, AtomicStats stats) {
    return FinishAtomic{ec, {.stats = stats}};
}
AtomicStats tries(int optimistic, bool recovered = false) {
    return {.optimistic_tries = optimistic, .recovered = recovered};
}
/// Another write came first; `behind` is its value if it was read.
AtomicAction refuse(AtomicMachine& machine, std::optional<SeenValue> behind, error_code ec = server_error::bad_version) {
    return machine.on_written({AnswerKind::refused, ec, std::move(behind)}, t0, 0);
}
AtomicAction lose(AtomicMachine& machine, error_code ec = server_error::connection_loss) {
    return machine.on_written({AnswerKind::lost, ec}, t0, 0);
}

TEST(AtomicMachine, ReadsAndWrites) {
    auto machine = machine_of(appending());
    EXPECT_EQ(machine.start(1, {}, t0), AtomicAction{ReadValue{}});
    EXPECT_EQ(machine.on_read({}, seen("a", 7), t0, 0), write("ax", 7));
    EXPECT_TRUE(machine.in_doubt());
    EXPECT_EQ(machine.on_written({AnswerKind::applied}, t0 + 5ms, 0), done("a", "ax", {1, 5ms, 0, 0ms, false}));
    EXPECT_FALSE(machine.in_doubt());
}

TEST(AtomicMachine, WritesAtOnceOnAKnownValue) {
    auto machine = machine_of(appending());
    EXPECT_EQ(machine.start(1, seen("a", 7), t0), write("ax", 7));
}

TEST(AtomicMachine, MakesTheNode) {
    auto machine = machine_of(appending());
    machine.start(1, {}, t0);
    EXPECT_EQ(machine.on_read({}, no_value, t0, 0), create("x"));
    EXPECT_EQ(refuse(machine, {}, server_error::no_node), (AtomicAction{WriteValue{"x", -1, true, true}})) << "with parents";
    EXPECT_EQ(machine.on_written({AnswerKind::applied}, t0, 0), done({}, "x", tries(1))) << "that was one try";
}

TEST(AtomicMachine, MakesParentsAgainTenTimes) {
    auto machine = machine_of(appending());
    machine.start(1, no_value, t0);
    for (int n = 0; n < 10; ++n)
        EXPECT_EQ(refuse(machine, {}, server_error::no_node), (AtomicAction{WriteValue{"x", -1, true, true}}));
    EXPECT_EQ(refuse(machine, {}, server_error::no_node), failed(server_error::no_node, tries(1)));
}

TEST(AtomicMachine, WithoutAMarkerItIsTriedAgainWithOne) {
    auto machine = machine_of(appending());
    machine.start(1, seen("a", 7), t0);
    EXPECT_EQ(machine.on_written({AnswerKind::no_marker, server_error::no_node}, t0, 0), write("ax", 7));
    EXPECT_EQ(machine.on_written({AnswerKind::failed, server_error::no_auth}, t0, 0), failed(server_error::no_auth, tries(1)));
}

TEST(AtomicMachine, WithoutAMarkerNothingIsSent) {
    auto machine = machine_of(appending(), 1);
    machine.start(1, seen("a", 7), t0);
    EXPECT_EQ(machine.on_written({AnswerKind::unsent, server_error::connection_loss}, t0, 0), AtomicAction{PauseAtomic{10ms}});
    EXPECT_FALSE(machine.in_doubt()) << "nothing was sent";
    EXPECT_EQ(machine.on_connected(1, {}, t0), AtomicAction{ReadValue{}});
    EXPECT_EQ(machine.on_read({}, seen("a", 7), t0, 0), write("ax", 7));
    EXPECT_EQ(machine.on_written({AnswerKind::unsent, server_error::no_auth}, t0, 0), failed(server_error::no_auth, tries(2)));
}

TEST(AtomicMachine, AFasterWriteIsReadBehindTheTry) {
    auto machine = machine_of(appending(RetryPolicy::n_times(2, 0ms)));
    machine.start(1, seen("a", 7), t0);
    EXPECT_EQ(refuse(machine, seen("b", 8)), write("bx", 8)) << "no round trip for a read";
    EXPECT_EQ(refuse(machine, no_value, server_error::no_node), create("x"));
    EXPECT_EQ(refuse(machine, seen("c", 0), server_error::node_exists), not_done("c", tries(3)));
}

TEST(AtomicMachine, AfterAPauseItUsesTheLatestKnownValue) {
    auto machine = machine_of(appending(RetryPolicy::n_times(2, 20ms)));
    machine.start(1, seen("a", 7), t0);
    EXPECT_EQ(refuse(machine, seen("b", 8)), AtomicAction{PauseAtomic{20ms}});
    EXPECT_FALSE(machine.in_doubt());
    EXPECT_EQ(machine.on_connected(1, seen("c", 9), t0), write("cx", 9));
    EXPECT_EQ(refuse(machine, {}), AtomicAction{PauseAtomic{20ms}});
    EXPECT_EQ(machine.on_connected(1, {}, t0), AtomicAction{ReadValue{}});
}

TEST(AtomicMachine, WithoutARetryAnEarlierWriteIsNoError) {
    auto machine = machine_of(appending());
    machine.start(1, seen("a", 7), t0);
    EXPECT_EQ(refuse(machine, seen("b", 8)), not_done("b", tries(1)));
}

TEST(AtomicMachine, AnUnexpectedValueIsReadAgainBeforeItIsReported) {
    const Change if_a = [](const Bytes& before) { return before == "a" ? NewData{"b"} : NewData{}; };
    auto machine = machine_of({.change = if_a, .retry = RetryPolicy::n_times(5, 10ms)});
    EXPECT_EQ(machine.start(1, seen("z", 1), t0), AtomicAction{ReadValue{}}) << "the known value may be out of date";
    EXPECT_EQ(machine.on_read({}, seen("a", 2), t0, 0), write("b", 2));
    EXPECT_EQ(refuse(machine, seen("z", 3)), not_done("z", tries(1))) << "without a pause";
}

TEST(AtomicMachine, AnUnreadableValueIsAnError) {
    const Change corrupt = [](const Bytes&) { return NewData{{}, error::corrupt_data}; };
    auto machine = machine_of({.change = corrupt});
    machine.start(1, {}, t0);
    EXPECT_EQ(machine.on_read({}, seen("a", 1), t0, 0), failed(error::corrupt_data, {}));
    auto forbidden = machine_of(appending());
    forbidden.start(1, {}, t0);
    EXPECT_EQ(forbidden.on_read(server_error::no_auth, no_value, t0, 0), failed(server_error::no_auth, {}));
}

// ---- forced writes

AtomicMachine::Plan forcing() {
    return {.change = [](const Bytes&) { return NewData{"n"}; },
            .blind = true,
            .guess = seen("", -1),
            .retry = RetryPolicy::n_times(2, 0ms)};
}

TEST(AtomicMachine, ForcingTakesNoRead) {
    auto machine = machine_of(forcing());
    EXPECT_EQ(machine.start(1, {}, t0), write("n", -1));
    EXPECT_EQ(refuse(machine, no_value, server_error::no_node), create("n"));
    EXPECT_EQ(refuse(machine, seen("b", 0), server_error::node_exists), write("n", -1));
    EXPECT_EQ(machine.on_written({AnswerKind::applied}, t0, 0), done("b", "n", tries(3)));
}

TEST(AtomicMachine, ForcingThatNeverMeetsTheNodeFails) {
    auto machine = machine_of(forcing());
    machine.start(1, {}, t0);
    refuse(machine, no_value, server_error::no_node);
    refuse(machine, seen("b", 0), server_error::node_exists);
    EXPECT_EQ(refuse(machine, no_value, server_error::no_node), failed(server_error::no_node, tries(3)));
}

// ---- network faults

TEST(AtomicMachine, ALostReadIsReadAgain) {
    auto machine = machine_of(appending());
    machine.start(1, {}, t0);
    EXPECT_EQ(machine.on_read(server_error::connection_loss, no_value, t0, 0), AtomicAction{PauseAtomic{10ms}});
    EXPECT_EQ(machine.on_connected(1, {}, t0), AtomicAction{ReadValue{}});
}

TEST(AtomicMachine, AWriteWithALostReplyIsNotSentAgainBeforeItsResultIsKnown) {
    for (const auto lost : {server_error::connection_loss, server_error::operation_timeout, server_error::session_expired}) {
        auto machine = machine_of(appending());
        machine.start(1, seen("a", 7), t0);
        EXPECT_EQ(lose(machine, lost), AtomicAction{PauseAtomic{10ms}});
        EXPECT_TRUE(machine.in_doubt());
        EXPECT_EQ(machine.on_connected(2, seen("b", 8), t0), AtomicAction{FindOut{}}) << "also in a new session";
        EXPECT_EQ(machine.on_found_out(server_error::connection_loss, Finding::nothing, t0, 0),
                  AtomicAction{PauseAtomic{10ms}});
        EXPECT_EQ(machine.on_connected(2, {}, t0), AtomicAction{FindOut{}});
        EXPECT_EQ(machine.on_found_out({}, Finding::applied, t0, 0), done("a", "ax", tries(1, true)));
        EXPECT_FALSE(machine.in_doubt());
    }
}

TEST(AtomicMachine, AWriteThatWasNotAppliedIsTriedAgain) {
    auto machine = machine_of(appending());
    machine.start(1, seen("a", 7), t0);
    lose(machine);
    machine.on_connected(1, {}, t0);
    EXPECT_EQ(machine.on_found_out({}, Finding::not_applied, t0, 0), AtomicAction{PauseAtomic{}});
    EXPECT_FALSE(machine.in_doubt());
    EXPECT_EQ(machine.on_connected(1, {}, t0), AtomicAction{ReadValue{}});
    EXPECT_EQ(machine.on_read({}, seen("b", 9), t0, 0), write("bx", 9));
    EXPECT_EQ(machine.on_written({AnswerKind::applied}, t0, 0), done("b", "bx", tries(2, true)));
}

TEST(AtomicMachine, ADeletedMarkerLeavesTheDoubt) {
    auto machine = machine_of(appending());
    machine.start(1, seen("a", 7), t0);
    lose(machine);
    machine.on_connected(1, {}, t0);
    EXPECT_EQ(machine.on_found_out({}, Finding::nothing, t0, 0), failed(server_error::connection_loss, tries(1)));
    EXPECT_TRUE(machine.in_doubt());
}

TEST(AtomicMachine, TheDoubtIsReportedIfItCannotBeResolved) {
    for (const error_code obstacle : {error_code(server_error::throttled), error_code(server_error::no_auth)}) {
        auto machine = machine_of(appending(), 1);
        machine.start(1, seen("a", 7), t0);
        lose(machine);
        machine.on_connected(1, {}, t0);
        EXPECT_EQ(machine.on_found_out(obstacle, Finding::nothing, t0, 0), failed(server_error::connection_loss, tries(1)));
    }
}

TEST(AtomicMachine, AWriteThatWasNotSentOrWasRefusedIsNoDoubt) {
    auto machine = machine_of(appending(), 1);
    machine.start(1, seen("a", 7), t0);
    EXPECT_EQ(lose(machine, error::not_connected), AtomicAction{PauseAtomic{}}) << "uses no retry";
    EXPECT_FALSE(machine.in_doubt());
    EXPECT_EQ(machine.on_connected(1, {}, t0), AtomicAction{ReadValue{}});
    EXPECT_EQ(machine.on_read({}, seen("a", 7), t0, 0), write("ax", 7));
    EXPECT_EQ(lose(machine, server_error::throttled), AtomicAction{PauseAtomic{10ms}});
    machine.on_connected(1, seen("a", 7), t0);
    EXPECT_EQ(lose(machine, server_error::throttled), failed(server_error::throttled, tries(3)));
    EXPECT_FALSE(machine.in_doubt());
}

TEST(AtomicMachine, RetriesOfTheCallAreCountedTogether) {
    auto machine = machine_of(appending(), 2);
    machine.start(1, seen("a", 7), t0);
    lose(machine);
    machine.on_connected(1, {}, t0);
    machine.on_found_out(server_error::connection_loss, Finding::nothing, t0, 0);
    machine.on_connected(1, {}, t0);
    EXPECT_EQ(machine.on_found_out(server_error::connection_loss, Finding::nothing, t0, 0),
              failed(server_error::connection_loss, tries(1)));
    EXPECT_TRUE(machine.in_doubt()) << "and the caller is told so";
}

TEST(AtomicMachine, ACallBoundToItsSessionStillLearnsItsResult) {
    auto machine = machine_of(appending(), 3, true);
    machine.start(1, seen("a", 7), t0);
    lose(machine);
    EXPECT_EQ(machine.on_connected(2, {}, t0), AtomicAction{FindOut{}});
    EXPECT_EQ(machine.on_found_out({}, Finding::not_applied, t0, 0), AtomicAction{PauseAtomic{}});
    EXPECT_EQ(machine.on_connected(2, {}, t0), failed(server_error::session_expired, tries(1, true)));
}

// ---- promoted to a mutex

AtomicMachine::Plan promoting() {
    auto plan = appending(RetryPolicy::n_times(1, 0ms));
    plan.promoted = RetryPolicy::n_times(1, 0ms);
    return plan;
}

TEST(AtomicMachine, TakesTheMutexWhenAllTriesAreUsedUp) {
    auto machine = machine_of(promoting());
    machine.start(1, seen("a", 1), t0);
    refuse(machine, seen("b", 2));
    EXPECT_EQ(machine.on_written({AnswerKind::refused, server_error::bad_version, seen("c", 3)}, t0 + 4ms, 0),
              AtomicAction{TakeMutex{}});
    EXPECT_EQ(machine.on_mutex({}, 1, {}, t0 + 10ms), AtomicAction{ReadValue{}});
    EXPECT_EQ(machine.on_read({}, seen("d", 4), t0 + 11ms, 0), write("dx", 4));
    EXPECT_EQ(machine.on_written({AnswerKind::refused, server_error::bad_version, seen("e", 5)}, t0 + 12ms, 0), write("ex", 5));
    EXPECT_EQ(machine.on_written({AnswerKind::applied}, t0 + 13ms, 0), done("e", "ex", {2, 4ms, 2, 9ms, false}));
}

TEST(AtomicMachine, WithoutTheMutexInTimeItHasNotSucceeded) {
    auto machine = machine_of(promoting());
    machine.start(1, seen("a", 1), t0);
    refuse(machine, seen("b", 2));
    refuse(machine, seen("c", 3));
    EXPECT_EQ(machine.on_mutex(error::not_acquired, 1, {}, t0 + 7ms), not_done("c", {2, 0ms, 0, 7ms, false}));
    auto forbidden = machine_of(promoting());
    forbidden.start(1, seen("a", 1), t0);
    refuse(forbidden, seen("b", 2));
    refuse(forbidden, seen("c", 3));
    EXPECT_EQ(forbidden.on_mutex(server_error::no_auth, 1, {}, t0), failed(server_error::no_auth, tries(2)));
}

TEST(AtomicMachine, EndsUnderTheMutexToo) {
    auto machine = machine_of(promoting());
    machine.start(1, seen("a", 1), t0);
    refuse(machine, seen("b", 2));
    refuse(machine, seen("c", 3));
    EXPECT_EQ(machine.on_mutex({}, 1, seen("c", 3), t0), write("cx", 3));
    EXPECT_EQ(refuse(machine, seen("d", 4)), write("dx", 4));
    EXPECT_EQ(refuse(machine, seen("e", 5)), not_done("e", {2, 0ms, 2, 0ms, false}));
}

} // namespace atomic_machine_story
} // namespace
} // namespace docent::detail
