// SPDX-License-Identifier: Apache-2.0
#include "client/events/circuit_breaker.hpp"

#include "unit/client/t0.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;
using Actions = CircuitBreakerActions;
using enum SessionState;

SessionEvent event(SessionState state, std::uint64_t epoch, error_code reason = {}) {
    return {state, epoch, static_cast<std::int64_t>(0xa0 + epoch), reason};
}
const SessionEvent connected_1 = event(connected, 1);
const SessionEvent suspended_1 = event(suspended, 1);
const SessionEvent presumed_1 = event(lost, 1, error::not_connected);
const SessionEvent expired_1 = event(lost, 1, server_error::session_expired);
const SessionEvent connected_2 = event(connected, 2);
const SessionEvent suspended_2 = event(suspended, 2);
const SessionEvent expired_2 = event(lost, 2, server_error::session_expired);
const SessionEvent connected_3 = event(connected, 3);
const SessionEvent the_end = event(closed, 1);

Actions tell(const SessionEvent& told) {
    return {.tell = told};
}
Actions open_and_tell(std::chrono::milliseconds pause, const SessionEvent& told) {
    return {.look_after = pause, .tell = told};
}

/// A machine with a clock that the test moves.
class CircuitBreakerMachineTest : public ::testing::Test {
protected:
    Actions hear(const SessionEvent& e) { return machine.on_event(e, now, 0); }
    Actions look_after(std::chrono::milliseconds pause) { return machine.on_look(now += pause, 0); }

    CircuitBreakerMachine machine{RetryPolicy::n_times(2, 100ms)};
    steady_clock::time_point now = t0;
};

TEST_F(CircuitBreakerMachineTest, PassesEverythingOnWhileNothingBreaks) {
    EXPECT_EQ(hear(event(connecting, 0)), tell(event(connecting, 0)));
    EXPECT_EQ(hear(connected_1), tell(connected_1));
    EXPECT_EQ(hear(connected_2), tell(connected_2));
}

TEST_F(CircuitBreakerMachineTest, KeepsTheNoiseOfABadConnectionBack) {
    hear(connected_1);
    EXPECT_EQ(hear(suspended_1), open_and_tell(100ms, suspended_1));
    EXPECT_EQ(hear(connected_1), Actions{});
    EXPECT_EQ(hear(suspended_1), Actions{});
    EXPECT_EQ(hear(connected_1), Actions{});
    EXPECT_EQ(look_after(100ms), tell(connected_1));
    EXPECT_EQ(hear(suspended_1), open_and_tell(100ms, suspended_1)) << "closed: the next break opens it again";
}

TEST_F(CircuitBreakerMachineTest, LooksAgainWhileTheConnectionIsBroken) {
    hear(connected_1);
    hear(suspended_1);
    EXPECT_EQ(look_after(100ms), Actions{.look_after = 100ms});
    EXPECT_EQ(hear(connected_1), Actions{});
    EXPECT_EQ(look_after(100ms), tell(connected_1));
}

TEST_F(CircuitBreakerMachineTest, ExhaustedRetriesCloseItWithTheListenerUpToDate) {
    hear(suspended_1);
    look_after(100ms);
    hear(connected_1);
    hear(suspended_1);
    EXPECT_EQ(look_after(100ms), Actions{}) << "the listener has heard of just this last";
    EXPECT_EQ(hear(connected_1), tell(connected_1)) << "closed";
}

TEST_F(CircuitBreakerMachineTest, ExhaustedRetriesTellALastEventThatIsNew) {
    hear(expired_1);
    hear(connected_2);
    hear(suspended_2);
    look_after(100ms);
    EXPECT_EQ(look_after(100ms), tell(suspended_2));
    EXPECT_EQ(hear(expired_2), open_and_tell(100ms, expired_2));
}

TEST_F(CircuitBreakerMachineTest, EveryOpeningHasAllThePauses) {
    for (int opening = 0; opening < 3; ++opening) {
        EXPECT_EQ(hear(suspended_1), open_and_tell(100ms, suspended_1));
        EXPECT_EQ(look_after(100ms), Actions{.look_after = 100ms});
        EXPECT_EQ(look_after(100ms), Actions{});
        EXPECT_EQ(hear(connected_1), tell(connected_1));
        now += 1h;
    }
}

TEST_F(CircuitBreakerMachineTest, ThePolicysTimeRunsFromTheOpening) {
    machine = CircuitBreakerMachine(RetryPolicy::until_elapsed(1s, 400ms));
    now += 1h;
    EXPECT_EQ(hear(suspended_1), open_and_tell(400ms, suspended_1));
    EXPECT_EQ(look_after(400ms), Actions{.look_after = 400ms});
    EXPECT_EQ(look_after(400ms), Actions{});
    EXPECT_EQ(hear(connected_1), tell(connected_1));
}

TEST_F(CircuitBreakerMachineTest, APolicyWithoutPausesNeverOpensIt) {
    machine = CircuitBreakerMachine(RetryPolicy::none());
    EXPECT_EQ(hear(suspended_1), tell(suspended_1));
    EXPECT_EQ(hear(connected_1), tell(connected_1));
    EXPECT_EQ(hear(suspended_1), tell(suspended_1));
}

TEST_F(CircuitBreakerMachineTest, TheRandomNumberIsThePolicys) {
    machine = CircuitBreakerMachine(RetryPolicy::exponential_backoff(100ms, 3));
    EXPECT_EQ(machine.on_event(suspended_1, t0, 1), open_and_tell(100ms, suspended_1));
    EXPECT_EQ(machine.on_look(t0 + 100ms, 3), Actions{.look_after = 300ms});
}

TEST_F(CircuitBreakerMachineTest, ALossIsToldAtOnce) {
    hear(suspended_1);
    EXPECT_EQ(hear(expired_1), tell(expired_1));
    EXPECT_EQ(hear(connected_2), Actions{});
    EXPECT_EQ(look_after(100ms), tell(connected_2));
}

TEST_F(CircuitBreakerMachineTest, ANewSessionIsReportedAfterTheLossOfTheOldOne) {
    hear(suspended_1);
    hear(connected_1);
    EXPECT_EQ(hear(expired_1), tell(expired_1)) << "also if the connection had come back meanwhile";
    hear(connected_2);
    EXPECT_EQ(look_after(100ms), tell(connected_2));
}

TEST_F(CircuitBreakerMachineTest, TheLossOfASessionThatWasKeptBackIsToldToo) { // Curator reports only the first loss
    EXPECT_EQ(hear(expired_1), open_and_tell(100ms, expired_1));
    EXPECT_EQ(hear(connected_2), Actions{});
    EXPECT_EQ(hear(suspended_2), Actions{});
    EXPECT_EQ(hear(expired_2), tell(expired_2));
    EXPECT_EQ(hear(connected_3), Actions{});
    EXPECT_EQ(look_after(100ms), tell(connected_3));
}

TEST_F(CircuitBreakerMachineTest, OneLossIsToldOnceHoweverOftenItIsPresumed) {
    hear(suspended_1);
    EXPECT_EQ(hear(presumed_1), tell(presumed_1));
    EXPECT_EQ(hear(connected_1), Actions{});
    EXPECT_EQ(hear(suspended_1), Actions{});
    EXPECT_EQ(hear(presumed_1), Actions{});
    EXPECT_EQ(hear(expired_1), Actions{});
    EXPECT_EQ(hear(connected_2), Actions{});
    EXPECT_EQ(look_after(100ms), tell(connected_2));
}

TEST_F(CircuitBreakerMachineTest, ASessionThatCameBackCanBeLostAgain) {
    hear(suspended_1);
    hear(presumed_1);
    hear(connected_1);
    EXPECT_EQ(look_after(100ms), tell(connected_1));
    EXPECT_EQ(hear(suspended_1), open_and_tell(100ms, suspended_1));
    EXPECT_EQ(hear(expired_1), tell(expired_1));
}

TEST_F(CircuitBreakerMachineTest, APresumedLossThatBecameCertainIsToldInTheEnd) {
    hear(suspended_1);
    hear(presumed_1);
    EXPECT_EQ(hear(expired_1), Actions{});
    look_after(100ms);
    EXPECT_EQ(look_after(100ms), tell(expired_1));
}

TEST_F(CircuitBreakerMachineTest, ClosingTheClientEndsIt) {
    EXPECT_EQ(hear(suspended_1), open_and_tell(100ms, suspended_1));
    EXPECT_EQ(hear(connected_1), Actions{});
    EXPECT_EQ(hear(the_end), (Actions{.stop_looking = true, .tell = the_end}));
    EXPECT_EQ(look_after(100ms), Actions{}) << "a timer that could not be stopped any more";
    EXPECT_EQ(hear(suspended_1), Actions{});
}

TEST_F(CircuitBreakerMachineTest, ClosingTheClientNeedsNoOpenCircuit) {
    hear(connected_1);
    EXPECT_EQ(hear(the_end), tell(the_end));
}

/// Random events of a client in an order that SessionMachine can produce, with random looks in between.
class RandomLife {
public:
    explicit RandomLife(unsigned seed) : random_(seed) {}

    /// The next event; none if it is time for a look.
    std::optional<SessionEvent> next() {
        switch (random_() % 4) {
        case 0: return std::nullopt;
        case 1: return change(suspended, last_.state == connected);
        case 2: return change(lost, last_.state == connected || last_.state == suspended);
        default:
            if (last_.state == lost && random_() % 2 == 0) ++last_.epoch;
            return change(connected, last_.state != connected);
        }
    }

private:
    std::optional<SessionEvent> change(SessionState state, bool possible) {
        if (!possible) return std::nullopt;
        last_.state = state;
        last_.reason = state == lost ? error_code(error::not_connected) : error_code();
        return last_;
    }

    std::mt19937 random_;
    SessionEvent last_ = event(lost, 0);
};

TEST(CircuitBreakerMachine, NoLossIsHiddenAndNoEventIsInvented) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        CircuitBreakerMachine machine{RetryPolicy::n_times(3, 100ms)};
        RandomLife life{seed};
        std::vector<SessionEvent> happened;
        std::vector<SessionEvent> told;
        bool is_open = false;
        for (int step = 0; step < 60; ++step) {
            const auto next = life.next();
            if (!next && !is_open) continue;
            if (next) happened.push_back(*next);
            const Actions actions = next ? machine.on_event(*next, t0, 0) : machine.on_look(t0, 0);
            if (!next) is_open = false;
            if (actions.look_after) is_open = true;
            if (actions.tell) told.push_back(*actions.tell);
            if (!is_open && !happened.empty()) {
                ASSERT_EQ(told.back(), happened.back()) << "up to date while the circuit is closed";
            }
        }
        auto heard = happened.begin();
        for (const auto& e : told) {
            heard = std::find(heard, happened.end(), e);
            ASSERT_NE(heard, happened.end()) << "told what did not happen, or too late";
            ++heard;
        }
        for (const auto& e : happened) {
            if (e.state != lost) continue;
            ASSERT_NE(std::find(told.begin(), told.end(), e), told.end()) << "the loss of session " << e.epoch << " is hidden";
        }
        for (std::size_t i = 1; i < told.size(); ++i) {
            if (told[i].state != connected || told[i].epoch == told[i - 1].epoch) continue;
            ASSERT_EQ(told[i - 1].state, lost) << "another session without a loss";
        }
    }
}

} // namespace
} // namespace docent::detail
