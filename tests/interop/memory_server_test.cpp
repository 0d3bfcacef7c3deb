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

#include <cstddef>
#include <filesystem>
#include <fstream>
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

    /// The peer, whose locks have these words, and docent take turns at /lock.
    void expect_turns(Peer& peer, const Words& words, const std::string& at_once, const LockOptions& options) {
        InterProcessMutex mutex(client, "/lock", options);
        Lease first = mutex.acquire();
        expect_strict_order([&](const std::string& thread) { return PeerLock(peer, thread, words, at_once); },
                            [&] { return mutex.async_acquire(asio::use_future); },
                            [&](std::size_t waiting) {
                                return eventually([&] { return client.children("/lock").names.size() == 1 + waiting; });
                            },
                            [&] { first.release(); }, [](PeerLock& theirs, std::size_t) { return theirs.get(); });
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
    expect_turns(java, {"client=curator", "path=/lock", "side=mutex"}, "within=0", {});
    EXPECT_TRUE(eventually([&] { return !client.exists("/lock"); })) << "a container";
}

TEST_F(OnMemoryServer, KazooTakesTurns) {
    if (std::string_view(DOCENT_PYTHON).empty()) GTEST_SKIP() << "there is no python3";
    Peer python("Python", {DOCENT_PYTHON, DOCENT_KAZOO_PEER});
    const auto opened = python.call("open", {"client=kazoo", "connect=" + server.connect_string()});
    if (opened.error == "ModuleNotFoundError") GTEST_SKIP() << "Debian's package python3-kazoo is not installed";
    ASSERT_EQ(opened.error, "");
    client.create("/lock"); // a container could be removed before kazoo's next attempt, and kazoo makes a path only once
    expect_turns(python, {"client=kazoo", "path=/lock", "kind=Lock"}, "try", {.others = kazoo_contenders()});
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
    EXPECT_TRUE(says("zookeeper")) << session.output(); // by ls: the watch is set
    client.remove("/old");
    EXPECT_TRUE(says("DELETED_EVENT")) << session.output();
    std::ofstream(end) << "now";
    EXPECT_EQ(session.exit_status(), 0);
}

} // namespace
} // namespace docent::test
