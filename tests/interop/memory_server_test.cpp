// SPDX-License-Identifier: Apache-2.0

// Other clients have a session on a MemoryServer, beside docent's: Curator, kazoo and the command of the C client.

#include "eventually.hpp"
#include "integration/cli/docent_process.hpp"
#include "peer_lock.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/lock_options.hpp>
#include <docent/testing/memory_server.hpp>

#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <string_view>
#include <vector>

namespace docent::test {
namespace {

using namespace std::chrono_literals;
using docent::testing::MemoryServer;

class OnMemoryServer : public ::testing::Test {
protected:
    MemoryServer server{{.cleanup_interval = 50ms}};
    Client client{{.connect_string = server.connect_string(), .default_data = "docent"}};

    void SetUp() override { client.start(); }

    /// The peer and docent wait for each other at /lock, and both are told when the other releases it.
    void expect_turns(PeerLock& theirs, const LockOptions& options) {
        InterProcessMutex mutex(client, "/lock", options);
        const auto queue_reaches = [&](std::size_t length) {
            return eventually([&] { return client.children("/lock").names.size() == length; });
        };
        ASSERT_TRUE(theirs.acquire());
        auto ours = mutex.async_acquire(asio::use_future);
        ASSERT_TRUE(queue_reaches(2));
        EXPECT_TRUE(waits(ours));
        theirs.release();
        Lease lease = granted(ours);
        EXPECT_TRUE(lease.owns());
        EXPECT_FALSE(theirs.try_acquire());
        theirs.begin_acquire();
        ASSERT_TRUE(queue_reaches(2));
        EXPECT_TRUE(theirs.waits());
        lease.release();
        EXPECT_TRUE(theirs.get());
        theirs.release();
    }
};

TEST_F(OnMemoryServer, CuratorWritesReadsCommitsAndTakesTurns) {
    JavaPeer java;
    const auto curator = [&](const std::string& verb, Words words) {
        words.push_back("client=curator");
        const auto answer = java.call(verb, words);
        EXPECT_EQ(answer.error, "") << verb;
        return answer;
    };
    curator("open", {"connect=" + server.connect_string()});
    curator("create", {"path=/a/b", "parents", "protected", "mode=EPHEMERAL_SEQUENTIAL", data_word("Curator's")});
    const auto names = client.children("/a").names;
    ASSERT_EQ(names.size(), 1u);
    EXPECT_TRUE(names[0].starts_with("_c_")) << names[0];
    EXPECT_EQ(client.get("/a/" + names[0]).data, "Curator's");
    client.create("/docent", "docent's");
    EXPECT_EQ(curator("get", {"path=/docent"}).data(), "docent's");
    curator("transaction", {"path=", "create=/committed"});
    EXPECT_TRUE(client.exists("/committed"));
    PeerLock theirs(java, "thread", {"client=curator", "path=/lock", "side=mutex"}, "within=0");
    expect_turns(theirs, {});
    EXPECT_TRUE(eventually([&] { return !client.exists("/lock"); })) << "a container";
}

TEST_F(OnMemoryServer, KazooTakesTurns) {
    if (std::string_view(DOCENT_PYTHON).empty()) GTEST_SKIP() << "there is no python3";
    Peer python("Python", {DOCENT_PYTHON, DOCENT_KAZOO_PEER});
    const auto opened = python.call("open", {"client=kazoo", "connect=" + server.connect_string()});
    if (opened.error == "ModuleNotFoundError") GTEST_SKIP() << "Debian's package python3-kazoo is not installed";
    ASSERT_EQ(opened.error, "");
    client.create("/lock"); // a container could be removed before kazoo's next attempt, and kazoo makes a path only once
    PeerLock theirs(python, "ann", {"client=kazoo", "path=/lock", "kind=Lock"}, "try");
    expect_turns(theirs, {.others = kazoo_contenders()});
}

TEST_F(OnMemoryServer, TheCommandOfTheCClientHasASession) {
    const std::string command = "/usr/lib/zookeeper/bin/cli_mt";
    if (!std::filesystem::exists(command)) GTEST_SKIP() << "Debian's package zookeeper-bin is not installed";
    client.create("/old", "x");
    // Its input stays open until it has answered.
    const Folder folder;
    const std::string end = (folder / "end").string();
    DocentProcess session({.words = {"-c",
                                     "{ for word in 'create /made' 'set /old y' 'wexists /old' 'ls /'; do echo \"$word\"; "
                                     "done; until [ -e \"$2\" ]; do sleep 0.05; done; echo quit; } | \"$0\" -h \"$1\" 2>&1",
                                     command, server.connect_string(), end},
                           .program = "sh"});
    const auto says = [&](const char* word) {
        return eventually([&] { return session.output().find(word) != std::string::npos; });
    };
    EXPECT_TRUE(eventually([&] { return client.exists("/made") && client.get("/old").data == "y"; })) << session.output();
    EXPECT_TRUE(says("made")) << session.output();
    client.remove("/old");
    EXPECT_TRUE(says("DELETED_EVENT")) << session.output();
    std::ofstream(end) << "now";
    EXPECT_EQ(session.exit_status(), 0);
}

} // namespace
} // namespace docent::test
