// SPDX-License-Identifier: Apache-2.0
// docent lock without faults, and when the lock cannot be had.
#include "cli_fixture.hpp"
#include "seeds.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <fstream>
#include <memory>
#include <regex>

#include <signal.h>

namespace docent::test {
namespace {

using LockCommandTest = CliTest;

TEST_F(LockCommandTest, ExitsAsTheCommandDid) {
    EXPECT_EQ(run(lock({"true"})).status, 0);
    EXPECT_EQ(run(lock({"sh", "-c", "exit 3"})).status, 3);
    EXPECT_EQ(run(lock({"sh", "-c", "kill -KILL $$"})).status, 128 + SIGKILL);
    EXPECT_TRUE(nodes().empty());
}

TEST_F(LockCommandTest, TheCommandHasOurDescriptorsAndNoMore) {
    const Words command{"sh", "-c", "cat; echo to stderr >&2; ls /proc/self/fd >&2"};
    auto under_lock = lock(command);
    under_lock.input = "through";
    const auto alone = run({.words = {"-c", command.back()}, .input = "through", .program = "sh"});
    const auto result = run(under_lock);
    EXPECT_EQ(result.output, "through");
    EXPECT_EQ(result.output, alone.output);
    EXPECT_EQ(result.errors, alone.errors);
}

TEST_F(LockCommandTest, TheCommandGetsItsLocksInVariables) {
    DocentProcess holder(lock({"sh", "-c",
                               "echo $DOCENT_LOCK_PATH > " + file("path") + "; echo $DOCENT_LOCK_NODE > " + file("node") +
                                   "; echo $DOCENT_FENCING_TOKEN > " + file("token") + "; exec sleep 1000"}));
    ASSERT_TRUE(appears("token"));
    const auto held = nodes();
    ASSERT_EQ(held.size(), 1u);
    EXPECT_EQ(read_file(folder / "path"), "/lock\n");
    EXPECT_EQ(read_file(folder / "node"), "/lock/" + held.front() + "\n");
    EXPECT_EQ(read_file(folder / "token"), std::to_string(observer.get("/lock/" + held.front()).stat.czxid) + "\n");
}

TEST_F(LockCommandTest, TheNodeIsNamedAsCurators) {
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    const std::regex expected("_c_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}-lock-[0-9]{10}");
    EXPECT_TRUE(std::regex_match(nodes().front(), expected)) << nodes().front();

    // The class path that ZooKeeper's zkCli.sh uses.
    const std::string jars = "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-nop.jar";
    if (std::filesystem::exists("/usr/share/java/zookeeper.jar")) {
        const auto shown = run(
            {.words = {"-cp", jars, "org.apache.zookeeper.ZooKeeperMain", "-server", server.connect_string(), "ls", "/lock"},
             .program = "java"});
        EXPECT_NE(shown.output.find('[' + nodes().front() + ']'), std::string::npos) << shown.output << shown.errors;
    }

    expect_ended_by(holder, SIGTERM);
    EXPECT_TRUE(nodes().empty());
}

TEST_F(LockCommandTest, ACommandThatCannotBeRunLeavesTheLockFree) {
    expect_outcome(run(lock({"no-such-command"})), 127, "no-such-command");
    std::ofstream(folder / "plain") << "not a program";
    expect_outcome(run(lock({file("plain")})), 126, "Permission denied");
    EXPECT_TRUE(nodes().empty());
}

TEST_F(LockCommandTest, WaitEndsAfterItsTimeWith75) {
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    const auto begin = steady_clock::now();
    const auto waited = run_connected(lock({"true"}, {"--wait", "1s"}));
    EXPECT_EQ(waited.status, 75);
    EXPECT_GE(steady_clock::now() - begin, 1s);
    expect_one_line(waited.errors, "/lock: not acquired within 1s, held by ");
    EXPECT_EQ(nodes().size(), 1u); // the holder's: the waiter's node is removed at once, at the latest with its session

    const auto not_waited = run(lock({"true"}, {"--no-wait"}));
    EXPECT_EQ(not_waited.status, 75);
    expect_one_line(not_waited.errors, "/lock: not free: held by ");
    EXPECT_TRUE(not_waited.errors.ends_with(" sleep\n")) << not_waited.errors;
    EXPECT_EQ(nodes().size(), 1u);

    const auto quiet = run(lock({"true"}, {"-n", "-q"}));
    EXPECT_EQ(quiet.status, 75);
    EXPECT_EQ(quiet.errors, "");
    EXPECT_TRUE(holder.running());
}

TEST_F(LockCommandTest, WaitIsForConnectingToo) {
    docent::testing::FaultProxy proxy(server.port());
    proxy.black_hole();
    DocentProcess patient(through(proxy, lock({"true"}, {"--wait", "1h"})));
    DocentProcess limited(through(proxy, lock({"true"}, {"--wait", "1s"}))); // started later
    EXPECT_EQ(limited.exit_status(), 69);
    expect_one_line(limited.errors(), "no ZooKeeper answered");
    EXPECT_TRUE(patient.running());

    proxy.heal();
    EXPECT_EQ(patient.exit_status(), 0);
}

TEST_F(LockCommandTest, ShortWaitsAreNotSpentOnConnecting) {
    docent::testing::FaultProxy proxy(server.port());
    proxy.delay(docent::testing::Direction::to_client, 20ms); // --wait ends before the connection is made
    for (const auto* wait : {"1ms", "0s"}) {
        EXPECT_EQ(run_connected(through(proxy, lock({"true"}, {"--wait", wait}))).status, 0) << wait;
    }
}

TEST_F(LockCommandTest, ReadersRunTogetherAndAWriterAlone) {
    const auto side = [this](const std::string& name, Words words) {
        words.insert(words.begin(), {name, "/lock"});
        return setting(std::move(words));
    };
    {
        DocentProcess first(side("read-lock", {"--", "sleep", "1000"}));
        ASSERT_TRUE(queue_reaches(1));
        DocentProcess second(side("read-lock", {"--", "sh", "-c", "echo in > " + file("in") + "; exec sleep 1000"}));
        EXPECT_TRUE(appears("in"));
        EXPECT_EQ(run(side("write-lock", {"--no-wait", "--", "true"})).status, 75);
    }
    ASSERT_TRUE(queue_reaches(0));
    DocentProcess writer(side("write-lock", {"--", "sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    EXPECT_EQ(run(side("read-lock", {"--no-wait", "--", "true"})).status, 75);
    EXPECT_EQ(run_connected(side("write-lock", {"--wait", "10ms", "--", "true"})).status, 75);
    writer.send(SIGTERM);
    EXPECT_EQ(run(side("read-lock", {"--", "sh", "-c", "exit 3"})).status, 3);
}

/// The processes increment a number in a file that only the lock protects.
TEST_F(LockCommandTest, TwentyProcessesTakeTenTurnsEach) {
    constexpr int processes = 20;
    constexpr int turns = repetitions(10);
    std::ofstream(folder / "f") << "0\n";
    const std::string turn =
        DOCENT_BINARY " lock /lock -- sh -c 'n=$(cat " + file("f") + "); echo $((n+1)) > " + file("f") + "'";
    const std::string script = "i=0; while [ $i -lt " + std::to_string(turns) + " ]; do " + turn + " || exit; i=$((i+1)); done";
    std::vector<std::unique_ptr<DocentProcess>> running;
    for (int i = 0; i < processes; ++i) {
        running.push_back(std::make_unique<DocentProcess>(
            Setting{.words = {"-c", script}, .connect = server.connect_string(), .program = "sh"}));
    }
    for (auto& process : running) { // each turn starts a docent, a guard, a shell and its commands
        EXPECT_EQ(process->exit_status(240s), 0) << process->errors();
    }
    EXPECT_EQ(read_file(folder / "f"), std::to_string(processes * turns) + "\n");
    EXPECT_TRUE(nodes().empty());
}

} // namespace
} // namespace docent::test
