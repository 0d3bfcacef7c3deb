// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mutex on clients in memory. Tests decide the events, and check what the mutex does.

#include "lease/lease_core.hpp"
#include "mutex/mutex_core.hpp"
#include "world_test.hpp"

#include <docent/recipes/lease.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace docent::detail {

struct Outcome : Answer {
    Lease lease;
};

class FakeMutexTest : public WorldTest {
protected:
    using OutcomePtr = std::shared_ptr<Outcome>;

    explicit FakeMutexTest(std::string path = "/lock", QueueNames names = mutex_names())
        : WorldTest(2, std::move(path), std::move(names)) {}

    std::shared_ptr<MutexCore> mutex(std::size_t index) {
        return std::make_shared<MutexCore>(world.share(index), "/lock", boot_now(index));
    }

    OutcomePtr start_on(const std::shared_ptr<MutexCore>& core, AcquireWait wait = {}, CallOptions call = {}) {
        const auto outcome = std::make_shared<Outcome>();
        initiate_acquire(core, wait, std::move(call), into(outcome, &Outcome::lease));
        return outcome;
    }
    OutcomePtr start(std::size_t index, AcquireWait wait = {}, CallOptions call = {}) {
        return start_on(mutex(index), wait, std::move(call));
    }

    void wait_for(const OutcomePtr& outcome) {
        ASSERT_TRUE(world.run_until([&] { return outcome->arrived(); })) << "never completed";
    }
    /// Waits for the end of an operation, and returns its error.
    error_code result_of(const OutcomePtr& outcome) {
        wait_for(outcome);
        return outcome->ec;
    }

    Lease acquire_on(const std::shared_ptr<MutexCore>& core) {
        const auto outcome = start_on(core);
        EXPECT_EQ(result_of(outcome), error_code{});
        return std::move(outcome->lease);
    }
    Lease acquire(std::size_t index) { return acquire_on(mutex(index)); }

    /// Breaks the connection of a client, which finds no server until reconnect().
    void cut_off(std::size_t index) {
        client(index).unreachable = true;
        client(index).break_link();
    }
    void reconnect(std::size_t index) {
        client(index).unreachable = false;
        ASSERT_TRUE(world.run_until([&] { return client(index).linked(); }));
    }

    /// Runs until the mutex of this client waits for its predecessor, with its watches set.
    void run_until_parked(std::size_t index) {
        const auto sent = [&] { return client(index).requests_sent(); };
        ASSERT_TRUE(world.run_until([&] { return world.queue().size() > 1 && client(index).idle() && sent() >= 4; }));
    }

    /// Starts an operation that has no result but its error.
    template <typename Start> OutcomePtr run(Start initiate_operation) {
        const auto outcome = std::make_shared<Outcome>();
        initiate_operation(Handler<>(into(outcome)));
        return outcome;
    }
};

} // namespace docent::detail
