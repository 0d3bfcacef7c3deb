// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/supervision.hpp"

#include <gtest/gtest.h>

#include <variant>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;
using Action = Supervision::Action;

constexpr Supervision::time_point t0{};
constexpr int exited_with(int code) {
    return code << 8;
} // in the form that waitpid() returns
constexpr int killed_by(int signal) {
    return signal;
}
constexpr bool something_left = true;
constexpr bool nothing_left = false;

TEST(Supervision, EndsAsTheProgramDid) {
    EXPECT_EQ(Supervision(1s).on_program_ended(exited_with(0)), Action{Supervision::Finish{0}});
    EXPECT_EQ(Supervision(1s).on_program_ended(exited_with(3)), Action{Supervision::Finish{3}});
    EXPECT_EQ(Supervision(1s).on_program_ended(killed_by(SIGSEGV)), Action{Supervision::Finish{139}});
}

TEST(Supervision, PassesSignalsOn) {
    Supervision supervision(1s);
    EXPECT_EQ(supervision.on_signal({SIGTERM, false}), Action{Supervision::PassOn{SIGTERM}});
    EXPECT_EQ(supervision.on_signal({SIGINT, false}), Action{Supervision::PassOn{SIGINT}});
    EXPECT_EQ(supervision.on_signal({SIGHUP, false}), Action{Supervision::PassOn{SIGHUP}});
}

TEST(Supervision, PassesOnSignalsThatDoNotAskToEnd) {
    Supervision supervision(1s);
    for (const int number : {SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT, SIGPIPE, SIGRTMIN}) {
        EXPECT_EQ(supervision.on_signal({number, false}), Action{Supervision::PassOn{number}});
    }
    EXPECT_EQ(supervision.to_end(), std::nullopt) << "to the program each may mean anything";
    supervision.on_lost(t0);
    supervision.on_signal({SIGUSR1, false});
    EXPECT_EQ(supervision.to_end(), std::nullopt);
    supervision.on_signal({SIGALRM, false});
    EXPECT_EQ(supervision.to_end(), SIGALRM) << "the program is being ended: this is for docent";
}

TEST(Supervision, PausesWithTheProgramThatHasGotTheSignalFromTheTerminal) {
    EXPECT_EQ(Supervision(1s).on_signal({SIGTSTP, true}), Action{Supervision::Pause{false}});
    EXPECT_EQ(Supervision(1s).on_signal({SIGTSTP, false}), Action{Supervision::Pause{true}});
}

TEST(Supervision, DoesNotPauseWhileItEndsTheProgram) {
    Supervision supervision(1s);
    supervision.on_lost(t0);
    EXPECT_EQ(supervision.on_signal({SIGTSTP, false}), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_signal({SIGTSTP, true}), Action{Supervision::Nothing{}});
}

TEST(Supervision, TheFirstKillDoesNotWaitForALook) {
    Supervision supervision(1s);
    EXPECT_EQ(supervision.on_time(t0), Action{Supervision::Nothing{}}) << "the program runs";
    supervision.on_lost(t0);
    EXPECT_EQ(supervision.on_time(t0 + 999ms), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_time(t0 + 1s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_time(t0 + 1s), Action{Supervision::Nothing{}}) << "the next ones come of what is seen";
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1s), Action{Supervision::KillAll{}});
}

TEST(Supervision, DoesNotPassOnASignalOfTheTerminal) {
    EXPECT_EQ(Supervision(1s).on_signal({SIGINT, true}), Action{Supervision::Nothing{}});
}

TEST(Supervision, KnowsWhetherItWasToldToEnd) {
    Supervision supervision(1s);
    EXPECT_EQ(supervision.to_end(), std::nullopt);
    supervision.on_signal({SIGHUP, false}); // for example a program that reads its configuration again
    EXPECT_EQ(supervision.to_end(), std::nullopt);
    supervision.on_signal({SIGINT, true});
    EXPECT_EQ(supervision.to_end(), SIGINT);
    Supervision stopping(1s);
    stopping.on_lost(t0);
    stopping.on_signal({SIGHUP, false});
    EXPECT_EQ(stopping.to_end(), SIGHUP);
}

TEST(Supervision, LossStopsTheProgramAndKillsItAfterTheGrace) {
    Supervision supervision(2s);
    EXPECT_FALSE(supervision.is_stopping());
    EXPECT_EQ(supervision.on_lost(t0), Action{Supervision::StopAll{}});
    EXPECT_TRUE(supervision.is_stopping());
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1999ms), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 2s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 3s),
              Action{Supervision::KillAll{}}); // the program may have forked since the last look
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 3s), Action{Supervision::Finish{76}});
}

TEST(Supervision, AfterALossTheExitCodeIsNoLongerTheProgramsOwn) {
    Supervision supervision(2s);
    supervision.on_lost(t0);
    EXPECT_EQ(supervision.on_program_ended(exited_with(0)), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1s),
              Action{Supervision::Nothing{}}); // processes that the program had started
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 1s), Action{Supervision::Finish{76}});
}

TEST(Supervision, ASecondLossDoesNotLengthenTheGrace) {
    Supervision supervision(2s);
    supervision.on_lost(t0);
    EXPECT_EQ(supervision.on_lost(t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 2s), Action{Supervision::KillAll{}});
}

TEST(Supervision, RevocationStopsTheProgramAndEndsAsItDid) {
    Supervision supervision(2s);
    EXPECT_EQ(supervision.on_revoked(t0), Action{Supervision::StopAll{}});
    EXPECT_TRUE(supervision.is_stopping());
    EXPECT_FALSE(supervision.is_lost());
    EXPECT_EQ(supervision.on_revoked(t0 + 1s), Action{Supervision::Nothing{}}) << "the grace is not lengthened";
    EXPECT_EQ(supervision.on_program_ended(killed_by(SIGTERM)), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1s),
              Action{Supervision::Nothing{}}); // processes that the program had started
    EXPECT_EQ(supervision.on_look(something_left, t0 + 2s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 2s), Action{Supervision::Finish{143}});
}

TEST(Supervision, AfterARevocationItWaitsToLearnHowTheProgramEnded) {
    Supervision supervision(2s);
    supervision.on_revoked(t0);
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 3s), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_program_ended(exited_with(0)), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 3s), Action{Supervision::Finish{0}});
}

TEST(Supervision, ALossCountsMoreThanARevocation) {
    Supervision supervision(2s);
    supervision.on_revoked(t0);
    EXPECT_EQ(supervision.on_lost(t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_TRUE(supervision.is_lost());
    EXPECT_EQ(supervision.on_revoked(t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_TRUE(supervision.is_lost());
    EXPECT_EQ(supervision.on_program_ended(exited_with(0)), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 2s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 2s), Action{Supervision::Finish{76}});
}

TEST(Supervision, TheEndOfTheHoldStopsTheProgramAndKillsItAfterTheGrace) {
    Supervision supervision(2s);
    EXPECT_EQ(supervision.on_expired(t0), Action{Supervision::StopAll{}});
    EXPECT_TRUE(supervision.is_stopping());
    EXPECT_TRUE(supervision.is_expired());
    EXPECT_EQ(supervision.on_expired(t0 + 1s), Action{Supervision::Nothing{}}) << "the grace is not lengthened";
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1999ms), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 2s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_program_ended(exited_with(0)), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 2s), Action{Supervision::Finish{124}}) << "whatever it says";
}

TEST(Supervision, TheEndOfTheHoldCountsLessThanALossAndNothingAfterARequest) {
    Supervision lost(2s);
    lost.on_expired(t0);
    EXPECT_EQ(lost.on_lost(t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_TRUE(lost.is_lost());
    EXPECT_EQ(lost.on_look(nothing_left, t0 + 1s), Action{Supervision::Finish{76}});
    Supervision revoked(2s);
    revoked.on_revoked(t0);
    EXPECT_EQ(revoked.on_expired(t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_FALSE(revoked.is_expired());
}

TEST(Supervision, WithoutAGuardItKillsAtOnceAndEndsAsTheProgramDid) {
    Supervision supervision(2s);
    EXPECT_EQ(supervision.on_unguarded(t0), Action{Supervision::KillAll{}});
    EXPECT_TRUE(supervision.is_unguarded());
    EXPECT_EQ(supervision.on_program_ended(killed_by(SIGKILL)), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0), Action{Supervision::Finish{137}});
}

TEST(Supervision, ALossWithoutAGuardIsALoss) {
    Supervision supervision(2s);
    supervision.on_lost(t0);
    EXPECT_EQ(supervision.on_unguarded(t0), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(something_left, t0), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0), Action{Supervision::Finish{76}});
}

TEST(Supervision, WithoutGraceItKillsAtOnce) {
    Supervision supervision(0s);
    EXPECT_EQ(supervision.on_lost(t0), Action{Supervision::StopAll{}});
    EXPECT_EQ(supervision.on_look(something_left, t0), Action{Supervision::KillAll{}});
}

} // namespace
} // namespace docent::cli
