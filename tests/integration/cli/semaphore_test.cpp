// SPDX-License-Identifier: Apache-2.0
// docent semaphore.
#include "cli_fixture.hpp"

#include <signal.h>

#include <sstream>

namespace docent::test {
namespace {

class SemaphoreCommandTest : public CliTest {
protected:
    Setting semaphore(const Words& options, const Words& program) const {
        return setting({"semaphore", "/s", "--session-timeout", "10s"}, options, program);
    }
    Words leases() { return queue_at(observer, "/s/leases"); }
    bool leases_reach(std::size_t count) { return test::queue_reaches(observer, "/s/leases", count); }
};

TEST_F(SemaphoreCommandTest, AKilledHolderCostsNoPermit) {
    DocentProcess holder(semaphore({"--permits", "1"}, goes_on()));
    ASSERT_TRUE(appears("pid"));
    DocentProcess next(semaphore({"--permits", "1"}, {"true"}));
    ASSERT_TRUE(leases_reach(2)) << "the other one waits next in line";
    const auto begin = steady_clock::now();
    holder.send(SIGKILL);
    EXPECT_EQ(next.exit_status(), 0) << next.errors();
    EXPECT_GT(steady_clock::now() - begin, tick) << "its session has to end first";
    EXPECT_FALSE(is_alive(pid_in("pid")));
    EXPECT_TRUE(leases_reach(0));
}

TEST_F(SemaphoreCommandTest, SeveralPermitsAtOnce) {
    const std::string see =
        "echo $DOCENT_LOCK_PATH $DOCENT_LOCK_NODE $DOCENT_FENCING_TOKEN >" + file("seen") + "; while :; do sleep 0.02; done";
    DocentProcess holder(semaphore({"--permits", "3", "--count", "2"}, {"sh", "-c", see}));
    ASSERT_TRUE(appears("seen"));
    ASSERT_EQ(leases().size(), 2u);
    std::istringstream seen(read_file(folder / "seen"));
    std::string path;
    std::string node;
    std::int64_t token = 0;
    seen >> path >> node >> token;
    EXPECT_EQ(path, "/s");
    EXPECT_EQ(observer.get(node).stat.czxid, token);

    expect_outcome(run(semaphore({"--permits", "3", "--count", "2", "--no-wait"}, {"true"})), 75,
                   "semaphore /s: not enough permits are free");
    EXPECT_EQ(run(semaphore({"--permits", "3", "--no-wait"}, {"sh", "-c", "exit 3"})).status, 3) << "one is left";
    expect_outcome(run_connected(semaphore({"--permits", "3", "--count", "3", "--wait", "100ms"}, {"true"})), 75,
                   "semaphore /s: not acquired within 100ms");
    ASSERT_TRUE(leases_reach(2)) << "nothing is left";
    for (const auto& name : leases()) {
        if ("/s/leases/" + name != node) observer.remove("/s/leases/" + name); // deletes the second node
    }
    EXPECT_EQ(holder.exit_status(), 76) << "both are needed";
    EXPECT_TRUE(leases_reach(0));
}

/// The command has connected, and the server falls silent when it gets the create of the gate's node. The client notices the
/// silence after 40 s; the try must end long before.
TEST_F(SemaphoreCommandTest, NoWaitEndsSoonThoughTheServerFallsSilent) {
    AnyServer patient{{.max_session_timeout = 60s}};
    docent::testing::FaultProxy proxy(patient.port());
    proxy.on_forwarded(docent::testing::Opcode::create2, [&proxy] { proxy.black_hole(docent::testing::Direction::to_client); });
    DocentProcess trying(
        through(proxy, setting({"semaphore", "/s", "--session-timeout", "60s"}, {"--permits", "1", "--no-wait"}, {"true"})));
    EXPECT_EQ(trying.exit_status(30s), 69) << "the session would live for longer";
    expect_one_line(trying.errors(), "no ZooKeeper answered");
}

TEST_F(SemaphoreCommandTest, CanBeAskedForItsPermit) {
    DocentProcess holder(semaphore({"--permits", "1", "--revocable"}, {"sleep", "1000"}));
    ASSERT_TRUE(leases_reach(1));
    EXPECT_EQ(run(setting({"revoke", "/s/leases/" + leases().front()})).status, 0);
    EXPECT_EQ(holder.exit_status(), 128 + SIGTERM);
    EXPECT_TRUE(leases_reach(0));
}

TEST_F(SemaphoreCommandTest, AnotherNumberOfPermitsIsReported) {
    DocentProcess holder(semaphore({"--permits", "2", "--label", "ann"}, {"sleep", "1000"}));
    ASSERT_TRUE(leases_reach(1));
    DocentProcess other(semaphore({"--permits", "3"}, {"sleep", "1000"}));
    const std::string told =
        "docent: semaphore /s: --permits is 3 here, but 2 for ann; all users of a path must give the same number\n";
    EXPECT_TRUE(eventually([&] { return other.errors() == told; })) << other.errors();
    for (DocentProcess* process : {&holder, &other}) {
        expect_ended_by(*process, SIGTERM);
    }
    EXPECT_EQ(holder.errors(), "");
}

} // namespace
} // namespace docent::test
