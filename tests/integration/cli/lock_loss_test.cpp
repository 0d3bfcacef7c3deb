// SPDX-License-Identifier: Apache-2.0
// docent lock when the lock is lost while the command runs.
#include "cli_fixture.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <signal.h>

namespace docent::test {
namespace {

class LockLossTest : public CliTest {
protected:
    std::string write(const std::string& text, const std::string& file) const {
        return "echo " + text + " > " + (folder / file).string() + "; ";
    }
    static constexpr auto for_ever = "while :; do sleep 0.02; done";
};

TEST_F(LockLossTest, AServerThatDiesStopsTheCommand) {
    DocentProcess holder(lock_soon_lost(
        {"sh", "-c", "trap '" + write("term", "got") + "exit 0' TERM; " + write("$$", "pid") + for_ever}, {"--grace", "30s"}));
    ASSERT_TRUE(file_appears(folder / "pid"));
    const pid_t command = pid_in(folder / "pid");
    server.kill();
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "got"), "term\n");
    EXPECT_FALSE(is_alive(command));
    expect_one_line(messages(holder),
                    "/lock: the lock was lost: nothing was heard from a server in time; stopping the command");
}

TEST_F(LockLossTest, ACommandThatIgnoresTermIsKilledAfterTheGrace) {
    DocentProcess holder(lock_soon_lost(
        {"sh", "-c", "trap '" + write("term", "got") + "' TERM; " + write("$$", "pid") + for_ever}, {"--grace", "5s"}));
    ASSERT_TRUE(file_appears(folder / "pid"));
    const pid_t command = pid_in(folder / "pid");
    server.kill();
    ASSERT_TRUE(file_appears(folder / "got"));
    const auto seen = steady_clock::now(); // some time after the request
    EXPECT_TRUE(is_alive(command));
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_GT(steady_clock::now() - seen, 500ms);
    EXPECT_FALSE(is_alive(command));
}

/// The default grace is a part of the timeout that the servers grant. They grant less than the 24 h that this test asks for.
TEST_F(LockLossTest, TheGraceFollowsTheTimeoutThatTheServersGrant) {
    DocentProcess holder(lock(
        {"sh", "-c", "trap '' TERM; echo in > " + (folder / "in").string() + "; while :; do sleep 0.02; done"}, {}, "24h"));
    ASSERT_TRUE(file_appears(folder / "in"));
    observer.remove("/lock/" + nodes().front());
    EXPECT_EQ(holder.exit_status(), 76) << "24 h would leave it two hours";
}

TEST_F(LockLossTest, AStoppedCommandIsWokenToEnd) {
    DocentProcess holder(lock_soon_lost(
        {"sh", "-c", "trap '" + write("term", "got") + "exit 0' TERM; " + write("$$", "pid") + for_ever}, {"--grace", "30s"}));
    ASSERT_TRUE(file_appears(folder / "pid"));
    ::kill(pid_in(folder / "pid"), SIGSTOP);
    server.kill();
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "got"), "term\n");
}

TEST_F(LockLossTest, AStoppedChildOfTheCommandIsWokenToEnd) {
    const std::string child =
        "sh -c 'trap \"" + write("term", "got") + "exit 0\" TERM; " + write("$$", "child") + for_ever + "' & ";
    DocentProcess holder(lock({"sh", "-c", child + "wait"}, {"--grace", "30s"}));
    ASSERT_TRUE(file_appears(folder / "child"));
    ::kill(pid_in(folder / "child"), SIGSTOP);
    ASSERT_TRUE(eventually([&] { return stat_field(pid_in(folder / "child"), 1) == "T"; }));
    server.kill();
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_EQ(read_file(folder / "got"), "term\n");
}

TEST_F(LockLossTest, AShortInterruptionStopsNothing) {
    docent::testing::FaultProxy proxy(server.port());
    auto behind =
        lock({"sh", "-c", write("$$", "pid") + "until [ -e " + (folder / "end").string() + " ]; do sleep 0.02; done"});
    behind.connect = proxy.connect_string();
    DocentProcess holder(behind);
    ASSERT_TRUE(file_appears(folder / "pid"));
    const auto before = proxy.connections();
    proxy.cut();
    ASSERT_TRUE(eventually([&] { return proxy.connections() > before; })) << "it never came back";
    EXPECT_EQ(nodes().size(), 1u);
    EXPECT_TRUE(is_alive(pid_in(folder / "pid")));
    run({.words = {(folder / "end").string()}, .program = "touch"});
    EXPECT_EQ(holder.exit_status(), 0);
    EXPECT_EQ(holder.errors(), "");
}

TEST_F(LockLossTest, ADocentThatWasStoppedForLongerThanItsSessionFindsTheLockLost) {
    DocentProcess holder(lock_soon_lost({"sh", "-c", write("$$", "pid") + for_ever}));
    ASSERT_TRUE(file_appears(folder / "pid"));
    holder.send(SIGSTOP);
    ASSERT_TRUE(queue_reaches(0));
    holder.send(SIGCONT);
    EXPECT_EQ(holder.exit_status(), 76);
    EXPECT_FALSE(is_alive(pid_in(folder / "pid")));
    expect_one_line(messages(holder),
                    "/lock: the lock was lost: nothing was heard from a server in time; stopping the command");
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
    DocentProcess holder(lock({"sh", "-c", "until [ -e " + (folder / "end").string() + " ]; do sleep 0.02; done"}));
    ASSERT_TRUE(queue_reaches(1));
    DocentProcess waiter(lock_soon_lost({"true"}));
    ASSERT_TRUE(queue_reaches(2));
    const auto first = nodes();
    waiter.send(SIGSTOP);
    ASSERT_TRUE(queue_reaches(1));
    waiter.send(SIGCONT);
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_NE(nodes(), first);
    run({.words = {(folder / "end").string()}, .program = "touch"});
    EXPECT_EQ(holder.exit_status(), 0);
    EXPECT_EQ(waiter.exit_status(), 0);
    EXPECT_EQ(waiter.errors(), "");
}

} // namespace
} // namespace docent::test
