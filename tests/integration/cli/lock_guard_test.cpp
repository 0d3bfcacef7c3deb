// SPDX-License-Identifier: Apache-2.0
// docent lock: the command ends with the lock, also if docent or its guard is killed or messages cannot be written.
#include "cli_fixture.hpp"
#include "full_pipe.hpp"

#include <docent/recipes/inter_process_mutex.hpp>

#include <filesystem>
#include <string>

#include <signal.h>
#include <unistd.h>

namespace docent::test {
namespace {

class LockGuardTest : public CliTest {
protected:
    /// docent lock around a shell script, with standard error redirected.
    Setting lock_with_errors_to(const std::string& where, const std::string& script) const {
        return in_shell(lock_soon_lost({"sh", "-c", script}, {"--grace", "200ms"}), "exec \"$0\" \"$@\" 2> " + where);
    }
    const std::string stray = DOCENT_STRAY_PROGRAM " " + file("stray") + "; ";
};

TEST_F(LockGuardTest, AFullPipeForMessagesDelaysNothing) {
    const FullPipe pipe(file("errors"));
    DocentProcess holder(lock_with_errors_to(file("errors"), ignores_term + write("$$", "pid") + for_ever));
    expect_loss_ends(holder);
}

TEST_F(LockGuardTest, AFullPipeForMessagesKeepsNoLock) {
    const FullPipe pipe(file("errors"));
    auto wanted = lock_with_errors_to(file("errors"), "");
    wanted.words.resize(wanted.words.size() - 3);
    wanted.words.emplace_back("/no/such/program");
    EXPECT_EQ(DocentProcess(wanted).exit_status(), 127);
    EXPECT_TRUE(nodes().empty());
}

TEST_F(LockGuardTest, AReaderOfMessagesThatHasGoneChangesNothing) {
    const auto wanted = lock_soon_lost(goes_on(ignores_term), {"--grace", "200ms"});
    DocentProcess holder(in_shell(wanted, "mkfifo " + file("errors") + "; : < " + file("errors") + " & exec \"$0\" \"$@\" 2> " +
                                              file("errors")));
    expect_loss_ends(holder); // SIGPIPE does not end docent
}

TEST_F(LockGuardTest, WhileDocentIsStoppedTheCommandEndsBeforeTheLockCanGoToAnother) {
    docent::testing::FaultProxy proxy(server.port());
    DocentProcess holder(through(proxy, lock(goes_on())));
    ASSERT_TRUE(appears("pid") && rests_on_heartbeats(proxy));
    holder.send(SIGSTOP);
    EXPECT_TRUE(ends(pid_in("pid")));
    EXPECT_EQ(nodes().size(), 1u) << "the server still keeps the lock for us";
    holder.send(SIGCONT);
    ASSERT_TRUE(says(holder, "the lock was lost"));
    EXPECT_EQ(holder.exit_status(), 76);
}

TEST_F(LockGuardTest, ACommandThatIgnoresTermAndItsStrayAreKilledWhileDocentIsStopped) {
    DocentProcess holder(lock_soon_lost(goes_on(ignores_term + stray)));
    ASSERT_TRUE(appears("pid") && appears("stray"));
    holder.send(SIGSTOP);
    server.kill();
    EXPECT_TRUE(ends(pid_in("pid")));
    EXPECT_TRUE(ends(pid_in("stray")));
    EXPECT_EQ(stat_field(holder.pid(), 1), "T") << "docent had no part in it";
    holder.send(SIGCONT);
    EXPECT_EQ(holder.exit_status(), 76);
}

/// The session survives because docent continues in time. The guard has asked the command to end, and the command takes its
/// time.
TEST_F(LockGuardTest, NoOtherWaiterIsAdmittedWhileTheCommandOfALostLockLives) {
    docent::testing::FaultProxy proxy(server.port());
    const std::string script = "trap '" + write("term", "term") + "' TERM; " + write("$$", "pid") + wait_for_file("end") +
                               "echo first >> " + file("order");
    DocentProcess holder(through(proxy, lock({"sh", "-c", script}, {"--grace", "1000s"})));
    ASSERT_TRUE(appears("pid"));
    DocentProcess waiter(lock({"sh", "-c", "echo second >> " + file("order")}));
    ASSERT_TRUE(queue_reaches(2) && rests_on_heartbeats(proxy));
    holder.send(SIGSTOP);
    ASSERT_TRUE(appears("term"));
    holder.send(SIGCONT);
    ASSERT_TRUE(says(holder, "the lock was lost"));
    observer.sync();
    EXPECT_EQ(nodes().size(), 2u);
    touch("end");
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(waiter.exit_status(), 0);
    EXPECT_EQ(read_file(file("order")), "first\nsecond\n");
}

TEST_F(LockGuardTest, WhileDocentIsStoppedAStoppedChildOfTheCommandIsWokenToEnd) {
    const std::string child =
        "sh -c 'trap \"" + write("term", "got") + "exit 0\" TERM; " + write("$$", "child") + for_ever + "' & ";
    DocentProcess holder(lock({"sh", "-c", child + "wait"}, {"--grace", "30s"}));
    ASSERT_TRUE(appears("child"));
    ASSERT_TRUE(stop(pid_in("child")));
    holder.send(SIGSTOP);
    EXPECT_TRUE(ends(pid_in("child")));
    EXPECT_EQ(read_file(file("got")), "term\n");
    holder.send(SIGCONT);
    EXPECT_EQ(holder.exit_status(), 76);
}

/// The guard runs in another process session.
TEST_F(LockGuardTest, AStrayEndsWhenTheWholeJobIsKilled) {
    DocentProcess holder(lock(goes_on(stray)));
    ASSERT_TRUE(appears("stray") && appears("pid"));
    ASSERT_EQ(::kill(-holder.pid(), SIGKILL), 0);
    EXPECT_TRUE(ends(pid_in("stray")));
    EXPECT_TRUE(ends(pid_in("pid")));
}

TEST_F(LockGuardTest, ADocentThatIsStoppedForAMomentKeepsTheLockAndTheCommand) {
    DocentProcess holder(lock({"sh", "-c", write("$$", "pid") + wait_for_file("end")}));
    ASSERT_TRUE(appears("pid"));
    ASSERT_TRUE(stop(holder.pid()));
    holder.send(SIGCONT);
    touch("end");
    EXPECT_EQ(holder.exit_status(), 0);
    EXPECT_EQ(holder.errors(), "");
}

TEST_F(LockGuardTest, AGuardThatIsStoppedIsWoken) {
    DocentProcess holder(lock(goes_on()));
    ASSERT_TRUE(appears("pid"));
    const pid_t guard = parent_of(pid_in("pid"));
    ASSERT_EQ(parent_of(guard), holder.pid());
    ::kill(guard, SIGSTOP);
    EXPECT_TRUE(eventually([&] { return stat_field(guard, 1) == "S"; }));
    holder.send(SIGKILL);
    EXPECT_TRUE(ends(pid_in("pid")));
}

TEST_F(LockGuardTest, AGuardThatIsStoppedIsWokenByTheEndOfDocent) {
    DocentProcess holder(lock(goes_on()));
    ASSERT_TRUE(appears("pid"));
    const pid_t guard = parent_of(pid_in("pid"));
    ASSERT_TRUE(stop(holder.pid())); // otherwise docent would wake its stopped guard
    ASSERT_TRUE(stop(guard));
    holder.send(SIGKILL);
    EXPECT_TRUE(ends(pid_in("pid")));
}

/// docent and its guard are stopped until the session has ended. Then only docent is continued.
TEST_F(LockGuardTest, AGuardThatIsStoppedIsWokenAfterALoss) {
    DocentProcess holder(lock_soon_lost(goes_on()));
    ASSERT_TRUE(appears("pid"));
    const pid_t guard = parent_of(pid_in("pid"));
    ASSERT_TRUE(stop(holder.pid()));
    ASSERT_TRUE(stop(guard));
    ASSERT_TRUE(queue_reaches(0));
    holder.send(SIGCONT);
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_FALSE(is_alive(pid_in("pid")));
}

TEST_F(LockGuardTest, AGuardThatIsKilledWhileDocentWaitsKeepsTheCommandFromStarting) {
    Lease held = InterProcessMutex(observer, "/lock").acquire();
    DocentProcess waiter(lock({"sh", "-c", write("1", "started")}));
    ASSERT_TRUE(queue_reaches(2));
    const pid_t guard = first_child_of(waiter.pid());
    ASSERT_GT(guard, 0);
    ::kill(guard, SIGKILL);
    ASSERT_TRUE(ends(guard)); // on a busy machine the guard takes a while to die, and its child is killed after that
    held.release();
    EXPECT_EQ(waiter.exit_status(), 137);
    expect_one_line(waiter.errors(), "lock /lock: the process that guards the command was killed");
    EXPECT_TRUE(nodes().empty());
    EXPECT_FALSE(std::filesystem::exists(folder / "started"));
}

TEST_F(LockGuardTest, ChildrenOfTheShellThatDocentReplacesAreNoneOfItsBusiness) {
    const auto wanted = lock_soon_lost(goes_on(), {"--grace", "200ms"});
    DocentProcess holder(in_shell(wanted, "sleep 1000 > /dev/null 2>&1 & " + write("$!", "other") + "exec \"$0\" \"$@\""));
    expect_loss_ends(holder);
    EXPECT_TRUE(is_alive(pid_in("other")));
    ::kill(pid_in("other"), SIGKILL);
}

TEST_F(LockGuardTest, ACommandThatStopsItselfKeepsTheLockUntilItGoesOn) {
    DocentProcess holder(lock({"sh", "-c", write("$$", "pid") + "kill -STOP $$; exit 5"}));
    ASSERT_TRUE(appears("pid"));
    ASSERT_TRUE(eventually([&] { return stat_field(pid_in("pid"), 1) == "T"; }));
    EXPECT_EQ(nodes().size(), 1u);
    EXPECT_TRUE(holder.running());
    ::kill(pid_in("pid"), SIGCONT);
    EXPECT_EQ(holder.exit_status(), 5);
}

} // namespace
} // namespace docent::test
