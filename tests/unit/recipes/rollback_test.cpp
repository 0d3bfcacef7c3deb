// SPDX-License-Identifier: Apache-2.0

// Recipes while an ensemble goes back to an older state, by a newer epoch, and the sessions survive.

#include "fake_mutex.hpp"
#include "fake_semaphore.hpp"
#include "names/node_name.hpp"
#include "shared/shared_value_core.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;

// ---- queues

class RollbackTest : public FakeMutexTest {
protected:
    FakeEnsemble& ensemble = world.surroundings().ensemble;

    void SetUp() override { connect(); }
    bool goes(const std::string& path) {
        return world.run_until([&] { return ensemble.truth().find(path) == nullptr; });
    }
};

TEST_F(RollbackTest, AnIdleClientRemovesItsReleasedNode) {
    Lease lease = acquire(0);
    const std::string node = lease.node_path();
    const auto past = ensemble.past();
    lease = Lease{};
    settle();
    ASSERT_TRUE(world.queue().empty());

    world.go_back_to(past);
    ASSERT_EQ(world.first(), node);
    const Lease next = acquire(1);
    EXPECT_TRUE(next.owns());
    EXPECT_EQ(world.first(), next.node_path());
}

TEST_F(RollbackTest, AContenderThatComesBackRemovesItsOrphanedNode) {
    Lease lease = acquire(0);
    const auto past = ensemble.past();
    lease = Lease{};
    settle();
    world.go_back_to(past);
    const Lease next = acquire(0);
    EXPECT_TRUE(next.owns());
}

/// Three nodes are in the queue. The first is removed, and comes back while its successor holds the lock.
TEST_F(RollbackTest, AWaiterGetsPastAnOrphanedNodeAheadOfTheHolder) {
    Lease first = acquire(0);
    const auto second = start(0);
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 2; }));
    const auto third = start(1);
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 3; }));
    settle();
    const auto past = ensemble.past();
    first = Lease{};
    wait_for(second);
    settle();

    world.go_back_to(past);
    EXPECT_EQ(world.queue().size(), 3u);
    run_for(milliseconds{1000});
    EXPECT_TRUE(second->lease.owns()) << "its node is there";
    EXPECT_FALSE(third->arrived());
    second->lease = Lease{};
    wait_for(third);
    EXPECT_FALSE(third->ec);
    EXPECT_TRUE(third->lease.owns());
}

/// No node was made in the meantime: this is only a reconnect to a newer epoch.
TEST_F(RollbackTest, ANodeOfAHolderOrWaiterIsNoOrphan) {
    const Lease lease = acquire(0);
    const auto waiting = start(0);
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 2; }));
    settle();
    const auto before = world.queue();
    world.go_back_to(ensemble.past());
    run_for(milliseconds{1000});
    settle();
    EXPECT_EQ(world.queue(), before);
    EXPECT_TRUE(lease.owns());
    EXPECT_FALSE(waiting->arrived());
    client(0).close(); // ends the waiter, which keeps its own objects alive
}

TEST_F(RollbackTest, AHolderWhoseNodeIsGoneHearsItAtOnce) {
    const auto past = ensemble.past();
    const Lease lease = acquire(0); // no heartbeat yet: the lease's node is not watched
    const auto stop = lease.stop_token();
    world.go_back_to(past);
    ASSERT_TRUE(world.run_until([&] { return !client(0).linked(); }));
    ASSERT_TRUE(world.run_until([&] { return client(0).linked(); }));
    const auto back = world.surroundings().now;
    ASSERT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
    EXPECT_FALSE(lease.owns());
    EXPECT_LT(world.surroundings().now - back, session::frequent_heartbeats(FakeEnsemble::session_timeout));
    const Lease next = acquire(1);
    EXPECT_GT(next.fencing_token(), lease.fencing_token()) << "the epoch is newer";
}

TEST_F(RollbackTest, AHolderWhoseNodeWasWatchedHearsItAtOnce) {
    const auto past = ensemble.past();
    const Lease lease = acquire(0);
    run_for(FakeEnsemble::session_timeout);
    settle();
    world.go_back_to(past);
    ASSERT_TRUE(world.run_until([&] { return !client(0).linked(); }));
    ASSERT_TRUE(world.run_until([&] { return client(0).linked(); }));
    const auto back = world.surroundings().now;
    ASSERT_TRUE(world.run_until([&] { return lease.stop_token().stop_requested(); }));
    EXPECT_LT(world.surroundings().now - back, session::frequent_heartbeats(FakeEnsemble::session_timeout));
}

TEST_F(RollbackTest, AWaiterWhoseNodeIsGoneIsTold) {
    const Lease lease = acquire(0);
    settle();
    const auto past = ensemble.past();
    const auto waiting = start(1);
    run_until_parked(1);
    world.go_back_to(past);
    wait_for(waiting);
    EXPECT_EQ(waiting->ec, error::lock_node_deleted);
}

TEST_F(RollbackTest, ANodeThatAnAdministratorHadDeletedIsAnOrphanToo) {
    const Lease lease = acquire(0);
    const std::string node = lease.node_path();
    const auto past = ensemble.past();
    ensemble.delete_node(node);
    ASSERT_TRUE(world.run_until([&] { return !lease.owns() || lease.stop_token().stop_requested(); }));
    settle();
    world.go_back_to(past);
    EXPECT_TRUE(goes(node));
}

TEST_F(RollbackTest, ASessionThatHadEndedIsLeftToTheServers) {
    Lease lease = acquire(0);
    const std::string node = lease.node_path();
    const auto past = ensemble.past();
    world.inflict(Fault::end_session, 0);
    ASSERT_TRUE(world.run_until([&] { return client(0).session().epoch == 2; }));
    settle();
    world.go_back_to(past);
    const auto began = world.surroundings().now;
    ASSERT_TRUE(goes(node));
    EXPECT_GE(world.surroundings().now - began, FakeEnsemble::session_timeout) << "with its session";
}

// ---- shared values

class SharedValueRollbackTest : public RollbackTest {
protected:
    std::shared_ptr<SharedValueCore> shared = std::make_shared<SharedValueCore>(world.share(0), "/value", "seed");

    void SetUp() override {
        RollbackTest::SetUp();
        client(1).submit(zk::CreateRequest{"/value", "old"}, [](const zk::Reply&) {});
        settle();
        shared->follow([](error_code) {});
        settle();
        ASSERT_EQ(shared->value().value, "old");
    }
    void TearDown() override { shared->stop(); }
    bool becomes(const std::string& value) {
        return world.run_until([&] { return shared->value().value == value; });
    }
};

TEST_F(SharedValueRollbackTest, TheOlderValueIsRead) {
    const auto past = ensemble.past();
    ensemble.change_node("/value", "new");
    ASSERT_TRUE(becomes("new"));
    settle();
    world.go_back_to(past);
    EXPECT_TRUE(becomes("old"));
    EXPECT_EQ(shared->value().version, 0);
    settle();
    ensemble.change_node("/value", "newer");
    EXPECT_TRUE(becomes("newer")) << "it is followed still";
}

/// The ensemble goes back twice. Each time the value changes before the client connects to a server that lags behind.
TEST_F(SharedValueRollbackTest, OlderValueOfALaggingServerIsNotTakenAfterAnEarlierSync) {
    const auto past = ensemble.past();
    ensemble.change_node("/value", "new");
    ASSERT_TRUE(becomes("new"));
    settle();
    std::vector<std::string> heard;
    const auto listening = shared->listen([&heard](const VersionedValue& value) { heard.push_back(value.value); });
    for (const std::string value : {"newer", "newest"}) {
        world.go_back_to(past);
        ASSERT_TRUE(world.run_until([&] { return !client(0).linked(); }));
        ensemble.change_node("/value", value);
        client(0).connect(1);
        while (client(0).has_requests()) client(0).serve();
        ASSERT_TRUE(ensemble.lags(1));
        while (client(0).can_deliver()) client(0).deliver();
        ASSERT_TRUE(becomes(value));
        settle();
    }
    EXPECT_EQ(heard, (std::vector<std::string>{"newer", "newest"}));
}

TEST_F(SharedValueRollbackTest, OlderValueOfALaggingServerIsNotTakenAfterASyncThatFoundNoNode) {
    const auto past = ensemble.past();
    ensemble.change_node("/value", "new");
    ASSERT_TRUE(becomes("new"));
    settle();
    std::vector<std::string> heard;
    const auto listening = shared->listen([&heard](const VersionedValue& value) { heard.push_back(value.value); });
    for (const bool removes : {true, false}) {
        world.go_back_to(past);
        ASSERT_TRUE(world.run_until([&] { return !client(0).linked(); }));
        removes ? ensemble.delete_node("/value") : ensemble.change_node("/value", "newest");
        client(0).connect(1);
        while (client(0).has_requests()) client(0).serve();
        ASSERT_TRUE(ensemble.lags(1));
        while (client(0).can_deliver()) client(0).deliver();
        if (!removes) {
            while (client(0).has_requests()) client(0).serve();
            while (client(0).can_deliver()) client(0).deliver();
        }
        settle();
    }
    EXPECT_TRUE(becomes("newest"));
    EXPECT_EQ(heard, (std::vector<std::string>{"newest"}));
}

// ---- semaphores

class SemaphoreRollbackTest : public WorldTest {
protected:
    std::shared_ptr<FakeLimit> limit = std::make_shared<FakeLimit>(1);
    FakeEnsemble& ensemble = world.surroundings().ensemble;

    SemaphoreRollbackTest() : WorldTest(2, "/s/leases", lease_names()) { world.add_queue("/s/locks", mutex_names()); }
    void SetUp() override { connect(); }
    std::shared_ptr<TakenPermits> start(std::size_t index) { return take_permits(world, index, limit); }
    void wait_for(const std::shared_ptr<TakenPermits>& taken) {
        ASSERT_TRUE(world.run_until([&] { return taken->arrived(); })) << "never completed";
        EXPECT_FALSE(taken->ec) << taken->ec.message();
    }
};

TEST_F(SemaphoreRollbackTest, PermitsThatWereReleasedAreRemovedAgain) {
    const auto first = start(0);
    wait_for(first);
    settle();
    const auto past = ensemble.past();
    first->leases.clear();
    settle();
    ASSERT_TRUE(world.nodes().empty());
    world.go_back_to(past);
    ASSERT_EQ(world.nodes().size(), 1u);
    wait_for(start(1));
}

TEST_F(SemaphoreRollbackTest, SoIsTheGate) {
    const auto first = start(0);
    ASSERT_TRUE(world.run_until([&] { return world.queue("/s/locks").size() == 1; }));
    const auto past = ensemble.past();
    wait_for(first);
    first->leases.clear();
    settle();
    world.go_back_to(past);
    ASSERT_EQ(world.queue("/s/locks").size(), 1u);
    wait_for(start(1));
}

/// The awaited node is gone and no watch reports it: the parent is older than the state that the client has seen.
TEST_F(SemaphoreRollbackTest, AWaiterLooksAgain) {
    limit->change(0);
    const auto waiting = start(0);
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 1 && world.all_idle(); }));
    const auto past = ensemble.past();
    world.client(1).submit(zk::CreateRequest{.path = "/s/leases/lease-", .mode = CreateMode::ephemeral_sequential},
                           [](const zk::Reply&) {});
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 2 && world.all_idle(); }));
    limit->change(1);
    settle();
    ASSERT_FALSE(waiting->arrived());
    world.go_back_to(past);
    wait_for(waiting);
}

} // namespace
} // namespace docent::detail
