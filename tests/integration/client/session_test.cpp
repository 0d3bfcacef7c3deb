// SPDX-License-Identifier: Apache-2.0
#include "client/core/access.hpp"
#include "client/core/client_runtime.hpp"
#include "clients.hpp"
#include "servers/any_server.hpp"
#include "servers/pooled_server.hpp"

#include <docent/client.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::AnyServer;
using docent::test::PooledServer;
using docent::testing::FaultProxy;
using enum SessionState;

std::vector<SessionState> states_of(const std::vector<SessionEvent>& events) {
    std::vector<SessionState> states;
    for (const SessionEvent& event : events) states.push_back(event.state);
    return states;
}

/// Runs a function on the client's strand, as the client's own code does.
void run_on_strand(Client& client, const std::function<void()>& function) {
    std::promise<void> done;
    detail::Access::view(client)->post([&] {
        function();
        done.set_value();
    });
    done.get_future().get();
}

template <typename Server> class SessionOn : public ::testing::Test {
protected:
    SessionOn(std::chrono::milliseconds tick_time, std::chrono::milliseconds session_timeout)
        : server({.tick_time = tick_time}), proxy(server.port()),
          client({.connect_string = proxy.connect_string(), .session_timeout = session_timeout}), session(client) {}

    Server server;
    FaultProxy proxy;
    Client client;
    SessionWatcher session;

    void SetUp() override {
        client.start();
        session.until(connected);
    }
};

/// With a session that a standstill of the machine does not end.
struct SessionTest : SessionOn<AnyServer> {
    SessionTest() : SessionOn(500ms, 10s) {}
};

/// With a session that soon ends, on a server with the shortest ticks with which it still works well.
template <typename Server> struct ShortSessionOn : SessionOn<Server> {
    ShortSessionOn() : SessionOn<Server>(100ms, 1500ms) {}
};
using ShortSessionTest = ShortSessionOn<AnyServer>;
using RealServerTest = ShortSessionOn<PooledServer>;

/// While no server answers, none says that the session has expired: the client reports the loss itself, and later hears the
/// servers' answer. Other tests show that it reports in time, before a server could delete its nodes: on virtual time in
/// unit/session, and measured in a cluster.
TEST_F(ShortSessionTest, SilenceIsALossThenTheServerConfirmsIt) {
    client.create("/e", "", {.mode = CreateMode::ephemeral});
    SessionWatcher from_now(client); // a standstill of the machine may have been a loss already
    proxy.black_hole();
    const SessionEvent presumed = from_now.until(lost);
    EXPECT_EQ(presumed.reason, error::not_connected);
    Client other = started({.connect_string = server.connect_string()});
    auto watched = other.exists_watched("/e");
    if (watched.value) {
        EXPECT_EQ(watched.watch.wait({.timeout = generous}).type, WatchEventType::deleted);
    }
    proxy.heal();
    const SessionEvent expired = from_now.until(lost);
    EXPECT_EQ(expired.reason, server_error::session_expired);
    EXPECT_EQ(from_now.until(connected).epoch, 2u);
    EXPECT_FALSE(client.exists("/e"));
}

/// A server that was restored from older data closes the connection of every client that has seen newer data, for ever.
TEST_F(RealServerTest, ServerThatHasForgottenEverythingTakesUsInTheEnd) {
    const std::int64_t old_id = client.session().session_id;
    client.create("/a");
    auto watched = client.get_watched("/a");
    SessionWatcher from_now(client);
    server.kill();
    std::filesystem::remove_all(server.data_dir() / "version-2");
    server.start();
    EXPECT_EQ(from_now.until(lost).reason, error::not_connected);
    EXPECT_EQ(watched.watch.wait({.timeout = generous}).type, WatchEventType::session_lost);
    EXPECT_EQ(from_now.until(lost).reason, server_error::session_expired);
    const SessionEvent next = from_now.until(connected);
    EXPECT_EQ(next.epoch, 2u);
    EXPECT_NE(next.session_id, old_id);
    EXPECT_FALSE(client.exists("/a"));
}

TEST_F(SessionTest, WatchesSurviveAReconnectAndReportMissedChanges) {
    client.create("/a");
    client.create("/b");
    auto gone = client.get_watched("/a");
    auto changed = client.children_watched("/b");
    proxy.refuse();
    proxy.cut();
    session.until(suspended);
    Client other = started({.connect_string = server.connect_string()});
    other.remove("/a");
    other.create("/b/c");
    proxy.heal();
    EXPECT_EQ(gone.watch.wait({.timeout = generous}).type, WatchEventType::deleted);
    EXPECT_EQ(changed.watch.wait({.timeout = generous}).type, WatchEventType::children_changed);
    EXPECT_EQ(client.session().epoch, 1u);
}

TEST_F(SessionTest, DroppedWatchesAreSilentAndKeptOnesHaveOneEvent) {
    client.create("/a");
    { const auto dropped = client.get_watched("/a"); }
    auto one = client.get_watched("/a");
    auto two = client.get_watched("/a");
    client.set("/a", "x");
    client.set("/a", "y");
    EXPECT_EQ(one.watch.wait().type, WatchEventType::data_changed);
    EXPECT_EQ(two.watch.wait().type, WatchEventType::data_changed);
    client.remove("/a");
    EXPECT_EQ(one.watch.wait().type, WatchEventType::data_changed) << "the same event to each wait";
}

/// The C client closes sockets inside its calls and gets the same numbers again, while other threads open
/// and close descriptors.
TEST_F(SessionTest, ReconnectsWhileDescriptorsComeAndGo) {
    std::atomic<bool> stop = false;
    std::thread churn([&] {
        while (!stop) ::close(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    });
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(client.exists("/")) << i;
        proxy.cut();
        session.until(suspended);
        session.until(connected);
    }
    stop = true;
    churn.join();
    EXPECT_EQ(client.session().epoch, 1u);
}

/// A send that fails inside the C client closes the connection without a report. Requests sent at that moment must
/// neither hang nor be reported as done.
TEST_F(SessionTest, SilentCloseInsideASendIsNoticed) {
    for (int i = 0; i < 10; ++i) {
        std::vector<std::future<error_code>> results;
        run_on_strand(client, [&] { // no answer is read meanwhile: the next send finds a dead socket
            const std::size_t before = proxy.connections();
            proxy.cut();
            while (proxy.connections() != before) std::this_thread::yield();
            for (int k = 0; k < 20; ++k) {
                auto result = std::make_shared<std::promise<error_code>>();
                results.push_back(result->get_future());
                detail::Access::view(client)->submit(zk::ExistsRequest{"/"},
                                                     [result](const zk::Reply& reply) { result->set_value(reply.ec); });
            }
        });
        for (auto& result : results) {
            ASSERT_EQ(result.wait_for(generous), std::future_status::ready);
            const error_code ec = result.get();
            EXPECT_TRUE(!ec || ec == condition::retryable) << ec.message();
        }
        EXPECT_TRUE(client.exists("/"));
    }
    EXPECT_EQ(client.session().epoch, 1u);
}

/// After a stall, answers that have already arrived count before the clock does.
TEST(LongSession, SurvivesAStallOfOurOwnWithItsConnection) {
    AnyServer server{{.tick_time = 2s}};
    FaultProxy proxy{server.port()};
    Client client = started({.connect_string = proxy.connect_string(), .session_timeout = 10s});
    client.wait_connected();
    run_on_strand(client, [&] {
        detail::Access::view(client)->submit(zk::ExistsRequest{"/"}, [](const zk::Reply&) {}); // answered during the stall
        // The C client's timer ends after 2/3 of the session timeout, the session 3 s after the stall.
        std::this_thread::sleep_for(client.negotiated_timeout() * 7 / 10);
    });
    EXPECT_TRUE(client.exists("/"));
    EXPECT_EQ(proxy.connections(), 1u);
}

/// The C client's time limit looks like a lost connection.
TEST_F(SessionTest, SilentServerIsALostConnectionNotALostRequest) {
    auto result = std::async(std::launch::async, [&] { return client.create("/a", "x").path; });
    server.pause();
    session.until(suspended);
    server.resume();
    error_code ec;
    EXPECT_TRUE(client.exists("/", ec) || ec);
    try {
        EXPECT_EQ(result.get(), "/a");
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), server_error::node_exists) << "made by the attempt whose reply was lost";
    }
    EXPECT_TRUE(client.exists("/a"));
}

/// More watches than fit one packet would make every reconnect fail.
TEST_F(SessionTest, WatchesThatCouldNotBeRestoredAreRefused) {
    std::vector<Watch> watches;
    error_code ec;
    const std::string stem = "/" + std::string(10'000, 'x');
    for (int i = 0; i < 200 && !ec; ++i) {
        auto watched = client.exists_watched(stem + std::to_string(i), ec);
        if (!ec) watches.push_back(std::move(watched.watch));
    }
    EXPECT_EQ(ec, error::too_many_watches);
    EXPECT_GE(watches.size(), 80u);
    proxy.cut();
    session.until(suspended);
    session.until(connected);
    client.create(stem + "0", "", {.if_exists = IfExists::accept}); // on a busy machine the first reply may be lost
    EXPECT_EQ(watches.front().wait({.timeout = generous}).type, WatchEventType::created);
    EXPECT_EQ(client.session().epoch, 1u);
}

/// A silent server must not use up the time that the next server needs.
TEST(Servers, BlackHoleIsPassedOverInTime) {
    AnyServer server;
    FaultProxy hole{server.port()};
    hole.black_hole();
    FaultProxy good{server.port()};
    Client client{{.connect_string = hole.connect_string() + "," + good.connect_string(), .session_timeout = 10s}};
    SessionWatcher session(client);
    client.start();
    session.until(connected);
    good.black_hole();
    hole.heal();
    session.until(suspended);
    EXPECT_EQ(session.until(connected).epoch, 1u) << "moved before the session could expire";
}

TEST(Listeners, HearEveryEventInOrderOnTheirOwnExecutor) {
    AnyServer server;
    FaultProxy proxy{server.port()};
    asio::io_context context;
    std::vector<SessionState> heard;
    {
        Client client{{.connect_string = proxy.connect_string(), .session_timeout = 10s}};
        SessionWatcher session(client);
        const Subscription subscription =
            client.listen([&](const SessionEvent& event) { heard.push_back(event.state); }, context.get_executor());
        client.start();
        session.until(connected);
        for (int i = 0; i < 30; ++i) {
            proxy.cut();
            session.until(suspended);
            session.until(connected);
        }
        client.close();
        session.until(closed);
        context.run();
        auto expected = states_of(session.seen());
        expected.erase(expected.begin()); // the stream begins with the state at its creation
        EXPECT_EQ(heard, expected);
    }
}

} // namespace
} // namespace docent
