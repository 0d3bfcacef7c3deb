// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/guard_process.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;
using Action = GuardMachine::Action;
using Kind = GuardOrder::Kind;

constexpr GuardMachine::time_point t0{1000s};

GuardMachine armed(GuardMachine::duration grace = 2s) {
    GuardMachine machine;
    machine.on_order({Kind::arm, t0 + 10s, grace});
    return machine;
}

TEST(GuardMachine, DoesNothingBeforeItIsArmed) {
    GuardMachine machine;
    EXPECT_EQ(machine.on_time(t0), Action::nothing);
    EXPECT_EQ(machine.due(), std::nullopt);
    machine.on_owner_gone();
    EXPECT_EQ(machine.on_time(t0), Action::leave);
}

TEST(GuardMachine, AsksSoonAfterTheBoundAndKillsAfterTheGrace) {
    GuardMachine machine = armed();
    EXPECT_EQ(machine.on_time(t0 + 10s), Action::nothing) << "docent may be doing it itself";
    ASSERT_TRUE(machine.due());
    EXPECT_LE(*machine.due(), t0 + 10s + 100ms);
    EXPECT_FALSE(machine.bound_passed());
    EXPECT_EQ(machine.on_time(*machine.due()), Action::ask);
    EXPECT_TRUE(machine.bound_passed());
    EXPECT_EQ(machine.on_time(t0 + 11s), Action::nothing) << "once";
    EXPECT_EQ(machine.due(), t0 + 12s);
    EXPECT_EQ(machine.on_time(t0 + 12s), Action::kill);
    EXPECT_EQ(machine.on_time(t0 + 13s), Action::kill) << "they may have forked meanwhile";
    machine.on_nothing_left();
    EXPECT_EQ(machine.on_time(t0 + 14s), Action::nothing);
    EXPECT_EQ(machine.due(), std::nullopt);
}

TEST(GuardMachine, WithoutGraceItKillsAtTheBound) {
    GuardMachine machine = armed(0s);
    EXPECT_EQ(machine.due(), t0 + 10s);
    EXPECT_EQ(machine.on_time(t0 + 10s), Action::kill);
    EXPECT_TRUE(machine.bound_passed());
}

TEST(GuardMachine, TheBoundIsExtended) {
    GuardMachine machine = armed();
    machine.on_order({Kind::extend, t0 + 20s, {}});
    EXPECT_EQ(machine.on_time(t0 + 15s), Action::nothing);
    machine.on_order({Kind::extend, t0 + 5s, {}});
    EXPECT_EQ(machine.on_time(t0 + 15s), Action::nothing) << "it never moves back";
    EXPECT_EQ(machine.on_time(t0 + 21s), Action::ask);
}

TEST(GuardMachine, AnExtensionThatComesTooLateIsNone) {
    GuardMachine machine = armed();
    EXPECT_EQ(machine.on_time(t0 + 11s), Action::ask);
    machine.on_order({Kind::extend, t0 + 60s, {}});
    EXPECT_EQ(machine.on_time(t0 + 12s), Action::kill) << "it has been asked to end";
}

TEST(GuardMachine, LeavesItToDocentToAskAndKillsInItsPlace) {
    GuardMachine machine = armed();
    machine.on_order({Kind::stop_by, t0 + 5s, {}});
    EXPECT_EQ(machine.due(), t0 + 5s);
    EXPECT_EQ(machine.on_time(t0 + 4s), Action::nothing);
    EXPECT_EQ(machine.on_time(t0 + 5s), Action::kill);
    EXPECT_FALSE(machine.bound_passed());
}

TEST(GuardMachine, ALongGraceOfDocentsDoesNotOutlastTheLock) {
    GuardMachine machine = armed();
    machine.on_order({Kind::stop_by, t0 + 60s, {}});
    EXPECT_EQ(machine.on_time(t0 + 11s), Action::nothing);
    EXPECT_EQ(machine.on_time(t0 + 12s), Action::kill);
}

TEST(GuardMachine, KillsAtOnceWhenDocentIsGone) {
    GuardMachine machine = armed();
    machine.on_owner_gone();
    EXPECT_LE(*machine.due(), t0);
    EXPECT_EQ(machine.on_time(t0), Action::kill);
    machine.on_nothing_left();
    EXPECT_EQ(machine.on_time(t0), Action::leave);
}

TEST(GuardMachine, LeavesAloneProcessesThatItNoLongerGuards) {
    GuardMachine machine = armed();
    machine.on_order({Kind::disarm, {}, {}});
    EXPECT_EQ(machine.on_time(t0 + 60s), Action::nothing);
    EXPECT_EQ(machine.due(), std::nullopt);
    machine.on_owner_gone();
    EXPECT_EQ(machine.on_time(t0 + 60s), Action::leave);
}

} // namespace
} // namespace docent::cli
