// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/supervisor.hpp"

#include "cli/hold/loss.hpp"

#include "unit/recipes/lease/lease_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

using Action = Supervision::Action;

constexpr Supervision::time_point t0{};
/// The wait status of a program, as waitpid() returns it.
constexpr int exited_with(int code) {
    return code << 8;
}
constexpr int killed_by(int signal) {
    return signal;
}
constexpr Left something_left = Left::something;
constexpr Left nothing_left = Left::nothing;
constexpr auto longest_search = 10s;

TEST(Supervision, EndsAsTheProgramDid) {
    EXPECT_EQ(Supervision(1s, longest_search).on_program_ended(exited_with(0), t0), Action{Supervision::Finish{0}});
    EXPECT_EQ(Supervision(1s, longest_search).on_program_ended(exited_with(3), t0), Action{Supervision::Finish{3}});
    EXPECT_EQ(Supervision(1s, longest_search).on_program_ended(killed_by(SIGSEGV), t0), Action{Supervision::Finish{139}});
}

TEST(Supervision, PassesSignalsOn) {
    Supervision supervision(1s, longest_search);
    EXPECT_EQ(supervision.on_signal({SIGTERM, false}), Action{Supervision::PassOn{SIGTERM}});
    EXPECT_EQ(supervision.on_signal({SIGINT, false}), Action{Supervision::PassOn{SIGINT}});
    EXPECT_EQ(supervision.on_signal({SIGHUP, false}), Action{Supervision::PassOn{SIGHUP}});
}

TEST(Supervision, PassesOnSignalsThatDoNotAskToEnd) {
    Supervision supervision(1s, longest_search);
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
    EXPECT_EQ(Supervision(1s, longest_search).on_signal({SIGTSTP, true}), Action{Supervision::Pause{false}});
    EXPECT_EQ(Supervision(1s, longest_search).on_signal({SIGTSTP, false}), Action{Supervision::Pause{true}});
}

TEST(Supervision, DoesNotPauseWhileItEndsTheProgram) {
    Supervision supervision(1s, longest_search);
    supervision.on_lost(t0);
    EXPECT_EQ(supervision.on_signal({SIGTSTP, false}), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_signal({SIGTSTP, true}), Action{Supervision::Nothing{}});
}

TEST(Supervision, TheFirstKillDoesNotWaitForALook) {
    Supervision supervision(1s, longest_search);
    EXPECT_EQ(supervision.on_time(t0), Action{Supervision::Nothing{}}) << "the program runs";
    supervision.on_lost(t0);
    EXPECT_EQ(supervision.on_time(t0 + 999ms), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_time(t0 + 1s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_time(t0 + 1s), Action{Supervision::Nothing{}}) << "the next ones come of what is seen";
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1s), Action{Supervision::KillAll{}});
}

TEST(Supervision, DoesNotPassOnASignalOfTheTerminal) {
    EXPECT_EQ(Supervision(1s, longest_search).on_signal({SIGINT, true}), Action{Supervision::Nothing{}});
}

TEST(Supervision, KnowsWhetherItWasToldToEnd) {
    Supervision supervision(1s, longest_search);
    EXPECT_EQ(supervision.to_end(), std::nullopt);
    supervision.on_signal({SIGHUP, false}); // for example a program that reads its configuration again
    EXPECT_EQ(supervision.to_end(), std::nullopt);
    supervision.on_signal({SIGINT, true});
    EXPECT_EQ(supervision.to_end(), SIGINT);
    Supervision stopping(1s, longest_search);
    stopping.on_lost(t0);
    stopping.on_signal({SIGHUP, false});
    EXPECT_EQ(stopping.to_end(), SIGHUP);
}

TEST(Supervision, LossStopsTheProgramAndKillsItAfterTheGrace) {
    Supervision supervision(2s, longest_search);
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
    Supervision supervision(2s, longest_search);
    supervision.on_lost(t0);
    EXPECT_EQ(supervision.on_program_ended(exited_with(0), t0), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1s),
              Action{Supervision::Nothing{}}); // waits for processes that the program had started
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 1s), Action{Supervision::Finish{76}});
}

TEST(Supervision, ASecondLossDoesNotLengthenTheGrace) {
    Supervision supervision(2s, longest_search);
    supervision.on_lost(t0);
    EXPECT_EQ(supervision.on_lost(t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 2s), Action{Supervision::KillAll{}});
}

TEST(Supervision, RevocationStopsTheProgramAndEndsAsItDid) {
    Supervision supervision(2s, longest_search);
    EXPECT_EQ(supervision.on_revoked(t0), Action{Supervision::StopAll{}});
    EXPECT_TRUE(supervision.is_stopping());
    EXPECT_FALSE(supervision.is_lost());
    EXPECT_EQ(supervision.on_revoked(t0 + 1s), Action{Supervision::Nothing{}}) << "the grace is not lengthened";
    EXPECT_EQ(supervision.on_program_ended(killed_by(SIGTERM), t0), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1s),
              Action{Supervision::Nothing{}}); // waits for processes that the program had started
    EXPECT_EQ(supervision.on_look(something_left, t0 + 2s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 2s), Action{Supervision::Finish{143}});
}

TEST(Supervision, AfterARevocationItWaitsToLearnHowTheProgramEnded) {
    Supervision supervision(2s, longest_search);
    supervision.on_revoked(t0);
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 3s), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_program_ended(exited_with(0), t0), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 3s), Action{Supervision::Finish{0}});
}

TEST(Supervision, ALossCountsMoreThanARevocation) {
    Supervision supervision(2s, longest_search);
    supervision.on_revoked(t0);
    EXPECT_EQ(supervision.on_lost(t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_TRUE(supervision.is_lost());
    EXPECT_EQ(supervision.on_revoked(t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_TRUE(supervision.is_lost());
    EXPECT_EQ(supervision.on_program_ended(exited_with(0), t0), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 2s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 2s), Action{Supervision::Finish{76}});
}

TEST(Supervision, TheEndOfTheHoldStopsTheProgramAndKillsItAfterTheGrace) {
    Supervision supervision(2s, longest_search);
    EXPECT_EQ(supervision.on_expired(t0), Action{Supervision::StopAll{}});
    EXPECT_TRUE(supervision.is_stopping());
    EXPECT_TRUE(supervision.is_expired());
    EXPECT_EQ(supervision.on_expired(t0 + 1s), Action{Supervision::Nothing{}}) << "the grace is not lengthened";
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1999ms), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 2s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_program_ended(exited_with(0), t0), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 2s), Action{Supervision::Finish{124}}) << "whatever it says";
}

TEST(Supervision, TheEndOfTheHoldCountsLessThanALossAndNothingAfterARequest) {
    Supervision lost(2s, longest_search);
    lost.on_expired(t0);
    EXPECT_EQ(lost.on_lost(t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_TRUE(lost.is_lost());
    EXPECT_EQ(lost.on_look(nothing_left, t0 + 1s), Action{Supervision::Finish{76}});
    Supervision revoked(2s, longest_search);
    revoked.on_revoked(t0);
    EXPECT_EQ(revoked.on_expired(t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_FALSE(revoked.is_expired());
}

TEST(Supervision, WithoutAGuardItKillsAtOnceAndEndsAsTheProgramDid) {
    Supervision supervision(2s, longest_search);
    EXPECT_EQ(supervision.on_unguarded(t0), Action{Supervision::KillAll{}});
    EXPECT_TRUE(supervision.is_unguarded());
    EXPECT_EQ(supervision.on_program_ended(killed_by(SIGKILL), t0), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0), Action{Supervision::Finish{137}});
}

TEST(Supervision, ALossWithoutAGuardIsALoss) {
    Supervision supervision(2s, longest_search);
    supervision.on_lost(t0);
    EXPECT_EQ(supervision.on_unguarded(t0), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(something_left, t0), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0), Action{Supervision::Finish{76}});
}

TEST(Supervision, WithoutGraceItKillsAtOnce) {
    Supervision supervision(0s, longest_search);
    EXPECT_EQ(supervision.on_lost(t0), Action{Supervision::StopAll{}});
    EXPECT_EQ(supervision.on_look(something_left, t0), Action{Supervision::KillAll{}});
}

TEST(Supervision, ASearchThatDoesNotEndKeepsTheLockForItsLimit) {
    Supervision supervision(2s, longest_search);
    supervision.on_expired(t0);
    supervision.on_program_ended(killed_by(SIGTERM), t0);
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1s), Action{Supervision::Nothing{}}) << "a descendant";
    EXPECT_EQ(supervision.on_look(Left::unknown, t0 + 3s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(Left::unknown, t0 + 12s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(Left::unknown, t0 + 13s), (Action{Supervision::Finish{124, true}}));
}

TEST(Supervision, TheLimitBeginsAnewWithEachSearchThatFindsSomething) {
    Supervision supervision(2s, longest_search);
    supervision.on_lost(t0);
    supervision.on_program_ended(killed_by(SIGTERM), t0);
    supervision.on_look(Left::unknown, t0 + 1s);
    supervision.on_look(something_left, t0 + 10s);
    EXPECT_EQ(supervision.on_look(Left::unknown, t0 + 11s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(Left::unknown, t0 + 20s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(Left::unknown, t0 + 21s), (Action{Supervision::Finish{76, true}}));
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 21s), Action{Supervision::Finish{76}});
}

TEST(Supervision, ALongGraceDoesNotLengthenTheLimitOfASearch) {
    Supervision supervision(1000s, longest_search);
    supervision.on_revoked(t0);
    supervision.on_program_ended(exited_with(3), t0);
    EXPECT_EQ(supervision.on_look(Left::unknown, t0), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(Left::unknown, t0 + 10s), (Action{Supervision::Finish{3, true}}));
}

TEST(Supervision, AfterALossALongGraceIsCutOff) {
    Supervision supervision(30s, longest_search, 1s, true);
    EXPECT_EQ(supervision.on_lost(t0), Action{Supervision::StopAll{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 999ms), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1s), Action{Supervision::KillAll{}});
}

TEST(Supervision, ALossDuringALongGraceCutsItOff) {
    Supervision supervision(30s, longest_search, 1s, true);
    EXPECT_EQ(supervision.on_revoked(t0), Action{Supervision::StopAll{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 5s), Action{Supervision::Nothing{}}) << "the lock is held";
    EXPECT_EQ(supervision.on_lost(t0 + 5s), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 6s), Action{Supervision::KillAll{}});
}

TEST(Supervision, WhatTheProgramHasStartedEndsWithItIfItMustNotOutliveTheLock) {
    Supervision supervision(2s, longest_search, 1s, true);
    EXPECT_EQ(supervision.on_program_ended(exited_with(3), t0), Action{Supervision::StopAll{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 1s), Action{Supervision::Nothing{}});
    EXPECT_EQ(supervision.on_look(something_left, t0 + 2s), Action{Supervision::KillAll{}});
    EXPECT_EQ(supervision.on_look(nothing_left, t0 + 2s), Action{Supervision::Finish{3}});
    EXPECT_FALSE(supervision.is_lost());
}

/// A program that runs under a lease of a fake ensemble. Only events wake the supervisor: its own look comes once an hour.
class SupervisorTest : public detail::LeaseTest {
protected:
    int exit_code_after_loss() {
        const HeldLeases held{.leases = {std::make_shared<Lease>(std::move(lease))}, .asked_for = asked_for};
        std::optional<Guard> program;
        int error = too_late;
        while (error == too_late) { // tries again if this process stood still until the bound had passed
            program.emplace(std::vector<std::string>{"sleep", "1000"});
            error = program->start(BootClock::now() + bound, 1h, {"DOCENT_TEST_SUPERVISED=" + std::to_string(::getpid())});
        }
        EXPECT_EQ(error, 0);
        Guard& guard = *program;
        const HoldRequest request{.path = "/lock"};
        const HoldWords words;
        LossListener losses;
        losses.on_lease({.event = LeaseEvent::lost, .ec = server_error::no_node});
        Signals signals{SIGTERM};
        lose(guard);
        return supervise({request, words, losses}, held, signals, guard,
                         {.grace = 1h, .grace_after_loss = 1h, .extend_every = 1h, .longest_search = 1h})
            .exit_code;
    }
    virtual void lose(Guard& guard) = 0;

    BootClock::duration bound = 1h;
    const std::shared_ptr<posix::EventFd> asked_for = std::make_shared<posix::EventFd>();
};

class LostLeaseTest : public SupervisorTest {
    void lose(Guard&) override { client(0).close(); }
};

TEST_F(LostLeaseTest, ALossWakesTheSupervisor) {
    EXPECT_EQ(exit_code_after_loss(), 76);
}

class RevokedLeaseTest : public SupervisorTest {
    void lose(Guard&) override { asked_for->raise(); }
};

TEST_F(RevokedLeaseTest, ARequestForTheLockWakesTheSupervisor) {
    EXPECT_EQ(exit_code_after_loss(), 128 + SIGTERM);
}

class PassedBoundTest : public SupervisorTest {
protected:
    PassedBoundTest() { bound = 2s; }

private:
    void lose(Guard& guard) override { posix::wait_readable({guard.fd()}, 1min); }
};

/// docent was stopped until the guard asked the program to end at the bound. Since then, an answer of a server has
/// moved the bound.
TEST_F(PassedBoundTest, IsALossAlsoIfTheLeaseIsHeldAgain) {
    EXPECT_EQ(exit_code_after_loss(), 76);
}

/// A lease without a limit, and leases of other locks with `max_hold`.
class BoundOfSeveralLeases : public detail::LeaseTest {
protected:
    /// Takes a lease of another lock.
    Lease acquire(const std::string& path, std::chrono::milliseconds longest) {
        std::shared_ptr<detail::NodeLease> granted;
        const auto boot_now = [this] { return client(0).boot_now(); };
        const auto driver = std::make_shared<detail::AcquireDriver>(
            view(),
            detail::QueuePlace{
                path, detail::mutex_names(), detail::lock_token, detail::Deletion::admits, {.max_hold = longest}},
            detail::AcquireWait{},
            [&, boot_now](error_code, detail::GrantedNode node) {
                granted = detail::NodeLease::make(view(), std::move(node), boot_now);
            },
            boot_now);
        driver->start();
        EXPECT_TRUE(world.run_until([&] { return granted != nullptr; }));
        return Lease(granted);
    }
};

TEST_F(BoundOfSeveralLeases, IsTheEarliest) {
    const auto unlimited = std::make_shared<Lease>(std::move(lease));
    const auto limited = std::make_shared<Lease>(acquire("/other", 100ms));
    ASSERT_GT(unlimited->remaining(), 1s);
    using Leases = std::vector<std::shared_ptr<const Lease>>;
    for (const Leases& leases : {Leases{limited}, Leases{unlimited, limited}, Leases{limited, unlimited}}) {
        const auto bound = certainly_held_until(leases);
        EXPECT_LT(bound, BootClock::now() + 1s);
    }
}

} // namespace
} // namespace docent::cli
