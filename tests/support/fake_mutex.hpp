// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mutex on clients in memory. Tests decide the events, and check what the mutex does.

#include "fake_world.hpp"
#include "lease/lease_core.hpp"
#include "mutex/mutex_core.hpp"

#include <docent/recipes/lease.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace docent::detail {

/// Receives the result of an operation.
struct Outcome {
    int times = 0;
    error_code ec;
    Lease lease;

    bool arrived() const { return times > 0; }
};

class FakeMutexTest : public testing::Test {
protected:
    using Fault = FakeWorld::Fault;
    using OutcomePtr = std::shared_ptr<Outcome>;

    FakeWorld world{1, 2, "/lock"};

    FakeClient& client(std::size_t index) { return world.client(index); }

    std::shared_ptr<MutexCore> mutex(std::size_t index) {
        return std::make_shared<MutexCore>(world.share(index), "/lock",
                                           [&world = world, index] { return world.client(index).boot_now(); });
    }

    OutcomePtr start(std::size_t index, AcquireWait wait = {}, CallOptions call = {},
                     asio::cancellation_signal* signal = nullptr) {
        const auto outcome = std::make_shared<Outcome>();
        auto handler = [outcome](error_code ec, Lease lease) {
            ++outcome->times;
            outcome->ec = ec;
            outcome->lease = std::move(lease);
        };
        if (signal) {
            initiate_acquire(mutex(index), wait, std::move(call),
                             asio::bind_cancellation_slot(signal->slot(), std::move(handler)));
        } else {
            initiate_acquire(mutex(index), wait, std::move(call), std::move(handler));
        }
        return outcome;
    }

    void wait_for(const OutcomePtr& outcome) {
        ASSERT_TRUE(world.run_until([&] { return outcome->arrived(); })) << "never completed";
    }

    Lease acquire(std::size_t index) {
        const auto outcome = start(index);
        wait_for(outcome);
        EXPECT_EQ(outcome->ec, error_code{});
        return std::move(outcome->lease);
    }

    /// Runs until the mutex of this client waits for its predecessor, with its watches set.
    void run_until_parked(std::size_t index) {
        const auto sent = [&] { return client(index).requests_sent(); };
        ASSERT_TRUE(world.run_until([&] { return world.queue().size() > 1 && client(index).idle() && sent() >= 4; }));
    }

    void run_for(std::chrono::milliseconds length) {
        const auto end = world.surroundings().now + length;
        world.run_until([&] { return world.surroundings().now >= end; });
    }

    /// Runs until everything that is under way is done.
    void settle() {
        ASSERT_TRUE(world.run_until([&] { return world.all_idle(); }));
    }

    /// Starts an operation that has no result but its error.
    template <typename Start> OutcomePtr run(Start initiate_operation) {
        const auto outcome = std::make_shared<Outcome>();
        initiate_operation(Handler<>([outcome](error_code ec) {
            ++outcome->times;
            outcome->ec = ec;
        }));
        return outcome;
    }
};

} // namespace docent::detail
