// SPDX-License-Identifier: Apache-2.0
#include "eventually.hpp"
#include "hostile_server.hpp"
#include "in_threads.hpp"
#include "integration/testing/raw_client.hpp"
#include "servers/any_server.hpp"

#include <docent/testing/fault_proxy.hpp>
#include <docent/testing/testing_server.hpp>

#include <boost/system/system_error.hpp>

#include <gtest/gtest.h>

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using test::eventually;
using test::RawClient;

constexpr auto long_time = 30000ms;
constexpr auto short_time = 200ms; // long enough to see that an event does not come

class FaultProxyTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        server = std::make_unique<test::AnyServer>(test::AnyServerOptions{.tick_time = 100ms, .max_session_timeout = 30s});
    }
    static void TearDownTestSuite() { server.reset(); }

    std::unique_ptr<RawClient> connect() {
        auto client = std::make_unique<RawClient>(proxy.port());
        EXPECT_TRUE(client->handshake());
        return client;
    }
    /// Asks the server directly, not through the proxy.
    static bool exists(const std::string& path) { return test::exists_at(server->port(), path).value(); }

    static inline std::unique_ptr<test::AnyServer> server;
    FaultProxy proxy{server->port()};
};

TEST_F(FaultProxyTest, IsInvisibleWithoutRules) {
    const auto client = connect();
    client->send_create(1, "/invisible", "data");
    client->send_exists(2, "/invisible");
    client->send_ping();
    EXPECT_EQ(client->read_reply()->error, 0);
    EXPECT_EQ(client->read_reply()->xid, 2);
    EXPECT_EQ(client->read_reply()->xid, -2);
    EXPECT_EQ(proxy.connections(), 1U);
    EXPECT_EQ(proxy.requests(Opcode::create), 1U);
    EXPECT_EQ(proxy.requests(Opcode::exists), 1U);
    EXPECT_EQ(proxy.requests(Opcode::ping), 1U);
    EXPECT_EQ(proxy.requests(Opcode::get), 0U);
}

TEST_F(FaultProxyTest, FourLetterWordsPass) {
    RawClient client(proxy.port());
    client.send_bytes("ruok");
    EXPECT_TRUE(client.closed_within(long_time));
    EXPECT_FALSE(client.was_reset());
    EXPECT_EQ(client.unread(), "imok");
}

TEST_F(FaultProxyTest, LargeFramesPass) {
    const auto client = connect();
    const std::string data(900'000, 'x');
    client->send_create(1, "/large", data);
    ASSERT_EQ(client->read_reply()->error, 0);
    client->send_get_watched(2, "/large");
    const auto reply = client->read_reply();
    ASSERT_TRUE(reply);
    EXPECT_NE(reply->body.find(data), std::string::npos);
}

TEST_F(FaultProxyTest, EndOfTheServersSideGoesOn) {
    RawClient client(proxy.port());
    client.send_bytes(test::wire_frame("not a connect request"));
    EXPECT_TRUE(client.closed_within(long_time));
}

TEST_F(FaultProxyTest, CutResetsEveryConnection) {
    const auto one = connect();
    const auto two = connect();
    proxy.cut();
    EXPECT_TRUE(one->closed_within(long_time));
    EXPECT_TRUE(one->was_reset());
    EXPECT_TRUE(two->closed_within(long_time));
    const auto three = connect();
    three->send_exists(1, "/");
    EXPECT_EQ(three->read_reply()->xid, 1);
    EXPECT_EQ(proxy.connections(), 3U);
}

TEST_F(FaultProxyTest, RefusesNewConnectionsOnly) {
    const auto client = connect();
    proxy.refuse();
    EXPECT_THROW(RawClient{proxy.port()}, boost::system::system_error);
    client->send_exists(1, "/");
    EXPECT_EQ(client->read_reply()->xid, 1);
    proxy.heal();
    connect()->send_exists(1, "/");
    EXPECT_EQ(proxy.connections(), 2U);
}

/// A program that inherited the proxy's sockets would keep them open, and no client would notice a fault.
TEST_F(FaultProxyTest, FaultsHappenAlthoughAProgramWasStartedMeanwhile) {
    const auto client = connect();
    pid_t program = 0;
    char name[] = "sleep";
    char time[] = "1000";
    char* const words[] = {name, time, nullptr};
    ASSERT_EQ(::posix_spawnp(&program, name, nullptr, nullptr, words, environ), 0);
    proxy.refuse();
    EXPECT_THROW(RawClient{proxy.port()}, boost::system::system_error);
    proxy.cut();
    EXPECT_TRUE(client->closed_within(long_time));
    ::kill(program, SIGKILL);
    ::waitpid(program, nullptr, 0);
}

TEST_F(FaultProxyTest, BlackHoleLetsNothingThroughUntilHealed) {
    const auto client = connect();
    proxy.black_hole();
    client->send_create(1, "/black-hole");
    RawClient late(proxy.port());
    EXPECT_FALSE(late.handshake(short_time));
    EXPECT_FALSE(client->read_reply(short_time));
    EXPECT_FALSE(exists("/black-hole"));
    proxy.heal();
    EXPECT_EQ(client->read_reply()->error, 0);
    EXPECT_TRUE(exists("/black-hole"));
    EXPECT_TRUE(late.read_frame()) << "the answer to its connect request";
}

TEST_F(FaultProxyTest, BlackHoleOfOneDirection) {
    const auto client = connect();
    proxy.black_hole(Direction::to_client);
    client->send_create(1, "/one-way");
    EXPECT_TRUE(eventually([&] { return exists("/one-way"); }));
    EXPECT_FALSE(client->read_reply(short_time));
    proxy.heal();
    EXPECT_EQ(client->read_reply()->error, 0);
}

TEST_F(FaultProxyTest, BlackHoleHidesTheEndOfTheOtherSide) {
    TestingServer mortal;
    FaultProxy its_proxy(mortal.port());
    RawClient client(its_proxy.port());
    ASSERT_TRUE(client.handshake());
    its_proxy.black_hole();
    mortal.kill();
    EXPECT_FALSE(client.closed_within(short_time));
    its_proxy.heal();
    EXPECT_TRUE(client.closed_within(long_time));
}

TEST_F(FaultProxyTest, DelayHoldsEachDirectionBack) {
    const auto client = connect();
    proxy.delay(Direction::to_server, 100ms);
    proxy.delay(Direction::to_client, 50ms);
    const auto begin = steady_clock::now();
    client->send_exists(1, "/");
    client->send_exists(2, "/");
    EXPECT_EQ(client->read_reply()->xid, 1);
    EXPECT_GE(steady_clock::now() - begin, 150ms);
    EXPECT_EQ(client->read_reply()->xid, 2);
}

TEST_F(FaultProxyTest, HealForwardsDelayedBytes) {
    const auto client = connect();
    proxy.delay(Direction::to_server, std::chrono::hours(1));
    client->send_exists(1, "/");
    EXPECT_FALSE(client->read_reply(short_time));
    proxy.heal();
    EXPECT_EQ(client->read_reply()->xid, 1);
}

TEST_F(FaultProxyTest, CutBeforeRequestLosesIt) {
    const auto client = connect();
    proxy.cut_before_request(Opcode::create);
    client->send_exists(1, "/");
    EXPECT_EQ(client->read_reply()->xid, 1);
    client->send_create(2, "/lost-request");
    EXPECT_TRUE(client->closed_within(long_time));
    EXPECT_TRUE(proxy.wait_cuts(1, long_time));
    EXPECT_FALSE(exists("/lost-request"));
    EXPECT_EQ(proxy.requests(Opcode::create), 0U);

    const auto next = connect();
    next->send_create(1, "/lost-request");
    EXPECT_EQ(next->read_reply()->error, 0) << "the rule has struck";
}

TEST_F(FaultProxyTest, CutBeforeReplyLosesTheReplyOnly) {
    const auto client = connect();
    proxy.cut_before_reply(Opcode::create);
    client->send_exists(1, "/");
    client->send_create(2, "/lost-reply"); // no write follows: a write would see the reset, a read only sees the end
    EXPECT_EQ(client->read_reply()->xid, 1);
    EXPECT_FALSE(client->read_reply());
    EXPECT_TRUE(client->was_reset());
    EXPECT_TRUE(proxy.wait_cuts(1, long_time));
    EXPECT_TRUE(exists("/lost-reply"));
    EXPECT_EQ(proxy.requests(Opcode::create), 1U);
}

TEST_F(FaultProxyTest, HealEndsRulesThatHaveNotStruck) {
    const auto client = connect();
    proxy.cut_before_request(Opcode::create);
    proxy.cut_after_bytes(Direction::to_client, 1);
    proxy.heal();
    client->send_create(1, "/healed");
    EXPECT_EQ(client->read_reply()->error, 0);

    proxy.black_hole(Direction::to_client);
    proxy.cut_before_reply(Opcode::exists);
    client->send_exists(2, "/");
    EXPECT_TRUE(eventually([&] { return proxy.requests(Opcode::exists) == 1; }));
    proxy.heal(); // also if the request is gone already
    EXPECT_EQ(client->read_reply()->xid, 2);
    EXPECT_FALSE(proxy.wait_cuts(1, 0ms));
}

TEST_F(FaultProxyTest, CutAfterBytesMayCutAFrame) {
    const auto client = connect();
    const std::string request = test::create_request(1, "/half");
    proxy.cut_after_bytes(Direction::to_server, request.size() - 1);
    client->send_bytes(request);
    EXPECT_TRUE(client->closed_within(long_time));
    EXPECT_TRUE(proxy.wait_cuts(1, long_time));
    EXPECT_FALSE(exists("/half"));
}

TEST_F(FaultProxyTest, CutAfterTheLastByteOfARequestLetsItHappen) {
    const auto client = connect();
    const std::string request = test::create_request(1, "/whole");
    proxy.cut_after_bytes(Direction::to_server, request.size());
    client->send_bytes(request);
    EXPECT_TRUE(client->closed_within(long_time));
    EXPECT_TRUE(eventually([&] { return exists("/whole"); }));
}

TEST_F(FaultProxyTest, ActionIsCalledWhenARequestHasGoneAndMayChangeTheRules) {
    const auto client = connect();
    proxy.on_forwarded(Opcode::create, [&] { proxy.black_hole(Direction::to_client); });
    client->send_create(1, "/action");
    EXPECT_TRUE(eventually([&] { return exists("/action"); }));
    EXPECT_FALSE(client->read_reply(short_time));
    proxy.heal();
    EXPECT_EQ(client->read_reply()->xid, 1);
    client->send_create(2, "/action-2");
    EXPECT_EQ(client->read_reply()->xid, 2) << "heal() has ended the action";
}

TEST_F(FaultProxyTest, ActionMayCut) {
    const auto client = connect();
    proxy.on_forwarded(Opcode::exists, [&] { proxy.cut(); });
    client->send_exists(1, "/");
    EXPECT_TRUE(client->closed_within(long_time));
    EXPECT_EQ(proxy.requests(Opcode::exists), 1U);
}

TEST_F(FaultProxyTest, WithoutAServerConnectionsAreReset) {
    TestingServer stopped;
    stopped.stop();
    const FaultProxy its_proxy(stopped.port());
    RawClient client(its_proxy.port());
    EXPECT_TRUE(client.closed_within(long_time));
}

TEST_F(FaultProxyTest, MembersMayBeCalledFromManyThreads) {
    test::in_threads(4, [this](int) {
        for (int k = 0; k < 20; ++k) {
            RawClient client(proxy.port());
            client.send_connect_request();
            proxy.delay(Direction::to_client, 1ms);
            proxy.cut();
            proxy.heal();
        }
    });
    EXPECT_TRUE(eventually([&] { return proxy.connections() == 80; }));
}

} // namespace
} // namespace docent::testing
