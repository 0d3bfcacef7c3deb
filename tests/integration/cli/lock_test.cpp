// SPDX-License-Identifier: Apache-2.0
// docent lock without faults, and when the lock cannot be had.
#include "cli_fixture.hpp"
#include "servers/pooled_server.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <cstdint>
#include <fstream>
#include <memory>
#include <regex>

#include <signal.h>

namespace docent::test {
namespace {

class LockCommandTest : public CliTest {};

TEST_F(LockCommandTest, ExitsAsTheCommandDid) {
    EXPECT_EQ(run(lock({"true"})).status, 0);
    EXPECT_EQ(run(lock({"sh", "-c", "exit 3"})).status, 3);
    EXPECT_EQ(run(lock({"sh", "-c", "kill -KILL $$"})).status, 128 + SIGKILL);
    EXPECT_TRUE(nodes().empty());
}

TEST_F(LockCommandTest, TheCommandHasOurDescriptorsAndNoMore) {
    const std::vector<std::string> command{"sh", "-c", "cat; echo to stderr >&2; ls /proc/self/fd >&2"};
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
                               "echo $DOCENT_LOCK_PATH > " + (folder / "path").string() + "; echo $DOCENT_LOCK_NODE > " +
                                   (folder / "node").string() + "; echo $DOCENT_FENCING_TOKEN > " +
                                   (folder / "token").string() + "; sleep 1000"}));
    ASSERT_TRUE(file_appears(folder / "token"));
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

    holder.send(SIGTERM);
    EXPECT_EQ(holder.exit_status(), 128 + SIGTERM);
    EXPECT_TRUE(nodes().empty());
}

TEST_F(LockCommandTest, ACommandThatCannotBeRunLeavesTheLockFree) {
    const auto missing = run(lock({"no-such-command"}));
    EXPECT_EQ(missing.status, 127);
    expect_one_line(missing.errors, "no-such-command");
    std::ofstream(folder / "plain") << "not a program";
    const auto plain = run(lock({(folder / "plain").string()}));
    EXPECT_EQ(plain.status, 126);
    expect_one_line(plain.errors, "Permission denied");
    EXPECT_TRUE(nodes().empty());
}

TEST_F(LockCommandTest, WaitEndsAfterItsTimeWith75) {
    DocentProcess holder(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    const auto begin = steady_clock::now();
    const auto waited = run(lock({"true"}, {"--wait", "1s"}));
    EXPECT_EQ(waited.status, 75);
    EXPECT_GE(steady_clock::now() - begin, 1s);
    expect_one_line(waited.errors, "/lock: not acquired within 1s, held by ");
    EXPECT_EQ(nodes().size(), 1u); // the node is gone at once, at the latest with the session

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
    const auto silent = [&](const std::vector<std::string>& options) {
        auto setting = lock({"true"}, options);
        setting.connect = proxy.connect_string();
        return setting;
    };
    DocentProcess patient(silent({}));
    DocentProcess limited(silent({"--wait", "1s"})); // started later
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
        auto wanted = lock({"true"}, {"--wait", wait});
        wanted.connect = proxy.connect_string();
        EXPECT_EQ(run(wanted).status, 0) << wait;
    }
}

TEST_F(LockCommandTest, WaitersRunInTheirOrder) {
    auto holder = std::make_unique<DocentProcess>(lock({"sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    const std::string log = (folder / "log").string();
    std::vector<std::unique_ptr<DocentProcess>> waiters;
    for (int i = 1; i <= 3; ++i) {
        waiters.push_back(std::make_unique<DocentProcess>(lock({"sh", "-c", "echo " + std::to_string(i) + " >> " + log})));
        ASSERT_TRUE(queue_reaches(static_cast<std::size_t>(i) + 1));
    }
    holder->send(SIGTERM);
    for (auto& waiter : waiters) EXPECT_EQ(waiter->exit_status(), 0);
    EXPECT_EQ(read_file(log), "1\n2\n3\n");
}

TEST_F(LockCommandTest, FencingTokensGrow) {
    std::int64_t last = 0;
    for (int i = 0; i < 5; ++i) {
        const auto token = std::stoll(run(lock({"sh", "-c", "echo $DOCENT_FENCING_TOKEN"})).output);
        EXPECT_GT(token, last);
        last = token;
    }
}

TEST_F(LockCommandTest, ReadersRunTogetherAndAWriterAlone) {
    const auto side = [this](const std::string& name, std::vector<std::string> words) {
        words.insert(words.begin(), {name, "/lock"});
        return setting(std::move(words));
    };
    {
        DocentProcess first(side("read-lock", {"--", "sleep", "1000"}));
        ASSERT_TRUE(queue_reaches(1));
        DocentProcess second(side("read-lock", {"--", "sh", "-c", "echo in > " + (folder / "in").string() + "; sleep 1000"}));
        EXPECT_TRUE(file_appears(folder / "in"));
        EXPECT_EQ(run(side("write-lock", {"--no-wait", "--", "true"})).status, 75);
    }
    ASSERT_TRUE(queue_reaches(0));
    DocentProcess writer(side("write-lock", {"--", "sleep", "1000"}));
    ASSERT_TRUE(queue_reaches(1));
    EXPECT_EQ(run(side("read-lock", {"--no-wait", "--", "true"})).status, 75);
    EXPECT_EQ(run(side("write-lock", {"--wait", "10ms", "--", "true"})).status, 75);
    writer.send(SIGTERM);
    EXPECT_EQ(run(side("read-lock", {"--", "sh", "-c", "exit 3"})).status, 3);
}

} // namespace
} // namespace docent::test
