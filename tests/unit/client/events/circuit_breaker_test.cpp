// SPDX-License-Identifier: Apache-2.0
#include <docent/circuit_breaker.hpp>

#include "eventually.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using enum SessionState;
using Listener = std::function<void(const SessionEvent&)>;

const SessionEvent connected_1{connected, 1, 0xa, {}};
const SessionEvent suspended_1{suspended, 1, 0xa, {}};
const SessionEvent closed_1{closed, 1, 0xa, {}};

class CircuitBreakerTest : public ::testing::Test {
protected:
    Listener break_circuit(RetryPolicy policy) {
        return circuit_breaking(context.get_executor(), policy, [this](const SessionEvent& e) { told.push_back(e); });
    }
    /// Runs all ready handlers without waiting for a timer.
    std::vector<SessionEvent> poll() {
        context.restart();
        context.poll();
        return told;
    }

    asio::io_context context;
    std::vector<SessionEvent> told;
};

using Events = std::vector<SessionEvent>;

TEST_F(CircuitBreakerTest, TellsTheLastStateAfterThePause) {
    const Listener hear = break_circuit(RetryPolicy::one_time(1ms));
    for (const auto& e : {connected_1, suspended_1, connected_1, suspended_1, connected_1}) hear(e);
    EXPECT_EQ(told, Events{}) << "never inside the call";
    context.run(); // ends when no timer is armed
    EXPECT_EQ(told, (Events{connected_1, suspended_1, connected_1}));
}

TEST_F(CircuitBreakerTest, LooksAgainUntilTheRetriesAreExhausted) {
    const Listener hear = break_circuit(RetryPolicy::n_times(3, 1ms));
    hear(suspended_1);
    context.run();
    hear(connected_1);
    EXPECT_EQ(poll(), (Events{suspended_1, connected_1})) << "closed";
}

TEST_F(CircuitBreakerTest, ClosingTheClientCancelsTheTimer) {
    const Listener hear = break_circuit(RetryPolicy::forever(1h));
    hear(suspended_1);
    hear(closed_1);
    context.run();
    EXPECT_EQ(told, (Events{suspended_1, closed_1}));
}

TEST_F(CircuitBreakerTest, DroppingItCancelsTheTimer) {
    Listener hear = break_circuit(RetryPolicy::forever(1h));
    hear(suspended_1);
    EXPECT_EQ(poll(), Events{suspended_1});
    hear = {};
    context.restart();
    context.run();
    EXPECT_EQ(told, Events{suspended_1});
}

TEST_F(CircuitBreakerTest, NothingIsToldAfterItWasDropped) {
    Listener hear = break_circuit(RetryPolicy::none());
    hear(connected_1);
    hear = {};
    EXPECT_EQ(poll(), Events{});
}

TEST_F(CircuitBreakerTest, CopiesAreOneCircuitBreaker) {
    Listener hear = break_circuit(RetryPolicy::forever(1h));
    const Listener copy = hear;
    hear(suspended_1);
    hear = {};
    copy(connected_1);
    EXPECT_EQ(poll(), Events{suspended_1});
}

TEST_F(CircuitBreakerTest, TheListenerMayDropIt) {
    Listener hear;
    hear = circuit_breaking(context.get_executor(), RetryPolicy::forever(1h), [&](const SessionEvent& e) {
        told.push_back(e);
        hear = {};
    });
    hear(suspended_1);
    context.run();
    EXPECT_EQ(told, Events{suspended_1});
}

TEST_F(CircuitBreakerTest, AThrowingListenerLeavesTheCircuitAsItIs) {
    const Listener hear = circuit_breaking(context.get_executor(), RetryPolicy::one_time(1ms), [this](const SessionEvent& e) {
        told.push_back(e);
        if (e.state == suspended) throw std::runtime_error("listener");
    });
    hear(suspended_1);
    hear(connected_1);
    EXPECT_THROW(context.run(), std::runtime_error);
    context.run();
    EXPECT_EQ(told, (Events{suspended_1, connected_1}));
}

TEST(CircuitBreaker, ItsContextMayEndWhileTheTimerIsArmed) {
    auto context = std::make_unique<asio::io_context>();
    int calls = 0;
    Listener hear = circuit_breaking(context->get_executor(), RetryPolicy::forever(1h), [&](const SessionEvent&) { ++calls; });
    hear(suspended_1);
    context->poll();
    hear(connected_1); // this event is still in the queue at the end
    hear = {};
    context.reset();
    EXPECT_EQ(calls, 1);
}

TEST(CircuitBreaker, CallsOneAtATimeInOrderOnAPool) {
    asio::thread_pool pool{4};
    std::vector<SessionEvent> told; // without a lock: the listener must run on one thread at a time
    std::atomic<bool> done{false};
    const Listener hear = circuit_breaking(pool.get_executor(), RetryPolicy::forever(1ms), [&](const SessionEvent& e) {
        told.push_back(e);
        if (e.state == closed) done = true;
    });
    for (std::uint64_t epoch = 1; epoch <= 2000; ++epoch) {
        hear({connected, epoch, 0, {}});
        hear({suspended, epoch, 0, {}});
        hear({lost, epoch, 0, error::not_connected});
    }
    hear(closed_1);
    ASSERT_TRUE(test::eventually([&] { return done.load(); }));
    pool.join();
    std::uint64_t epoch = 0;
    for (const auto& e : told) {
        if (e.state != lost) continue;
        EXPECT_EQ(e.epoch, ++epoch) << "every loss, in order";
    }
    EXPECT_EQ(epoch, 2000u);
}

TEST(CircuitBreaker, MayBeDroppedInAnyThreadWhileItsTimerRunsOut) {
    asio::thread_pool pool{4};
    std::atomic<int> calls{0};
    std::deque<Listener> kept; // a varying number, so that listeners are destroyed before, during and after their pauses
    for (std::size_t round = 0; round < 500; ++round) {
        Listener hear = circuit_breaking(pool.get_executor(), RetryPolicy::forever(1ms), [&](const SessionEvent&) { ++calls; });
        hear(suspended_1);
        hear(connected_1);
        kept.push_back(std::move(hear));
        while (kept.size() > round % 64) kept.pop_front();
    }
    kept.clear();
    pool.join();
    EXPECT_LE(calls, 1000);
}

} // namespace
} // namespace docent
