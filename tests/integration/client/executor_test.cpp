// SPDX-License-Identifier: Apache-2.0

// Blocking calls of a client on a user's executor that no thread runs.

#include "ended_waits.hpp"
#include "eventually.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_multi_lock.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <stop_token>
#include <thread>
#include <tuple>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;

class ExecutorTest : public ::testing::Test {
protected:
    docent::test::AnyServer server;
    docent::testing::FaultProxy proxy{server.port()};
    asio::io_context context;
    Client client{context.get_executor(),
                  {.connect_string = proxy.connect_string(), .ensemble_tracking = EnsembleTracking::off}};
    Client other{{.connect_string = server.connect_string(), .ensemble_tracking = EnsembleTracking::off}};
    std::thread runner;

    void SetUp() override {
        other.start();
        client.start();
    }
    void TearDown() override {
        client.close();
        pause();
        context.restart();
        context.run(); // returns: no work is left
    }
    void run() {
        context.restart();
        runner = std::thread([this] {
            const auto work = asio::make_work_guard(context);
            context.run();
        });
    }
    void pause() {
        context.stop();
        if (runner.joinable()) runner.join();
    }
    /// Runs the call on another thread, and returns its error. The test fails if the call takes longer than a minute.
    static error_code error_of(const std::function<void(error_code&)>& call) {
        auto outcome = std::async(std::launch::async, [&call] {
            error_code ec;
            call(ec);
            return ec;
        });
        EXPECT_EQ(outcome.wait_for(60s), std::future_status::ready) << "it hangs";
        return outcome.get();
    }
};

TEST_F(ExecutorTest, CallsEndInTimeOnAnIdleExecutor) {
    InterProcessMutex mutex(client, "/m");
    InterProcessSemaphore semaphore(client, "/s", 1);
    InterProcessMultiLock both({mutex, semaphore});
    const std::vector<std::function<void(error_code&)>> calls{
        [&](error_code& ec) { client.get("/", {}, ec, {.timeout = 50ms}); },
        [&](error_code& ec) { client.create("/a", "", {}, ec, {.timeout = 50ms}); },
        [&](error_code& ec) { client.wait_connected(ec, {.timeout = 50ms}); },
        [&](error_code& ec) { std::ignore = mutex.acquire(ec, {.timeout = 50ms}); },
        [&](error_code& ec) { std::ignore = mutex.try_acquire_for(50ms, ec); },
        [&](error_code& ec) { std::ignore = semaphore.try_acquire_for(50ms, ec); },
        [&](error_code& ec) { std::ignore = both.try_acquire_for(50ms, ec); },
    };
    for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(error_of(calls[i]), error::executor_idle) << i;
    const std::string text = make_error_code(error::executor_idle).message();
    EXPECT_NE(text.find("no thread runs the client's executor"), std::string::npos) << text;
}

TEST_F(ExecutorTest, CallsWithoutALimitEndAfterTheConnectionTimeout) {
    Client brief{context.get_executor(), {.connect_string = server.connect_string(), .connection_timeout = 100ms}};
    brief.start();
    EXPECT_EQ(error_of([&](error_code& ec) { brief.get("/", ec); }), error::executor_idle);
    InterProcessMutex mutex(brief, "/m");
    EXPECT_EQ(error_of([&](error_code& ec) { std::ignore = mutex.acquire(ec); }), error::executor_idle);
    InterProcessMutex handed_on(brief, "/h", {.max_local_handovers = 1});
    EXPECT_EQ(error_of([&](error_code& ec) { std::ignore = handed_on.acquire(ec); }), error::executor_idle);
    brief.close();
}

TEST_F(ExecutorTest, AStopRequestAndAnInterruptionEndACallOnAnIdleExecutor) {
    std::stop_source stop;
    auto stopped = std::async(std::launch::async, [&] {
        return error_of([&](error_code& ec) { client.get("/", {}, ec, {.stop = stop.get_token()}); });
    });
    stop.request_stop();
    EXPECT_EQ(stopped.get(), error::executor_idle);
    EXPECT_TRUE(test::is_ended_by_interruption([this] {
        error_code ec;
        client.get("/", ec);
    }));
}

/// A request whose caller has given up is not sent, and a lock that is granted too late is released.
TEST_F(ExecutorTest, ALockThatArrivesLaterIsReleased) {
    other.wait_connected();
    InterProcessMutex mutex(client, "/m");
    InterProcessMutex others(other, "/m");
    error_code ec;
    EXPECT_FALSE(mutex.try_acquire_for(50ms, ec)) << "not begun";
    EXPECT_EQ(ec, error::executor_idle);
    client.create("/late", "", {}, ec, {.timeout = 50ms});
    EXPECT_EQ(ec, error::executor_idle);
    run();
    client.wait_connected();
    client.sync();
    EXPECT_FALSE(other.exists("/late"));
    EXPECT_TRUE(others.try_acquire_for(30s));

    // The acquire has begun. Its answers arrive when no thread runs the executor any more.
    std::stop_source stop;
    proxy.on_forwarded(docent::testing::Opcode::create2, [this, &stop] {
        context.stop();
        stop.request_stop();
    });
    EXPECT_FALSE(mutex.acquire(ec, {.stop = stop.get_token()}).owns());
    EXPECT_EQ(ec, error::executor_idle);
    proxy.on_forwarded(docent::testing::Opcode::create2, [] {});
    pause();
    run();
    EXPECT_TRUE(eventually([&] {
        other.sync("/m");
        return other.children("/m").names.empty();
    })) << "its node is still there";
    Lease again = mutex.acquire({.timeout = 30s});
    EXPECT_TRUE(again.owns());
    again.release();
}

TEST_F(ExecutorTest, AnExecutorThatRunsIsWaitedFor) {
    run();
    client.wait_connected();
    InterProcessMutex mutex(client, "/m");
    InterProcessMutex others(other, "/m");
    Lease held = others.acquire();
    auto waiting = std::async(std::launch::async, [&] { return mutex.acquire({.timeout = 30s}); });
    for (int i = 0; i < 3; ++i) asio::post(context, [] { std::this_thread::sleep_for(200ms); }); // the executor is busy
    EXPECT_EQ(waiting.wait_for(300ms), std::future_status::timeout);
    held.release();
    EXPECT_TRUE(waiting.get().owns());
}

} // namespace
} // namespace docent
