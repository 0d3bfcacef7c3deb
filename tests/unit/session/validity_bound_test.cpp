// SPDX-License-Identifier: Apache-2.0
#include "session/validity_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

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

/// A client that sends heartbeats only, each answered after `latency`, on a connection that took `connecting`.
class Beats {
public:
    using Interval = std::function<milliseconds(milliseconds timeout, int sent)>;

    Beats(Interval interval, milliseconds latency) : interval_(std::move(interval)), latency_(latency) {
        bound_.on_new_session(t0, t0, timeout);
        go_on(200);
    }
    /// How far the bound reaches, counted from when the last heartbeat was sent.
    BootClock::duration reach() const { return until_ - sent_; }
    /// The shortest time from an answer to the bound of the answers before.
    BootClock::duration shortest() const { return shortest_; }
    /// The session is lost, and a server accepts it again.
    void resume(milliseconds connecting) {
        const auto started = sent_ + 100 * timeout;
        until_ = bound_.on_return(started, started + connecting, timeout);
        sent_ = started + connecting;
        shortest_ = until_ - sent_;
        beats_ = 0;
        go_on(200);
    }

private:
    void go_on(int count) {
        for (int i = 0; i < count; ++i) {
            sent_ += interval_(timeout, beats_++);
            if (until_ != BootClock::time_point{}) shortest_ = std::min(shortest_, until_ - (sent_ + latency_));
            until_ = bound_.on_answer(sent_, sent_ + latency_, true);
        }
    }

    Interval interval_;
    milliseconds latency_;
    ValidityBound bound_;
    BootClock::time_point sent_ = t0;
    BootClock::time_point until_{};
    BootClock::duration shortest_ = timeout;
    int beats_ = 0;
};

milliseconds frequent(milliseconds timeout_now, int) {
    return frequent_heartbeats(timeout_now);
}
milliseconds idle(milliseconds timeout_now, int) {
    return idle_heartbeats(timeout_now);
}

// The figures are those of docs/proof.md and docs/guarantees.md.

TEST_F(ValidityBoundTest, ReachesSevenTwelfthsFurtherThanTheLastAnsweredHeartbeat) {
    EXPECT_EQ(Beats(frequent, timeout / 48).reach(), timeout * 7 / 12);
    EXPECT_EQ(Beats(idle, timeout / 24).reach(), timeout * 11 / 24);
    EXPECT_EQ(Beats(relaxed_heartbeats, timeout / 12).reach(), timeout * 19 / 48);
}

TEST_F(ValidityBoundTest, AnOutageThatIsShorterCostsNoLock) {
    EXPECT_EQ(Beats(frequent, 0ms).shortest(), timeout / 2);
    EXPECT_EQ(Beats(idle, 0ms).shortest(), timeout * 7 / 24);
    EXPECT_EQ(Beats(relaxed_heartbeats, 0ms).shortest(), timeout * 5 / 24);
}

TEST_F(ValidityBoundTest, SlowAnswersCostLocksBeyondALimit) {
    EXPECT_GE(Beats(frequent, timeout * 3 / 16).shortest(), 0ms);
    EXPECT_LT(Beats(frequent, timeout * 4 / 16).shortest(), 0ms);
    EXPECT_GE(Beats(relaxed_heartbeats, timeout / 12).shortest(), 0ms);
    EXPECT_LT(Beats(relaxed_heartbeats, timeout / 11).shortest(), 0ms);
}

TEST_F(ValidityBoundTest, AResumedSessionIsConfirmedBeforeItsBoundPasses) {
    for (const auto& [interval, connecting, latency] :
         {std::tuple{Beats::Interval(frequent), timeout / 4 - timeout / 48, timeout / 48},
          std::tuple{Beats::Interval(relaxed_heartbeats), timeout * 5 / 24 - timeout / 16, timeout / 16}}) {
        Beats beats(interval, latency);
        beats.resume(connecting);
        EXPECT_GE(beats.shortest(), 0ms);
    }
}

TEST_F(ValidityBoundTest, ARelaxedClientSendsAThirdOfTheHeartbeats) {
    milliseconds sum{0};
    for (int sent = 1000; sent < 1016; ++sent) sum += relaxed_heartbeats(timeout, sent);
    EXPECT_EQ(sum, 3 * timeout);
    EXPECT_EQ(relaxed_heartbeats(timeout, 0) + relaxed_heartbeats(timeout, 1) + relaxed_heartbeats(timeout, 2),
              timeout * 3 / 8);
}

TEST_F(ValidityBoundTest, OfCountlessRequestsReachesNoFurtherThanThatOfAResumedSession) {
    for (int i = 0; i < 100'000; ++i) bound.on_answer(t0 + i * 1ms, t0 + i * 1ms + 2ms, true);
    const auto until = bound.on_answer(t0 + 100s, t0 + 100s + 2ms, true);
    EXPECT_LE(until, t0 + 100s + timeout * 5 / 8);
    EXPECT_GT(until, t0 + 100s + timeout * 5 / 8 - timeout / 96) << "one request in each T/96 is kept";
}

} // namespace
} // namespace docent::session
