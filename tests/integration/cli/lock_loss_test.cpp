// SPDX-License-Identifier: Apache-2.0
// docent lock when the lock is lost while the command runs, and the shell command of --on-lost.
#include "cli_fixture.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <filesystem>
#include <string>

#include <signal.h>

namespace docent::test {
namespace {

using LockLossTest = CliTest;

TEST_F(LockLossTest, AServerThatDiesStopsTheCommand) {
    DocentProcess holder(lock_soon_lost(goes_on("trap '" + write("term", "got") + "exit 0' TERM; "), {"--grace", "30s"}));
    expect_loss_ends(holder);
    EXPECT_EQ(read_file(folder / "got"), "term\n");
    expect_one_line(messages(holder),
                    "/lock: the lock was lost: nothing was heard from a server in time; stopping the command");
}

TEST_F(LockLossTest, ACommandThatIgnoresTermIsKilledAfterTheGrace) {
    DocentProcess holder(lock_soon_lost(goes_on("trap '" + write("term", "got") + "' TERM; "), {"--grace", "5s"}));
    ASSERT_TRUE(appears("pid"));
    const pid_t command = pid_in("pid");
    server.kill();
    ASSERT_TRUE(appears("got"));
    const auto seen = steady_clock::now(); // some time after the request
    EXPECT_TRUE(is_alive(command));
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_GT(steady_clock::now() - seen, 500ms);
    EXPECT_FALSE(is_alive(command));
}

/// The default grace is a part of the timeout that the servers grant. They grant less than the 24 h that this test asks for.
TEST_F(LockLossTest, TheGraceFollowsTheTimeoutThatTheServersGrant) {
    DocentProcess holder(lock_script(ignores_term + write("in", "in") + for_ever, {}, "24h"));
    ASSERT_TRUE(appears("in"));
    observer.remove(first_node());
    EXPECT_EQ(holder.exit_status(), 76) << "24 h would leave it two hours";
}

TEST_F(LockLossTest, AStoppedCommandIsWokenToEnd) {
    DocentProcess holder(lock_soon_lost(goes_on("trap '" + write("term", "got") + "exit 0' TERM; "), {"--grace", "30s"}));
    ASSERT_TRUE(appears("pid"));
    ::kill(pid_in("pid"), SIGSTOP);
    server.kill();
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "got"), "term\n");
}

TEST_F(LockLossTest, AStoppedChildOfTheCommandIsWokenToEnd) {
    const std::string child =
        "sh -c 'trap \"" + write("term", "got") + "exit 0\" TERM; " + write("$$", "child") + for_ever + "' & ";
    DocentProcess holder(lock({"sh", "-c", child + "wait"}, {"--grace", "30s"}));
    ASSERT_TRUE(appears("child"));
    ::kill(pid_in("child"), SIGSTOP);
    ASSERT_TRUE(eventually([&] { return stat_field(pid_in("child"), 1) == "T"; }));
    server.kill();
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "got"), "term\n");
}

TEST_F(LockLossTest, AShortInterruptionStopsNothing) {
    docent::testing::FaultProxy proxy(server.port());
    DocentProcess holder(through(proxy, lock_script(write("$$", "pid") + wait_for_file("end"))));
    ASSERT_TRUE(appears("pid"));
    const auto before = proxy.connections();
    proxy.cut();
    ASSERT_TRUE(eventually([&] { return proxy.connections() > before; })) << "it never came back";
    EXPECT_EQ(nodes().size(), 1u);
    EXPECT_TRUE(is_alive(pid_in("pid")));
    touch("end");
    EXPECT_EQ(holder.exit_status(), 0);
    EXPECT_EQ(holder.errors(), "");
}

TEST_F(LockLossTest, ADocentThatWasStoppedForLongerThanItsSessionFindsTheLockLost) {
    DocentProcess holder(lock_soon_lost(goes_on()));
    ASSERT_TRUE(appears("pid"));
    holder.send(SIGSTOP);
    ASSERT_TRUE(queue_reaches(0));
    holder.send(SIGCONT);
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_FALSE(is_alive(pid_in("pid")));
    expect_one_line(messages(holder),
                    "/lock: the lock was lost: nothing was heard from a server in time; stopping the command");
}

TEST_F(LockLossTest, TheReasonIsSaidAlsoIfItsAnswerTakesLong) {
    const auto report_of_a_loss = [&](const Setting& wanted) {
        docent::testing::FaultProxy proxy(server.port());
        DocentProcess holder(through(proxy, wanted));
        if (queue_reaches(1) && says(holder, ": acquired after ")) {
            proxy.delay(docent::testing::Direction::to_client, 1100ms); // less than T/4, which ends a connection
            observer.remove(first_node());
        }
        EXPECT_EQ(holder.exit_status(), 76);
        return holder.errors();
    };
    const std::string reason = "/lock: the lock was lost: its node was deleted";
    const std::string with_command = report_of_a_loss(lock({"sleep", "1000"}, {"--verbose"}));
    EXPECT_NE(with_command.find(reason + "; stopping the command\n"), std::string::npos) << with_command;
    const std::string without = report_of_a_loss(setting({"lock", "/lock", "--session-timeout", "10s", "--verbose"}));
    EXPECT_NE(without.find(reason + "\n"), std::string::npos) << without;
}

TEST_F(LockLossTest, VerboseDoesNotReportThatALostLockWasGivenBack) {
    const auto report_of_a_loss = [&](const Setting& wanted) {
        DocentProcess holder(wanted);
        if (queue_reaches(1) && says(holder, ": acquired after ")) observer.remove(first_node());
        EXPECT_EQ(holder.exit_status(), 76);
        EXPECT_TRUE(says(holder, "the lock was lost")) << holder.errors();
        return holder.errors();
    };
    const std::string given_back = ": given back";
    EXPECT_EQ(report_of_a_loss(lock({"sleep", "1000"}, {"--verbose"})).find(given_back), std::string::npos);
    EXPECT_EQ(report_of_a_loss(lock({"true"}, {"--verbose", "--hold-at-least", "1h"})).find(given_back), std::string::npos);
    EXPECT_EQ(report_of_a_loss(setting({"lock", "/lock", "--session-timeout", "10s", "--verbose"})).find(given_back),
              std::string::npos);
}

TEST_F(LockLossTest, AWaiterWhoseNodeIsDeletedDoesNotRun) {
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    DocentProcess waiter(lock({"true"}));
    ASSERT_TRUE(queue_reaches(2));
    observer.remove("/lock/" + nodes().back());
    EXPECT_EQ(waiter.exit_status(), 75);
    expect_one_line(waiter.errors(), "deleted");
}

/// The waiter first hears that its node was deleted, then that its session has ended.
TEST_F(LockLossTest, AWaiterThatWasStoppedForLongerThanItsSessionWaitsAnew) {
    Lease held = InterProcessMutex(observer, "/lock").acquire();
    DocentProcess waiter(lock({"true"}, {}, "6s")); // it must not lose the lock at the end
    ASSERT_TRUE(queue_reaches(2));
    const auto first = nodes();
    waiter.send(SIGSTOP);
    ASSERT_TRUE(queue_reaches(1));
    waiter.send(SIGCONT);
    ASSERT_TRUE(queue_reaches(2)) << waiter.errors();
    EXPECT_NE(nodes(), first);
    held.release();
    EXPECT_EQ(waiter.exit_status(), 0);
    for (const auto& line : lines_of(waiter.errors())) { // after ten seconds, a waiter names the holder, and reports the grant
        const bool is_usual =
            line.starts_with("docent: lock /lock: acquired after ") || line.starts_with("docent: lock /lock: waiting for ");
        EXPECT_TRUE(is_usual) << line;
    }
}

/// The shell command that runs only after a loss.
class OnLostTest : public CliTest {
protected:
    /// A command that writes its environment to a file, then makes a second file.
    Words tells() const {
        return {"--on-lost",
                "echo $DOCENT_LOST_PATH $DOCENT_LOST_NODE $DOCENT_LOST_TOKEN $DOCENT_LOST_REASON ${DOCENT_LOCK_NODE-none} >" +
                    file("seen") + "; mv " + file("seen") + " " + file("told")};
    }
    /// "/lock" with the node and the token of the present holder.
    std::string expected() {
        const std::string node = first_node();
        return "/lock " + node + " " + std::to_string(observer.get(node).stat.czxid) + " node_deleted none\n";
    }
    /// The end of a shell command that goes on until the file, or the folder of the test, is removed.
    std::string goes_on_as_long_as(const std::string& name) const {
        touch(name);
        return "; while [ -e " + file(name) + " ]; do sleep 0.02; done";
    }
    Words stays(const std::string& until_term) const {
        return {"sh", "-c", "trap '" + until_term + " exit 0' TERM; " + write("in", "in") + for_ever};
    }
};

TEST_F(OnLostTest, RunsWhenTheCommandIsGone) {
    auto options = tells();
    options.back() = "cat " + file("ended") + " >" + file("order") + "; " + options.back();
    options.insert(options.end(), {"--grace", "30s"});
    DocentProcess holder(lock(stays(write("ended", "ended")), options));
    ASSERT_TRUE(appears("in"));
    const auto seen = expected();
    observer.remove(first_node());
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "told"), seen);
    EXPECT_EQ(read_file(folder / "order"), "ended\n");
    expect_one_line(messages(holder), "/lock: the lock was lost: its node was deleted; stopping the command");
}

TEST_F(OnLostTest, RunsAlsoIfTheLockIsLostBeforeTheCommandIsStarted) {
    Lease held = InterProcessMutex(observer, "/lock").acquire();
    auto options = tells();
    options.emplace_back("--verbose");
    DocentProcess waiter(lock({"sh", "-c", write("1", "started")}, options));
    ASSERT_TRUE(queue_reaches(2));
    const pid_t guard = first_child_of(waiter.pid());
    ASSERT_GT(guard, 0);
    const pid_t becomes_command = first_child_of(guard);
    ASSERT_GT(becomes_command, 0);
    ASSERT_TRUE(stop(becomes_command));
    held.release();
    ASSERT_TRUE(says(waiter, "acquired after"));
    const auto seen = expected();
    observer.remove(first_node());
    EXPECT_EQ(waiter.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "told"), seen);
    EXPECT_FALSE(std::filesystem::exists(folder / "started"));
}

TEST_F(OnLostTest, RunsAtOnceWithoutACommand) {
    auto options = tells();
    options.insert(options.begin(), {"lock", "/lock", "--session-timeout", "10s"});
    DocentProcess holder(setting(options));
    ASSERT_TRUE(queue_reaches(1));
    ASSERT_TRUE(has_printed_a_line(holder));
    const auto seen = expected();
    observer.remove(first_node());
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "told"), seen);
}

TEST_F(OnLostTest, DocentReleasesTheOtherLockAndThenEndsAfterTheShellCommand) {
    auto options = tells();
    options.back() += goes_on_as_long_as("slow") + "; kill -0 $PPID && " + write("docent", "alive");
    DocentProcess holder(setting({"lock", "/lock", "/other", "--session-timeout", "10s"}, options, stays("")));
    ASSERT_TRUE(appears("in"));
    observer.remove(first_node());
    ASSERT_TRUE(appears("told"));
    EXPECT_TRUE(eventually([&] { return observer.children("/other").names.empty(); })) << "docent waits with the lock";
    EXPECT_TRUE(holder.running());
    std::filesystem::remove(folder / "slow");
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "alive"), "docent\n");
    expect_one_line(messages(holder), "/lock, /other: the lock was lost: its node was deleted; stopping the command");
}

TEST_F(OnLostTest, ASignalEndsTheWaitForTheShellCommand) {
    auto options = tells();
    options.back() += goes_on_as_long_as("slow");
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
        DocentProcess holder(lock(stays(""), options));
        ASSERT_TRUE(queue_reaches(1) && appears("in"));
        observer.remove(first_node());
        ASSERT_TRUE(appears("told"));
        holder.send(number);
        EXPECT_EQ(holder.exit_status(), 76);
        EXPECT_EQ(messages(holder).find("still runs"), std::string::npos) << "it waited for as long as it may";
        std::filesystem::remove(folder / "in");
        std::filesystem::remove(folder / "told");
    }
}

TEST_F(OnLostTest, NothingElseIsALoss) {
    EXPECT_EQ(run(lock({"sh", "-c", "exit 76"}, tells())).status, 76);
    auto limited = tells();
    limited.insert(limited.end(), {"--max-hold", "100ms"});
    EXPECT_EQ(run(lock({"sleep", "1000"}, limited)).status, 124);
    DocentProcess holder(lock(stays(""), tells()));
    ASSERT_TRUE(appears("in"));
    holder.send(SIGTERM);
    EXPECT_EQ(holder.exit_status(), 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "seen"));
    EXPECT_FALSE(std::filesystem::exists(folder / "told"));
}

} // namespace
} // namespace docent::test
