// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "integration/testing/raw_client.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/memory_server.hpp>
#include <docent/transaction.hpp>

#include <boost/system/system_error.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <vector>

namespace docent::testing {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::RawClient;

bool accepts_connections(std::uint16_t port) {
    try {
        const RawClient client(port);
        return true;
    } catch (const boost::system::system_error&) {
        return false;
    }
}

template <typename Server> ClientConfig config_of(const Server& server) {
    return {.connect_string = server.connect_string()};
}

// ---- one server

/// The same test passes on a TestingServer.
/// Makes the node /a in a new session, and watches its data.
bool watches_a_new_node(RawClient& client) {
    if (!client.handshake()) return false;
    client.send_create(1, "/a");
    client.send_get_watched(2, "/a");
    return client.read_reply() && client.read_reply();
}

TEST(MemoryServer, GrantsALock) {
    MemoryServer server;
    Client client = started(config_of(server));
    InterProcessMutex mutex(client, "/app/nightly");
    EXPECT_TRUE(mutex.acquire({.timeout = generous}).owns());
}

TEST(MemoryServer, TwentyServersInOneProcessServeAtOnce) {
    std::vector<std::future<bool>> locks;
    for (int i = 0; i < 20; ++i) {
        locks.push_back(std::async(std::launch::async, [] {
            MemoryServer server;
            Client client = started(config_of(server));
            InterProcessMutex mutex(client, "/lock");
            return mutex.acquire({.timeout = generous}).owns();
        }));
    }
    for (auto& lock : locks) EXPECT_TRUE(lock.get());
}

TEST(MemoryServer, AnswersFourLetterWordsOnItsPort) {
    const MemoryServer server;
    for (const std::string word : {"ruok", "srvr", "mntr"}) {
        RawClient client(server.port());
        client.send_bytes(word);
        EXPECT_TRUE(client.closed_within());
        EXPECT_EQ(client.unread(), server.four_letter_word(word));
    }
    EXPECT_EQ(server.four_letter_word("ruok"), "imok");
    EXPECT_NE(server.four_letter_word("srvr").find("not ZooKeeper"), std::string::npos) << "it says what it is";
    EXPECT_EQ(server.metric("zk_znode_count"), 4);
}

TEST(MemoryServer, ListensOnLoopbackOnly) {
    const MemoryServer server({.tls = true});
    const std::string tls = server.tls_connect_string();
    for (const int number : {int{server.port()}, std::stoi(tls.substr(tls.find(':') + 1))}) {
        char port[16];
        std::snprintf(port, sizeof port, ":%04X ", static_cast<unsigned>(number));
        bool found = false;
        for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
            std::ifstream lines(table);
            for (std::string line; std::getline(lines, line);) {
                if (line.find(port) == std::string::npos || line.find(" 0A ") == std::string::npos) continue;
                found = true;
                EXPECT_NE(line.find(std::string(" 0100007F") + port), std::string::npos) << line;
            }
        }
        EXPECT_TRUE(found) << number;
    }
}

TEST(MemoryServer, SpeaksTls) {
    const MemoryServer server({.tls = true});
    Client client = started({.connect_string = server.tls_connect_string(), .tls = server.tls_config()});
    EXPECT_EQ(client.create("/a").path, "/a");
    EXPECT_THROW(static_cast<void>(MemoryServer().tls_config()), std::runtime_error);
}

TEST(MemoryServer, ResumesTls) {
    MemoryServer server({.max_session_timeout = 1h, .tls = true});
    Client client = started( // a session so long that no attempt to connect takes too long
        {.connect_string = server.tls_connect_string(), .session_timeout = 1h, .tls = server.tls_config()});
    client.create("/a");
    SessionWatcher watcher(client);
    server.cut();
    watcher.until(SessionState::suspended);
    client.create("/b");
    EXPECT_EQ(server.connections(), 2U) << "the first attempt to connect again succeeds";
}

TEST(MemoryServer, KeepsItsDataWhileItIsStopped) {
    MemoryServer server;
    Client client = started(config_of(server));
    client.create("/a", "x", {.mode = CreateMode::ephemeral});
    SessionWatcher watcher(client);
    server.stop();
    EXPECT_FALSE(server.running());
    EXPECT_FALSE(accepts_connections(server.port()));
    watcher.until(SessionState::suspended);
    server.start();
    EXPECT_EQ(client.get("/a").data, "x") << "the session lives";
}

TEST(MemoryServer, PausedServerAnswersWhenItIsStarted) {
    MemoryServer server({.clock = Clock::manual});
    RawClient client(server.port());
    ASSERT_TRUE(client.handshake());
    server.pause();
    client.send_create(1, "/a");
    EXPECT_FALSE(client.read_reply(100ms));
    EXPECT_EQ(server.requests(Opcode::create), 0U) << "it is paused";
    server.start();
    const auto reply = client.read_reply();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->error, 0);
}

TEST(MemoryServer, SessionsOutliveAPause) {
    MemoryServer server({.clock = Clock::manual});
    RawClient client(server.port());
    const auto session = client.handshake();
    ASSERT_TRUE(session);
    server.pause();
    server.advance(1h);
    server.resume();
    server.advance(1ms);
    client.send_create(1, "/a");
    ASSERT_TRUE(client.read_reply());
    EXPECT_TRUE(server.expire(*session)) << "it is alive";
}

TEST(MemoryServer, ForkedChildKeepsNoPortAndNoConnection) {
    auto server = std::make_unique<MemoryServer>();
    RawClient client(server->port());
    ASSERT_TRUE(client.handshake());
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[1]);
        server.reset(); // does nothing here
        char byte = 0;
        ::_exit(::read(ends[0], &byte, 1) == 0 ? 0 : 1); // until the parent's end
    }
    ::close(ends[0]);
    client.send_create(1, "/a");
    EXPECT_TRUE(client.read_reply()) << "the child has ended the server";
    const auto port = server->port();
    server.reset();
    EXPECT_TRUE(client.closed_within());
    EXPECT_FALSE(accepts_connections(port));
    ::close(ends[1]);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

// ---- time

TEST(MemoryServer, SessionsExpireWhenTheTestSaysSo) {
    MemoryServer server({.clock = Clock::manual});
    Client client = started(config_of(server));
    client.create("/a", "", {.mode = CreateMode::ephemeral});
    Client other = started(config_of(server));
    SessionWatcher watcher(client);
    server.advance(1h);
    EXPECT_TRUE(other.exists("/a")) << "a connected client would have sent heartbeats";
    const auto session = client.session().session_id;
    EXPECT_TRUE(server.stall(session));
    server.advance(1h);
    EXPECT_FALSE(other.exists("/a"));
    EXPECT_EQ(server.server_of(session), 0U) << "the client does not learn of it";
    EXPECT_TRUE(server.unstall(session));
    watcher.until(SessionState::lost);
    EXPECT_FALSE(server.stall(session)) << "it has no connection";
}

TEST(MemoryServer, ExpiresOneSession) {
    MemoryServer server;
    Client client = started(config_of(server));
    client.wait_connected();
    SessionWatcher watcher(client);
    const auto session = client.session().session_id;
    EXPECT_TRUE(server.expire(session));
    EXPECT_FALSE(server.expire(session));
    watcher.until(SessionState::lost);
}

TEST(MemoryServer, SilentClientsExpireByTheRealClock) {
    MemoryServer server({.tick_time = 50ms, .max_session_timeout = 200ms});
    RawClient client(server.port());
    const auto session = client.handshake();
    ASSERT_TRUE(session);
    EXPECT_TRUE(client.closed_within());
    EXPECT_FALSE(server.expire(*session)) << "it has expired";
}

TEST(MemoryServer, LooksForEmptyContainersOnceAMinute) {
    MemoryServer server({.clock = Clock::manual});
    Client client = started(config_of(server));
    client.create("/c", "", {.mode = CreateMode::container});
    client.create("/c/x");
    client.remove("/c/x");
    server.advance(59s);
    EXPECT_TRUE(client.exists("/c"));
    server.advance(1s);
    EXPECT_FALSE(client.exists("/c"));
}

TEST(MemoryServer, NodesOutliveNoTtl) {
    MemoryServer server({.extended_types = true, .clock = Clock::manual});
    Client client = started(config_of(server));
    client.create("/t", "", {.mode = CreateMode::persistent_with_ttl, .ttl = 90s});
    server.advance(60s);
    EXPECT_TRUE(client.exists("/t"));
    server.advance(60s);
    EXPECT_FALSE(client.exists("/t"));
}

TEST(MemoryServer, TtlNeedsItsOption) {
    MemoryServer server;
    Client client = started(config_of(server));
    error_code ec;
    client.create("/t", "", {.mode = CreateMode::persistent_with_ttl, .ttl = 90s}, ec);
    EXPECT_EQ(ec, server_error::unimplemented);
}

// ---- faults

TEST(MemoryServer, LosesTheRequestOfTheSecondCreate) {
    MemoryServer server;
    Client client = started(config_of(server));
    server.lose_request(Opcode::create, 2);
    client.create("/a");
    client.create("/b"); // sent again
    EXPECT_TRUE(server.wait_faults(1, generous));
    EXPECT_EQ(server.requests(Opcode::create), 3U);
}

TEST(MemoryServer, LosesTheReplyToASet) {
    MemoryServer server;
    Client client = started(config_of(server));
    client.create("/a");
    server.lose_reply(Opcode::set);
    client.set("/a", "x");
    EXPECT_TRUE(server.wait_faults(1, generous));
    EXPECT_EQ(client.get("/a").stat.version, 2) << "it was applied twice";
}

TEST(MemoryServer, TwoFaultsAtOneRequestCountAsTwo) {
    MemoryServer server;
    Client client = started(config_of(server));
    server.lose_request(Opcode::create);
    server.lose_reply(Opcode::create);
    client.create("/a");
    EXPECT_TRUE(server.wait_faults(2, generous));
}

TEST(MemoryServer, DropsAnEvent) {
    MemoryServer server({.clock = Clock::manual});
    RawClient client(server.port());
    ASSERT_TRUE(watches_a_new_node(client));
    server.drop_event();
    Client other = started(config_of(server));
    other.set("/a", "x");
    EXPECT_TRUE(server.wait_faults(1, generous));
    client.send_get_watched(3, "/a");
    const auto reply = client.read_reply();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->xid, 3) << "no event came before";
    other.set("/a", "y");
    const auto event = client.read_reply();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->xid, -1) << "the next event comes";
}

TEST(MemoryServer, CutsAndStallsAConnection) {
    MemoryServer server({.clock = Clock::manual});
    RawClient client(server.port());
    const auto session = client.handshake();
    ASSERT_TRUE(session);
    EXPECT_TRUE(server.stall(*session));
    client.send_create(1, "/a");
    Client other = started(config_of(server));
    other.create("/b");
    EXPECT_FALSE(client.read_reply(100ms));
    EXPECT_FALSE(other.exists("/a"));
    EXPECT_TRUE(server.unstall(*session));
    EXPECT_TRUE(client.read_reply());
    EXPECT_TRUE(server.cut(*session));
    EXPECT_TRUE(client.closed_within());
    EXPECT_FALSE(server.cut(*session));
    EXPECT_TRUE(server.expire(*session)) << "the session lives";
}

// ---- several servers

TEST(MemoryServers, LaggingServerShowsOldDataUntilASync) {
    MemoryServer servers({.servers = 3, .max_session_timeout = 1h});
    const auto stay = EnsembleTracking::off;
    Client writer = started({.connect_string = servers.connect_string(0), .ensemble_tracking = stay});
    Client reader = started( // its first heartbeat, which is a sync, comes after ten minutes
        {.connect_string = servers.connect_string(1), .session_timeout = 1h, .ensemble_tracking = stay});
    writer.create("/a", "old");
    ASSERT_TRUE(eventually([&] { return reader.exists("/a").has_value(); }));
    servers.lag(1);
    writer.set("/a", "new");
    EXPECT_EQ(reader.get("/a").data, "old");
    reader.sync("/");
    EXPECT_EQ(reader.get("/a").data, "new");
    EXPECT_EQ(servers.server_of(reader.session().session_id), 1U);
}

TEST(MemoryServers, NextLeaderKeepsDataAndSessions) {
    MemoryServer servers({.servers = 3});
    Client client = started(config_of(servers));
    const auto before = client.create("/a", "", {.mode = CreateMode::ephemeral}).stat.czxid;
    const auto first = servers.leader();
    ASSERT_TRUE(first);
    servers.kill(*first);
    EXPECT_NE(servers.leader(), first);
    EXPECT_TRUE(client.exists("/a"));
    EXPECT_GT(client.create("/b").stat.czxid >> 32, before >> 32) << "a new epoch";
    servers.kill(*servers.leader());
    EXPECT_FALSE(servers.leader()) << "one of three is no quorum";
    servers.start(*first);
    EXPECT_TRUE(client.exists("/a"));
}

TEST(MemoryServers, LossOfTheLeaderClosesTheConnectionsOfAllServers) {
    MemoryServer servers({.servers = 3});
    Client client = started({.connect_string = servers.connect_string(0), .ensemble_tracking = EnsembleTracking::off});
    client.wait_connected();
    SessionWatcher watcher(client);
    ASSERT_NE(servers.leader(), 0U);
    servers.kill(*servers.leader());
    watcher.until(SessionState::suspended);
    EXPECT_EQ(client.create("/a").path, "/a");
}

TEST(MemoryServers, StoppedServerSendsNothingThatWasHeldUp) {
    for (const bool paused : {true, false}) {
        MemoryServer servers({.servers = 3, .clock = Clock::manual});
        RawClient client(servers.port(0));
        ASSERT_TRUE(watches_a_new_node(client));
        if (paused) servers.pause(0);
        else servers.lag(0);
        Client other = started({.connect_string = servers.connect_string(1), .ensemble_tracking = EnsembleTracking::off});
        other.set("/a", "x");
        servers.kill(0);
        EXPECT_TRUE(client.closed_within());
        EXPECT_TRUE(client.unread().empty()) << "the event of the change";
    }
}

TEST(MemoryServers, TheLossOfTheLeaderSendsNothingThatWasHeldUp) {
    MemoryServer servers({.servers = 3, .clock = Clock::manual});
    RawClient client(servers.port(0));
    ASSERT_TRUE(watches_a_new_node(client));
    servers.lag(0);
    Client other = started({.connect_string = servers.connect_string(1), .ensemble_tracking = EnsembleTracking::off});
    other.set("/a", "x");
    servers.kill(2);
    EXPECT_TRUE(client.closed_within());
    EXPECT_TRUE(client.unread().empty()) << "the event of the change";
}

TEST(MemoryServers, APausedLeaderClosesItsConnectionsWhenAnotherOneHasLed) {
    MemoryServer servers({.servers = 3, .clock = Clock::manual});
    RawClient client(servers.port(2));
    ASSERT_TRUE(client.handshake());
    ASSERT_EQ(servers.leader(), 2U);
    servers.pause(2);
    client.send_create(1, "/a");
    EXPECT_EQ(servers.leader(), 1U);
    servers.resume(2);
    EXPECT_TRUE(client.closed_within());
    EXPECT_TRUE(client.unread().empty());
    EXPECT_EQ(test::exists_at(servers.port(0), "/a"), false) << "a leader without followers commits nothing";
}

TEST(MemoryServers, APausedFollowerThatKeepsItsLeaderKeepsItsConnections) {
    MemoryServer servers({.servers = 3, .clock = Clock::manual});
    RawClient client(servers.port(0));
    ASSERT_TRUE(client.handshake());
    servers.pause(0);
    client.send_create(1, "/a");
    servers.resume(0);
    EXPECT_TRUE(client.read_reply());
}

TEST(MemoryServers, SessionsOutliveALostQuorum) {
    MemoryServer servers({.servers = 3, .clock = Clock::manual});
    Client client = started(config_of(servers));
    client.create("/a", "", {.mode = CreateMode::ephemeral});
    SessionWatcher watcher(client);
    servers.lose_quorum();
    watcher.until(SessionState::suspended);
    servers.advance(1h);
    servers.heal();
    EXPECT_TRUE(client.exists("/a"));
}

TEST(MemoryServers, ConfigurationNamesAllServers) {
    MemoryServer servers({.servers = 2});
    Client client = started(config_of(servers));
    const std::string data = client.get("/zookeeper/config").data;
    for (std::size_t server = 0; server < 2; ++server)
        EXPECT_NE(data.find(servers.connect_string(server)), std::string::npos) << data;
}

TEST(MemoryServers, RefuseImpossibleOptions) {
    EXPECT_THROW(MemoryServer({.servers = 0}), std::runtime_error);
    EXPECT_THROW(MemoryServer({.servers = 6}), std::runtime_error);
    EXPECT_THROW(MemoryServer({.max_session_timeout = 1ms}), std::runtime_error);
    MemoryServer server;
    EXPECT_THROW(MemoryServer({.port = server.port()}), std::runtime_error);
    EXPECT_THROW(server.advance(1s), std::runtime_error) << "its clock is real";
    EXPECT_THROW(server.stop(1), std::out_of_range);
    EXPECT_THROW(server.lag(0), std::runtime_error) << "it follows nobody";
    EXPECT_THROW(server.lose_request(Opcode::check), std::runtime_error) << "only a part of a multi";
    MemoryServer manual({.clock = Clock::manual});
    EXPECT_THROW(manual.advance(-1s), std::runtime_error);
}

TEST(MemoryServer, AnswersNoMoreThanAClientReads) {
    MemoryServer server;
    RawClient writer(server.port());
    ASSERT_TRUE(writer.handshake());
    writer.send_create(1, "/large", std::string(1'000'000, 'x'));
    ASSERT_TRUE(writer.read_reply());
    RawClient client(server.port());
    ASSERT_TRUE(client.handshake());
    constexpr int reads = 400;
    for (int xid = 1; xid <= reads; ++xid) client.send_get_watched(xid, "/large");
    for (int xid = 2; xid < 12; ++xid) { // until the server has seen all requests, which fit into one read
        writer.send_exists(xid, "/large");
        ASSERT_TRUE(writer.read_reply());
    }
    EXPECT_LT(server.requests(Opcode::get), 100U) << "the others wait until the client has read";
    for (int xid = 1; xid <= reads; ++xid) {
        const auto reply = client.read_reply();
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->xid, xid);
    }
}

} // namespace
} // namespace docent::testing
