// SPDX-License-Identifier: Apache-2.0
// docent lock and the other commands that hold, with --max-hold.
#include "elect_fixture.hpp"

#include <string>

#include <signal.h>

namespace docent::test {
namespace {

/// Long enough for a command to start on a busy machine.
constexpr auto begun = "4s";

class MaxHoldCliTest : public ElectTest {
protected:
    pid_t command() const { return pid_in("pid"); }
    bool begins() const { return appears("pid"); }
    /// docent lock --max-hold around a script that runs until it is ended.
    Setting lock_for(const std::string& time, const std::string& before, Words options = {}) const {
        options.insert(options.end(), {"--session-timeout", "10s", "--max-hold", time});
        return lock(goes_on(before), options);
    }
};

TEST_F(MaxHoldCliTest, TheCommandIsAskedToEndAndTheLockGivenBack) {
    DocentProcess holder(lock_for(begun, "trap '" + write("term", "term") + "exit 0' TERM; ", {"--grace", "1000s"}));
    EXPECT_EQ(holder.exit_status(), 124) << "though the command exits with 0";
    EXPECT_EQ(read_file(folder / "term"), "term\n");
    EXPECT_FALSE(is_alive(command()));
    EXPECT_TRUE(nodes().empty());
    EXPECT_EQ(messages(holder), "docent: lock /lock: --max-hold is over; stopping the command\n");
}

/// A lock of the kernel is released with the last process that has its file open. It shows whether a process of the command is
/// left.
TEST_F(MaxHoldCliTest, ACommandThatIgnoresTermIsKilledAndTheNextBegins) {
    const std::string alone = "exec 9> " + file("alone") + "; flock 9; ";
    const std::string stray = DOCENT_STRAY_PROGRAM " " + file("stray") + "; ";
    DocentProcess holder(lock_for(begun, ignores_term + alone + stray, {"--grace", "200ms"}));
    ASSERT_TRUE(begins() && appears("stray"));
    EXPECT_EQ(run(lock({"flock", "--nonblock", file("alone"), "true"})).status, 0);
    EXPECT_EQ(holder.exit_status(), 124);
    EXPECT_FALSE(is_alive(command()) || is_alive(pid_in("stray")));
}

TEST_F(MaxHoldCliTest, NoOtherWaiterIsAdmittedWhileTheCommandEnds) {
    DocentProcess holder(
        lock_for(begun, "trap '" + write("term", "term") + wait_for_file("end") + "exit' TERM; ", {"--grace", "1000s"}));
    ASSERT_TRUE(begins());
    DocentProcess next(lock({"true"}));
    ASSERT_TRUE(queue_reaches(2));
    ASSERT_TRUE(appears("term"));
    ASSERT_TRUE(says(holder, "--max-hold is over"));
    observer.sync();
    EXPECT_EQ(nodes().size(), 2u);
    EXPECT_TRUE(next.running());
    touch("end");
    EXPECT_EQ(next.exit_status(), 0);
    EXPECT_EQ(holder.exit_status(), 124);
}

/// The session and the lock's node survive. The guard ends the command, as docent cannot.
TEST_F(MaxHoldCliTest, WhileDocentIsStoppedTheGuardEndsTheCommandOnTime) {
    DocentProcess holder(lock_for(begun, ignores_term, {"--grace", "200ms"}));
    ASSERT_TRUE(begins());
    const pid_t pid = command();
    holder.send(SIGSTOP);
    ASSERT_TRUE(eventually([&] { return stat_field(holder.pid(), 1) == "T"; }));
    EXPECT_TRUE(ends(pid));
    EXPECT_EQ(stat_field(holder.pid(), 1), "T") << "docent had no part in it";
    EXPECT_EQ(nodes().size(), 1u) << "it was not the end of the session";
    holder.send(SIGCONT);
    EXPECT_EQ(holder.exit_status(), 124);
    EXPECT_TRUE(nodes().empty());
}

TEST_F(MaxHoldCliTest, ACommandThatEndsBeforeNoticesNothing) {
    const Result result = run(lock({"sh", "-c", "exit 3"}, {"--max-hold", "1h"}));
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(result.errors, "");
}

TEST_F(MaxHoldCliTest, ATimeThatIsOverBeforeTheCommandHasBegunLeavesNothing) {
    expect_outcome(run(lock({"sleep", "1000"}, {"--max-hold", "1ms"})), 124, "--max-hold");
    EXPECT_TRUE(nodes().empty());
}

TEST_F(MaxHoldCliTest, PermitsAreGivenBackTogether) {
    const Words both{"semaphore", "/s", "--permits", "2", "--count", "2"};
    EXPECT_EQ(run(setting(both, {"--max-hold", "500ms"}, {"sleep", "1000"})).status, 124);
    EXPECT_EQ(run(setting(both, {"--no-wait"}, {"true"})).status, 0);
}

TEST_F(MaxHoldCliTest, OncePerPeriodItCountsAsNotDone) {
    const auto job = [&](Words options) {
        options.insert(options.end(), {"--once-per", "1h"});
        return lock_script("trap 'exit 0' TERM; echo run >> " + file("f") + "; [ -e " + file("end") + " ] || " + for_ever,
                           options);
    };
    EXPECT_EQ(run(job({"--max-hold", begun, "--grace", "1000s"})).status, 124);
    touch("end");
    EXPECT_EQ(run(job({"--max-hold", "1h"})).status, 0);
    EXPECT_EQ(run(job({})).status, 0);
    EXPECT_EQ(read_file(folder / "f"), "run\nrun\n") << "the second one is done";
}

TEST_F(MaxHoldCliTest, LeadersTakeTurns) {
    DocentProcess first(machine("first", {"--max-hold", begun}));
    command_of("first");
    DocentProcess second(machine("second"));
    command_of("second");
    ASSERT_TRUE(queue_reaches(2)) << "behind the other";
    EXPECT_EQ(leader(), "second\n");
    const auto said = lines_of(messages(first));
    EXPECT_FALSE(said.empty());
    for (const auto& line : said) EXPECT_EQ(line, "docent: election /lock: --max-hold is over; stopping the command");
    EXPECT_TRUE(first.running());
    EXPECT_TRUE(never_two());
}

TEST_F(MaxHoldCliTest, OnceALeaderEndsWithItsTurn) {
    EXPECT_EQ(run(machine("first", {"--max-hold", "500ms", "--once"})).status, 124);
    EXPECT_TRUE(nodes().empty());
}

} // namespace
} // namespace docent::test
