// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_mutex.hpp"
#include "lease/node_lease.hpp"

#include <gtest/gtest.h>

#include <stop_token>

namespace docent::detail {

using std::chrono::milliseconds;

/// A lease and access to its core.
class LeaseTest : public FakeMutexTest {
protected:
    void SetUp() override {
        const auto driver = std::make_shared<AcquireDriver>(
            view(), QueuePlace{"/lock", mutex_names(), lock_token, Deletion::admits, {.max_hold = max_hold}}, AcquireWait{},
            [this](error_code, GrantedNode node) { core = NodeLease::make(view(), std::move(node), boot_now(0)); },
            boot_now(0));
        driver->start();
        ASSERT_TRUE(world.run_until([&] { return core != nullptr; }));
        lease = Lease(core);
        stop = lease.stop_token();
    }

    virtual std::shared_ptr<ClientView> view() { return world.share(0); }

    /// Runs past the first heartbeat: the lease's node is watched from then on.
    void run_until_watched() {
        const auto sent = client(0).requests_sent();
        ASSERT_TRUE(world.run_until([&] { return client(0).requests_sent() >= sent + 2 && client(0).idle(); }));
    }
    void run_until_stopped() {
        ASSERT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
    }
    /// Deletes the node, and runs until its holder is asked to stop.
    std::chrono::nanoseconds time_from_deletion_to_stop() {
        world.surroundings().ensemble.delete_node(lease.node_path());
        const auto before = world.surroundings().now;
        run_until_stopped();
        return world.surroundings().now - before;
    }
    OutcomePtr release(CallOptions call = {}) {
        return run([&](Handler<> handler) { initiate_release(core, std::move(call), std::move(handler)); });
    }
    OutcomePtr await_loss() {
        return run([&](Handler<> handler) { initiate_wait_lost(core, {}, std::move(handler)); });
    }
    bool is_removed() const { return world.queue().empty(); }

    milliseconds max_hold = milliseconds::max();
    std::shared_ptr<NodeLease> core;
    Lease lease;
    std::stop_token stop;
};

} // namespace docent::detail
