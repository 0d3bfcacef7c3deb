// SPDX-License-Identifier: Apache-2.0
// The ends of a call: cancellation, interruption, timeout, close.
#include "clients.hpp"
#include "ended_waits.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

namespace docent {
namespace {

using namespace std::chrono_literals;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::system_clock;

TEST(BlockingCalls, OfManyThreadsGetTheirOwnAnswers) {
    docent::test::AnyServer server;
    Client client = started({.connect_string = server.connect_string()});
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
    docent::test::AnyServer server;
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
    EXPECT_TRUE(test::is_ended_by_interruption([this] { client.get("/a"); }));
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
    docent::test::AnyServer server;
    server.stop();
    Client client = started({.connect_string = server.connect_string(), .connection_timeout = 50ms});
    auto patient = client.async_wait_connected({.timeout = generous}, asio::use_future);
    error_code ec;
    client.wait_connected(ec);
    EXPECT_EQ(ec, error::not_connected);
    server.start();
    EXPECT_NO_THROW(patient.get());
}

TEST(NoServer, IsReportedInTimeAndInWords) {
    docent::test::AnyServer server;
    server.stop(); // its port stays reserved and closed
    Client client = started({.connect_string = server.connect_string(), .connection_timeout = 200ms});
    error_code ec;
    client.get("/a", ec);
    EXPECT_EQ(ec, error::not_connected);
    const Failure failure = failure_of([&] { client.wait_connected(); });
    EXPECT_EQ(failure.code, error::not_connected);
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "no answer from 127.0.0.1:" + std::to_string(server.port()), failure.text);
}

TEST(NoServer, NameThatDoesNotResolveIsNamed) {
    Client client = started({.connect_string = "no-such-host.invalid:2181", .connection_timeout = 5s});
    const auto begin = std::chrono::steady_clock::now();
    while (client.last_connect_error().empty() && std::chrono::steady_clock::now() - begin < generous)
        std::this_thread::yield();
    EXPECT_NE(client.last_connect_error().find("no-such-host.invalid"), std::string::npos) << client.last_connect_error();
}

TEST(Names, LocalhostIsResolvedByUs) {
    docent::test::AnyServer server;
    Client client = started({.connect_string = "localhost:" + std::to_string(server.port())});
    EXPECT_TRUE(client.exists("/"));
}

/// A timeout that is too large for the clock means no limit.
class DeadlinesTest : public ::testing::Test {
protected:
    docent::test::AnyServer server;
    Client client{{.connect_string = server.connect_string(), .connection_timeout = milliseconds::max()}};
    Client other{{.connect_string = server.connect_string()}};
};

TEST_F(DeadlinesTest, WithoutAConnection) {
    auto bounded = client.async_get("/", {}, {.timeout = milliseconds::max()}, asio::use_future);
    auto unbounded = client.async_exists("/", asio::use_future);
    auto connected = client.async_wait_connected(CallOptions{.timeout = milliseconds::max()}, asio::use_future);
    InterProcessMutex mutex(client, "/lock");
    auto acquired = mutex.async_acquire({.timeout = milliseconds::max()}, asio::use_future);
    client.start();
    EXPECT_NO_THROW(bounded.get());
    EXPECT_NO_THROW(unbounded.get());
    EXPECT_NO_THROW(connected.get());
    EXPECT_TRUE(acquired.get().owns());
}

TEST_F(DeadlinesTest, WhileALockIsHeld) {
    client.start();
    other.start();
    InterProcessMutex mutex(client, "/lock");
    InterProcessMutex others(other, "/lock");
    Lease held = others.acquire();
    auto with_timeout = mutex.async_acquire({.timeout = milliseconds::max()}, asio::use_future);
    auto tried_for = mutex.async_try_acquire_for(hours::max(), asio::use_future);
    auto locked = std::async(std::launch::async, [&mutex] {
        const bool got = mutex.try_lock_until(system_clock::time_point::max());
        if (got) mutex.unlock();
        return got;
    });
    EXPECT_EQ(with_timeout.wait_for(milliseconds{100}), std::future_status::timeout);
    held.release();
    with_timeout.get().release();
    tried_for.get().release();
    EXPECT_TRUE(locked.get());
    EXPECT_TRUE(mutex.try_lock_until(system_clock::time_point::min())) << "a time that is over is a try";
    mutex.unlock();
}

} // namespace
} // namespace docent
