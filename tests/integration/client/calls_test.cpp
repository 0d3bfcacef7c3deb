// SPDX-License-Identifier: Apache-2.0

// The ends of a call: cancellation, interruption, timeout, close.

#include "servers/pooled_server.hpp"
#include "session_watcher.hpp"

#include <docent/client.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/thread/thread.hpp>

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

namespace docent {
namespace {

using namespace std::chrono_literals;

TEST(BlockingCalls, OfManyThreadsGetTheirOwnAnswers) {
    docent::test::PooledServer server;
    Client client{{.connect_string = server.connect_string()}};
    client.start();
    constexpr int threads = 6, times = 300;
    for (int n = 0; n < threads; ++n) client.create("/" + std::to_string(n), std::to_string(n));
    std::vector<std::future<int>> right;
    for (int n = 0; n < threads; ++n) {
        right.push_back(std::async(std::launch::async, [&client, n, own = std::to_string(n)] {
            int count = 0;
            for (int time = 0; time < times; ++time) {
                const bool blocks = n != 0;
                const auto got = blocks ? client.get("/" + own) : client.async_get("/" + own, boost::asio::use_future).get();
                count += got.data == own ? 1 : 0;
            }
            return count;
        }));
    }
    for (auto& each : right) EXPECT_EQ(each.get(), times);
}

/// A client whose server has stopped answering, so that every call waits.
class Calls : public ::testing::Test {
protected:
    docent::test::PooledServer server;
    Client client{{.connect_string = server.connect_string(), .session_timeout = 10s}};

    void SetUp() override {
        client.start();
        client.wait_connected();
        client.create("/a");
        server.pause();
    }
    void TearDown() override { server.resume(); }
};

TEST_F(Calls, InterruptionEndsABlockingCall) {
    std::promise<bool> interrupted;
    boost::thread thread([&] {
        try {
            client.get("/a");
            interrupted.set_value(false);
        } catch (const boost::thread_interrupted&) {
            interrupted.set_value(true);
        }
    });
    thread.interrupt();
    EXPECT_TRUE(interrupted.get_future().get());
    thread.join();
}

/// Work that the calling thread does for the client must not be cut short: the thread ends after the call.
TEST_F(Calls, CancellationOfTheThreadWaitsForABlockingCall) {
    struct Call {
        Client& client;
        std::promise<void> begun{};
        bool has_answer = false;
    } call{client};
    pthread_t thread{};
    ASSERT_EQ(::pthread_create(
                  &thread, nullptr,
                  [](void* of) -> void* {
                      auto& mine = *static_cast<Call*>(of);
                      mine.begun.set_value();
                      mine.client.get("/a");
                      mine.has_answer = true;
                      ::pthread_testcancel();
                      return nullptr;
                  },
                  &call),
              0);
    call.begun.get_future().wait();
    ASSERT_EQ(::pthread_cancel(thread), 0);
    server.resume();
    void* result = nullptr;
    ASSERT_EQ(::pthread_join(thread, &result), 0);
    EXPECT_TRUE(call.has_answer);
    EXPECT_EQ(result, PTHREAD_CANCELED);
}

TEST_F(Calls, StopTokenEndsABlockingCall) {
    std::stop_source stop;
    auto result = std::async(std::launch::async, [&] {
        error_code ec;
        client.get("/a", ec, {.stop = stop.get_token()});
        return ec;
    });
    stop.request_stop();
    EXPECT_EQ(result.get(), asio::error::operation_aborted);
}

TEST_F(Calls, CancellationSlotCompletesAtOnce) {
    for (const auto type :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        std::promise<error_code> result;
        asio::cancellation_signal signal;
        client.async_get(
            "/a", asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, const NodeData&) { result.set_value(ec); }));
        signal.emit(type);
        EXPECT_EQ(result.get_future().get(), asio::error::operation_aborted);
    }
}

TEST_F(Calls, CloseEndsEveryCallExactlyOnce) {
    constexpr int count = 100;
    std::latch completed(count);
    std::atomic<int> closed = 0;
    for (int i = 0; i < count; ++i) {
        client.async_get("/a", [&](error_code ec, const NodeData&) {
            if (ec == error::closed) ++closed;
            completed.count_down(); // counting below zero is undefined and would be found by the sanitizers
        });
    }
    client.close();
    completed.wait();
    EXPECT_EQ(closed, count);
    error_code ec;
    client.get("/a", ec);
    EXPECT_EQ(ec, error::closed);
    EXPECT_EQ(client.session().state, SessionState::closed);
}

TEST(NoServer, CanBeAwaitedForLongerThanAConnectionMayTake) {
    docent::test::PooledServer server;
    server.stop();
    Client client{{.connect_string = server.connect_string(), .connection_timeout = 50ms}};
    client.start();
    auto patient = client.async_wait_connected({.timeout = generous}, asio::use_future);
    error_code ec;
    client.wait_connected(ec);
    EXPECT_EQ(ec, error::not_connected);
    server.start();
    EXPECT_NO_THROW(patient.get());
}

TEST(NoServer, IsReportedInTimeAndInWords) {
    docent::test::PooledServer server;
    server.stop(); // its port stays reserved and closed
    Client client{{.connect_string = server.connect_string(), .connection_timeout = 200ms}};
    client.start();
    error_code ec;
    client.get("/a", ec);
    EXPECT_EQ(ec, error::not_connected);
    try {
        client.wait_connected();
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), error::not_connected);
        EXPECT_NE(std::string(e.what()).find("no answer from 127.0.0.1:" + std::to_string(server.port())), std::string::npos)
            << e.what();
    }
}

TEST(NoServer, NameThatDoesNotResolveIsNamed) {
    Client client{{.connect_string = "no-such-host.invalid:2181", .connection_timeout = 5s}};
    client.start();
    const auto begin = std::chrono::steady_clock::now();
    while (client.last_connect_error().empty() && std::chrono::steady_clock::now() - begin < generous)
        std::this_thread::yield();
    EXPECT_NE(client.last_connect_error().find("no-such-host.invalid"), std::string::npos) << client.last_connect_error();
}

TEST(Names, LocalhostIsResolvedByUs) {
    docent::test::PooledServer server;
    Client client{{.connect_string = "localhost:" + std::to_string(server.port())}};
    client.start();
    EXPECT_TRUE(client.exists("/"));
}

} // namespace
} // namespace docent
