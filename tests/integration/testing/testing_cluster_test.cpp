// SPDX-License-Identifier: Apache-2.0
#include "eventually.hpp"
#include "folder.hpp"
#include "integration/testing/processes.hpp"
#include "integration/testing/raw_client.hpp"
#include "posix/descriptors.hpp"
#include "posix/spawn.hpp"

#include <docent/testing/testing_cluster.hpp>

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace docent::testing {
namespace {

using namespace std::chrono_literals;
using test::create_at;
using test::eventually;
using test::exists_at;
using test::is_alive;
using test::RawClient;
using test::TemporaryFolder;

bool serves(const TestingServer& server) {
    return server.four_letter_word("srvr").find("Mode: ") != std::string::npos;
}

std::string configuration_of(const TestingServer& server) {
    RawClient client(server.port());
    EXPECT_TRUE(client.handshake());
    client.send_get_watched(1, "/zookeeper/config");
    const auto reply = client.read_reply();
    return reply ? reply->body : "";
}

std::size_t other_than(std::size_t number, const TestingCluster& cluster) {
    return (number + 1) % cluster.size();
}

template <class Function> std::string message_of(Function function) {
    try {
        function();
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

TEST(TestingCluster, AllServeOnceConstructed) {
    const TestingCluster cluster;
    ASSERT_EQ(cluster.size(), 3U);
    std::string all;
    std::size_t followers = 0;
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        const TestingServer& server = cluster.server(i);
        EXPECT_TRUE(server.running());
        EXPECT_EQ(server.four_letter_word("ruok"), "imok");
        if (server.four_letter_word("srvr").find("Mode: follower") != std::string::npos) ++followers;
        all += (i == 0 ? "" : ",") + server.connect_string();
    }
    EXPECT_EQ(cluster.connect_string(), all);
    EXPECT_EQ(followers, 2U);
    ASSERT_TRUE(cluster.leader());
    EXPECT_NE(cluster.server(*cluster.leader()).four_letter_word("srvr").find("Mode: leader"), std::string::npos);
    EXPECT_THROW(cluster.server(3), std::out_of_range);
}

TEST(TestingCluster, ServersShareTheirData) {
    const TestingCluster cluster;
    EXPECT_EQ(create_at(cluster.server(0).port(), "/shared"), 0);
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        EXPECT_TRUE(eventually([&] { return exists_at(cluster.server(i).port(), "/shared") == true; })) << i;
    }
}

TEST(TestingCluster, KilledLeaderIsReplacedAndComesBack) {
    TestingCluster cluster;
    const std::size_t first = cluster.leader().value();
    const std::size_t other = other_than(first, cluster);
    const auto port = cluster.server(first).port();
    cluster.server(first).kill();
    cluster.wait_for_quorum();
    EXPECT_NE(cluster.leader().value(), first);
    EXPECT_EQ(create_at(cluster.server(other).port(), "/meanwhile"), 0);
    cluster.server(first).start();
    cluster.wait_for_quorum();
    EXPECT_TRUE(serves(cluster.server(first)));
    EXPECT_EQ(cluster.server(first).port(), port);
    EXPECT_EQ(exists_at(cluster.server(first).port(), "/meanwhile"), true);
}

TEST(TestingCluster, AServerWithoutAQuorumRunsAndServesNoClient) {
    TestingCluster cluster;
    EXPECT_EQ(create_at(cluster.server(0).port(), "/kept"), 0);
    cluster.server(1).kill();
    cluster.server(2).stop();
    EXPECT_TRUE(eventually([&] { return !serves(cluster.server(0)); }));
    cluster.server(0).restart(); // does not wait for a quorum, which is impossible
    EXPECT_TRUE(cluster.server(0).running());
    EXPECT_FALSE(serves(cluster.server(0)));
    EXPECT_EQ(cluster.leader(), std::nullopt);
    EXPECT_EQ(message_of([&] { cluster.wait_for_quorum(10ms); }),
              "TestingCluster: no quorum in 10 ms: server 0 serves no client, server 1 does not run, server 2 does not run");
    cluster.server(2).start();
    cluster.wait_for_quorum();
    EXPECT_EQ(exists_at(cluster.server(0).port(), "/kept"), true);
}

TEST(TestingCluster, PausedServerDoesNotHoldUpTheOthers) {
    TestingCluster cluster;
    const std::size_t leader = cluster.leader().value();
    const std::size_t paused = other_than(leader, cluster);
    cluster.server(paused).pause();
    cluster.wait_for_quorum();
    EXPECT_EQ(cluster.leader(), leader);
    EXPECT_EQ(create_at(cluster.server(leader).port(), "/meanwhile"), 0);
    cluster.server(paused).resume();
    cluster.wait_for_quorum();
    EXPECT_TRUE(eventually([&] { return exists_at(cluster.server(paused).port(), "/meanwhile") == true; }));
}

TEST(TestingCluster, TellsWhichServerASessionIsConnectedTo) {
    TestingCluster cluster;
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        std::optional<std::int64_t> session;
        {
            RawClient client(cluster.server(i).port());
            session = client.handshake();
            ASSERT_TRUE(session);
            EXPECT_EQ(cluster.server_of(*session), i);
        }
        EXPECT_TRUE(eventually([&] { return cluster.server_of(*session) == std::nullopt; }));
    }
    EXPECT_EQ(cluster.server_of(0x1234), std::nullopt);
}

TEST(TestingCluster, ConfigurationListsTheAddressesForClients) {
    const TestingCluster cluster;
    const std::string configuration = configuration_of(cluster.server(1));
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        EXPECT_NE(configuration.find(":participant;" + cluster.server(i).connect_string() + '\n'), std::string::npos)
            << configuration;
    }
}

TEST(TestingCluster, ReconfigurationOutlivesARestart) {
    TestingCluster cluster({.properties = {{"skipACL", "yes"}}});
    const std::size_t leader = cluster.leader().value();
    const std::size_t leaving = other_than(leader, cluster);
    const std::string leaving_line = "server." + std::to_string(leaving + 1) + '=';
    ASSERT_NE(configuration_of(cluster.server(leader)).find(leaving_line), std::string::npos);
    RawClient client(cluster.server(leader).port());
    ASSERT_TRUE(client.handshake());
    client.send_reconfig_leave(1, std::to_string(leaving + 1));
    const auto reply = client.read_reply();
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->error, 0);
    for (std::size_t i = 0; i < cluster.size(); ++i) cluster.server(i).stop();
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        if (i != leaving) cluster.server(i).start();
    }
    cluster.wait_for_quorum();
    const std::string configuration = configuration_of(cluster.server(leader));
    EXPECT_EQ(configuration.find(leaving_line), std::string::npos) << configuration;
}

TEST(TestingCluster, OptionsReachEveryServer) {
    const TestingCluster cluster({.servers = 2,
                                  .tick_time = 250ms,
                                  .properties = {{"maxSessionTimeout", "77000"}, {"syncLimit", "33"}},
                                  .java_options = {"-Duser.name=somebody"}});
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        const std::string configuration = cluster.server(i).four_letter_word("conf");
        EXPECT_NE(configuration.find("tickTime=250\n"), std::string::npos);
        EXPECT_NE(configuration.find("initLimit=40\n"), std::string::npos);
        EXPECT_NE(configuration.find("syncLimit=33\n"), std::string::npos);
        EXPECT_NE(configuration.find("maxSessionTimeout=77000\n"), std::string::npos);
        EXPECT_NE(cluster.server(i).four_letter_word("envi").find("user.name=somebody"), std::string::npos);
    }
}

TEST(TestingCluster, OneServerIsEnough) {
    const TestingCluster cluster({.servers = 1});
    EXPECT_EQ(cluster.leader(), 0U);
    EXPECT_EQ(create_at(cluster.server(0).port(), "/works"), 0);
}

TEST(TestingCluster, RefusesNoServersAndTooMany) {
    EXPECT_EQ(message_of([] { TestingCluster({.servers = 0}); }),
              "TestingCluster: ClusterOptions::servers is 0; it must be 1 to 255");
    EXPECT_EQ(message_of([] { TestingCluster({.servers = 256}); }),
              "TestingCluster: ClusterOptions::servers is 256; it must be 1 to 255");
}

TEST(TestingCluster, LeavesNothingBehind) {
    const TemporaryFolder folder;
    {
        TestingCluster cluster;
        cluster.server(0).kill();
        cluster.server(1).pause();
        EXPECT_FALSE(folder.empty());
    }
    EXPECT_TRUE(folder.empty());
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child process is left";
    EXPECT_EQ(errno, ECHILD);
}

// ---- a server, and a cluster

TEST(TestingServers, AFailedStartShowsTheEndOfTheLogAndLeavesNothingBehind) {
    const TemporaryFolder folder;
    for (const auto& message : {message_of([] {
                                    TestingServer({.properties = {{"dataLogDir", "/proc/nowhere"}}});
                                }),
                                message_of([] {
                                    TestingCluster({.properties = {{"dataLogDir", "/proc/nowhere"}}});
                                })}) {
        EXPECT_NE(message.find("ended with status"), std::string::npos) << message;
        EXPECT_NE(message.find("/proc/nowhere"), std::string::npos) << message;
        EXPECT_TRUE(folder.empty());
    }
}

/// Another process (testing_server_host) that starts servers and reports their process ids.
class ServerHost {
public:
    explicit ServerHost(const char* argument) {
        posix::Channel output = posix::make_channel();
        pid_ = posix::spawn_detached(posix::ProgramImage({TESTING_SERVER_HOST, argument}),
                                     {.output = output.theirs.get(), .errors = STDERR_FILENO})
                   .pid;
        output.theirs.reset();
        std::string line;
        for (char c = 0; ::read(output.ours.get(), &c, 1) == 1 && c != '\n';) line += c;
        std::istringstream words(line);
        for (pid_t server = 0; words >> server;) server_pids_.push_back(server);
    }
    ~ServerHost() { end(SIGKILL); }
    ServerHost(const ServerHost&) = delete;
    ServerHost& operator=(const ServerHost&) = delete;

    const std::vector<pid_t>& server_pids() const { return server_pids_; }
    void end(int signal) {
        if (pid_ <= 0) return;
        ::kill(pid_, signal);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

private:
    pid_t pid_ = 0;
    std::vector<pid_t> server_pids_;
};

TEST(TestingServers, DieWithTheirHost) {
    struct Case {
        const char* host;
        int signal;
        std::size_t servers;
    };
    for (const auto& [host_of, signal, servers] : {Case{"", SIGKILL, 1}, {"pause", SIGTERM, 1}, {"cluster", SIGKILL, 3}}) {
        SCOPED_TRACE(host_of);
        const TemporaryFolder folder;
        ServerHost host(host_of);
        const auto alive = [&] {
            const auto& pids = host.server_pids();
            return static_cast<std::size_t>(std::count_if(pids.begin(), pids.end(), &is_alive));
        };
        ASSERT_EQ(host.server_pids().size(), servers);
        EXPECT_EQ(alive(), servers);
        host.end(signal);
        EXPECT_TRUE(eventually([&] { return alive() == 0; }));
        EXPECT_TRUE(eventually([&] { return folder.empty(); }));
    }
}

} // namespace
} // namespace docent::testing
