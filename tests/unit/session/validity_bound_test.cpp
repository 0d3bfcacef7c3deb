// SPDX-License-Identifier: Apache-2.0
#include "session/validity_bound.hpp"

#include <gtest/gtest.h>

namespace docent::session {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds timeout = 24s; // one twenty-fourth of it is a second
constexpr BootClock::time_point t0{1000s};

class ValidityBoundTest : public ::testing::Test {
protected:
    /// Begins with a session that a server made at t0.
    ValidityBoundTest() { bound.on_new_session(t0, t0 + 100ms, timeout); }

    ValidityBound bound;
};

TEST_F(ValidityBoundTest, NewSessionLeavesTimeForTheGraceOfACommand) {
    EXPECT_EQ(ValidityBound().on_new_session(t0, t0 + 100ms, timeout) + timeout / 12, t0 + 23s);
}

TEST_F(ValidityBoundTest, OneAnswerOfTheLeaderProvesNothingNew) {
    EXPECT_EQ(bound.on_answer(t0 + 10s, t0 + 10s + 100ms, true), t0 + 21s);
}

TEST_F(ValidityBoundTest, TheSecondAnswerProvesARequestAnsweredAPingGapBeforeTheFirst) {
    bound.on_answer(t0 + 2s, t0 + 3s, false);
    bound.on_answer(t0 + 10s, t0 + 11s, true); // seven seconds after the answer
    EXPECT_EQ(bound.on_answer(t0 + 11s, t0 + 12s, true), t0 + 2s + 23s);
}

TEST_F(ValidityBoundTest, ALaterAnswerMayHaveMissedThePing) {
    bound.on_answer(t0 + 2s, t0 + 3s + 1ns, false);
    bound.on_answer(t0 + 10s, t0 + 11s, true);
    EXPECT_EQ(bound.on_answer(t0 + 11s, t0 + 12s, true), t0 + 23s) << "only the beginning did not";
}

TEST_F(ValidityBoundTest, SecondMustHaveBeenSentWhenTheFirstWasAnswered) {
    bound.on_answer(t0 + 2s, t0 + 3s, false);
    bound.on_answer(t0 + 10s, t0 + 11s, true);
    EXPECT_EQ(bound.on_answer(t0 + 11s - 1ns, t0 + 12s, true), t0 + 21s) << "the ping's answer may be behind it";
}

TEST_F(ValidityBoundTest, AnswersOfTheFollowerAloneProveNothing) {
    bound.on_answer(t0 + 2s, t0 + 3s, false);
    bound.on_answer(t0 + 10s, t0 + 11s, false);
    EXPECT_EQ(bound.on_answer(t0 + 12s, t0 + 13s, false), t0 + 21s);
}

TEST_F(ValidityBoundTest, ReturnIsBelievedForLessAndBeginsAnew) {
    bound.on_answer(t0 + 10s, t0 + 11s, true);
    EXPECT_EQ(bound.on_return(t0 + 12s, t0 + 13s, timeout), t0 + 12s + 15s);
    EXPECT_EQ(bound.on_answer(t0 + 20s, t0 + 21s, true), t0 + 27s) << "the other connection's answers do not count";
    EXPECT_EQ(bound.on_answer(t0 + 21s, t0 + 22s, true), t0 + 12s + 23s);
}

TEST_F(ValidityBoundTest, AReturnForgetsAnswersOfTheOldConnection) {
    bound.on_answer(t0 + 10s, t0 + 10s, false);
    bound.on_answer(t0 + 17s, t0 + 17s, true); // seven seconds after the answer: the next answer would prove the first
    EXPECT_EQ(bound.on_return(t0 + 17s, t0 + 18s, timeout), t0 + 17s + 15s);
    EXPECT_EQ(bound.on_answer(t0 + 18s, t0 + 19s, true), t0 + 17s + 15s) << "another follower may have passed it on";
}

TEST_F(ValidityBoundTest, ReturnTakesNothingBack) {
    EXPECT_EQ(bound.on_return(t0 + 1s, t0 + 2s, timeout), t0 + 21s);
}

/// The reach of the bound as the pages state it.
BootClock::duration reach(milliseconds every) {
    ValidityBound bound;
    bound.on_new_session(t0, t0, timeout);
    BootClock::time_point sent = t0;
    BootClock::time_point until;
    for (int i = 0; i < 100; ++i) {
        sent += every;
        until = bound.on_answer(sent, sent + timeout / 100, true);
        EXPECT_LT(sent + timeout / 100 + every, until);
    }
    return until - sent;
}

TEST_F(ValidityBoundTest, ReachesSevenTwelfthsFurtherThanTheLastAnsweredHeartbeat) {
    EXPECT_EQ(reach(frequent_heartbeats(timeout)), timeout * 7 / 12);
    EXPECT_EQ(reach(idle_heartbeats(timeout)), timeout * 11 / 24);
}

TEST_F(ValidityBoundTest, CountlessRequestsReachAsFar) {
    for (int i = 0; i < 100'000; ++i) bound.on_answer(t0 + i * 1ms, t0 + i * 1ms + 2ms, true);
    const auto until = bound.on_answer(t0 + 100s, t0 + 100s + 2ms, true);
    EXPECT_GE(until, t0 + 100s + timeout * 15 / 24);
    EXPECT_LE(until, t0 + 100s + timeout * 16 / 24);
}

} // namespace
} // namespace docent::session
