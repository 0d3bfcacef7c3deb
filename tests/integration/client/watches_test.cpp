// SPDX-License-Identifier: Apache-2.0

// The cost of watches for the server, and very many watches.

#include "clients.hpp"
#include "eventually.hpp"
#include "proxied_test.hpp"

#include <docent/client.hpp>

#include <gtest/gtest.h>

#include <boost/asio/use_future.hpp>
#include <deque>
#include <future>
#include <stop_token>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;
using docent::testing::Opcode;

class Watches : public ProxiedTest {
protected:
    explicit Watches(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    std::int64_t on_server() const { return server.metric("zk_watch_count"); }
};

TEST_F(Watches, ManyWatchersOfOnePathShareOneOnTheServer) {
    client.create("/a");
    std::vector<Watched<NodeData>> many;
    for (int i = 0; i < 50; ++i) many.push_back(client.get_watched("/a"));
    EXPECT_EQ(on_server(), 1);
    client.set("/a", "x");
    for (auto& watched : many) EXPECT_EQ(watched.watch.wait({.timeout = generous}).type, WatchEventType::data_changed);
}

TEST_F(Watches, DroppingTheLastOneRemovesItOnTheServer) {
    client.create("/a");
    auto first = std::optional(client.get_watched("/a"));
    auto second = std::optional(client.exists_watched("/a"));
    auto list = std::optional(client.children_watched("/a"));
    auto missing = std::optional(client.exists_watched("/b"));
    EXPECT_EQ(on_server(), 3);
    first.reset();
    client.sync();
    EXPECT_EQ(proxy.requests(Opcode::remove_watches), 0u) << "the other one shares it";
    second.reset();
    EXPECT_TRUE(eventually([this] { return on_server() == 2; }));
    list.reset();
    EXPECT_TRUE(eventually([this] { return on_server() == 1; }));
    missing.reset();
    EXPECT_TRUE(eventually([this] { return on_server() == 0; }));
    EXPECT_TRUE(eventually([this] {
        return proxy.requests(Opcode::remove_watches) == 3;
    })); // the proxy counts a request after it has forwarded it
}

TEST_F(Watches, DroppedAfterItFiredCostsNothing) {
    client.create("/a");
    {
        auto watched = client.get_watched("/a");
        client.set("/a", "x");
        watched.watch.wait({.timeout = generous});
    }
    client.sync();
    EXPECT_EQ(proxy.requests(Opcode::remove_watches), 0u);
}

/// A read of the same path that is under way will set the watch again, or has set it. Removing the watch would make the read's
/// caller miss its event.
TEST_F(Watches, AWatchThatIsBeingSetSurvivesTheEndOfAnother) {
    client.create("/a");
    for (int i = 0; i < 200; ++i) {
        auto dropped = std::optional(client.get_watched("/a"));
        auto kept = client.async_get_watched("/a", boost::asio::use_future);
        dropped.reset();
        auto watched = kept.get();
        client.set("/a", std::to_string(i));
        error_code ec;
        ASSERT_EQ(watched.watch.wait(ec, {.timeout = generous}).type, WatchEventType::data_changed) << i;
    }
}

TEST_F(Watches, FailedReadsLeaveNone) {
    error_code ec;
    client.get_watched("/none", ec);
    EXPECT_EQ(ec, server_error::no_node);
    client.children_watched("/none", ec);
    EXPECT_EQ(ec, server_error::no_node);
    proxy.cut();
    client.sync();
    EXPECT_EQ(on_server(), 0) << "nor are they restored";
    EXPECT_EQ(proxy.requests(Opcode::remove_watches), 0u);
}

TEST_F(Watches, CancelledReadsLeaveNone) {
    client.create("/a");
    proxy.black_hole(docent::testing::Direction::to_client);
    error_code ec;
    client.get_watched("/a", ec, {.timeout = 50ms});
    EXPECT_EQ(ec, server_error::operation_timeout);
    std::stop_source stop;
    auto stopped = client.async_children_watched("/a", {.stop = stop.get_token()}, boost::asio::use_future);
    EXPECT_TRUE(eventually([this] { return on_server() == 2; }));
    stop.request_stop();
    EXPECT_THROW(stopped.get(), boost::system::system_error);
    proxy.heal();
    EXPECT_TRUE(eventually([this] { return on_server() == 0; }));
}

TEST_F(Watches, RemovedOnesAreNotRestoredAfterAReconnect) {
    client.create("/a");
    { auto dropped = client.get_watched("/a"); }
    EXPECT_TRUE(eventually([this] { return on_server() == 0; }));
    proxy.cut();
    client.sync();
    EXPECT_TRUE(eventually([this] { return on_server() == 0; })) << "also if the reply was lost";
    auto kept = client.get_watched("/a");
    proxy.cut();
    client.sync();
    EXPECT_EQ(on_server(), 1);
    proxy.cut_before_reply(Opcode::remove_watches);
    { auto lost = client.children_watched("/a"); }
    EXPECT_TRUE(proxy.wait_cuts(1, generous));
    client.sync();
    EXPECT_TRUE(eventually([this] { return on_server() == 1; })) << "the reply was lost for certain";
    client.set("/a", "x");
    EXPECT_EQ(kept.watch.wait({.timeout = generous}).type, WatchEventType::data_changed);
}

/// The C client restores all its watches after a reconnect, also those that were given up.
TEST_F(Watches, GivenUpWhileDisconnectedTheyGoAfterTheReconnect) {
    client.create("/a");
    SessionWatcher session(client);
    auto data = std::optional(client.get_watched("/a"));
    auto list = std::optional(client.children_watched("/a"));
    auto missing = std::optional(client.exists_watched("/b"));
    auto kept = client.exists_watched("/c");
    EXPECT_EQ(on_server(), 4);
    proxy.refuse();
    proxy.cut();
    session.until(SessionState::suspended);
    data.reset();
    list.reset();
    missing.reset();
    proxy.heal();
    session.until(SessionState::connected);
    client.sync();
    EXPECT_TRUE(eventually([this] { return on_server() == 1; })) << on_server();
    EXPECT_EQ(proxy.requests(Opcode::remove_watches), 3u);
    client.create("/c");
    EXPECT_EQ(kept.watch.wait({.timeout = generous}).type, WatchEventType::created);
}

/// A server would refuse the connection for ever if the client restored more watches than fit one packet.
struct ManyWatches : Watches {
    ManyWatches() : Watches(Sessions::outlast_restarts) {}
};

TEST_F(ManyWatches, SurviveARestartOrAreRefused) {
    constexpr int count = 20'000;
    const std::string folder = "/" + std::string(60, 'w');
    client.create(folder);
    std::deque<std::future<Watched<std::optional<Stat>>>> pending;
    for (int i = 0; i < count; ++i) {
        pending.push_back(client.async_exists_watched(folder + "/" + std::to_string(i), boost::asio::use_future));
    }
    std::vector<Watch> watches;
    int refused = 0;
    for (auto& future : pending) {
        try {
            watches.push_back(std::move(future.get().watch));
        } catch (const boost::system::system_error& e) {
            EXPECT_EQ(e.code(), error::too_many_watches);
            ++refused;
        }
    }
    EXPECT_GT(refused, 0) << "their paths are longer than a packet";
    EXPECT_EQ(static_cast<int>(watches.size()) + refused, count);
    server.restart();
    client.sync(); // answered by the new server, which handles the watches first
    EXPECT_EQ(SessionWatcher(client).until(SessionState::connected).epoch, 1u);
    EXPECT_EQ(on_server(), static_cast<std::int64_t>(watches.size())) << "all were restored";
    client.create(folder + "/0");
    EXPECT_EQ(watches.front().wait({.timeout = generous}).type, WatchEventType::created);
    watches.clear();
    EXPECT_TRUE(eventually([this] { return on_server() == 0; }));
    EXPECT_TRUE(client.exists_watched(folder).value) << "there is room again";
}

} // namespace
} // namespace docent
