// SPDX-License-Identifier: Apache-2.0
#include "client/core/access.hpp"
#include "client/data/data_codec.hpp"
#include "fake_mutex.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;

/// A lease and the requests to release it.
class RevocableLeaseTest : public FakeMutexTest {
protected:
    asio::io_context late; // an executor that the test runs
    Lease lease;
    int asked = 0;

    void SetUp() override { lease = acquire(0); }

    void make_revocable() {
        lease.make_revocable([this] { ++asked; });
    }
    void change(const std::string& data) { world.surroundings().ensemble.change_node(lease.node_path(), data); }
    void revoke() { change("__REVOKE__"); }
    /// Runs until the request that make_revocable() has sent is answered.
    void run_until_watched() {
        const auto sent = client(0).requests_sent();
        ASSERT_TRUE(world.run_until([&] { return client(0).requests_sent() > sent && client(0).idle(); }));
    }
    bool is_asked() {
        return world.run_until([&] { return asked > 0; });
    }
    /// Runs long enough for heartbeats, and for a client that is cut off to give up its session.
    void let_time_pass() { run_for(milliseconds{10'000}); }
};

TEST_F(RevocableLeaseTest, SeesARequestFromBefore) {
    revoke();
    let_time_pass();
    EXPECT_EQ(asked, 0);
    make_revocable();
    const auto before = world.surroundings().now;
    ASSERT_TRUE(is_asked());
    EXPECT_LT(world.surroundings().now - before, milliseconds{100});
    EXPECT_TRUE(lease.owns()) << "giving up is the holder's business";
}

TEST_F(RevocableLeaseTest, SeesARequestFromItsWait) {
    auto next = start(1);
    run_until_parked(1);
    world.surroundings().ensemble.change_node(world.queue().back(), "__REVOKE__");
    run_for(milliseconds{500});
    lease = Lease{};
    wait_for(next);
    lease = std::move(next->lease);
    make_revocable();
    EXPECT_TRUE(is_asked());
}

TEST_F(RevocableLeaseTest, AHandlerThatWasReplacedMeanwhileIsNotCalled) {
    int before = 0;
    lease.make_revocable([&] { ++before; }, late.get_executor());
    run_until_watched();
    revoke();
    let_time_pass(); // the call waits on the executor
    make_revocable();
    EXPECT_GT(late.run(), 0u);
    EXPECT_TRUE(is_asked());
    EXPECT_EQ(before, 0);
}

TEST_F(RevocableLeaseTest, IsAskedAtOnce) {
    const auto before = world.surroundings().now;
    make_revocable();
    run_until_watched();
    EXPECT_EQ(asked, 0);
    revoke();
    ASSERT_TRUE(is_asked());
    EXPECT_LT(world.surroundings().now - before, milliseconds{100});
}

TEST_F(RevocableLeaseTest, IsAskedWheneverItIsWritten) { // written before the read, after it, or in the middle of it
    for (int steps = 0; steps < 40; ++steps) {
        asked = 0;
        make_revocable();
        for (int i = 0; i < steps; ++i) world.step();
        revoke();
        ASSERT_TRUE(is_asked()) << steps;
        lease = Lease{};
        settle();
        lease = acquire(0);
    }
}

TEST_F(RevocableLeaseTest, IsAskedOnce) {
    make_revocable();
    for (int i = 0; i < 3; ++i) {
        revoke();
        run_for(milliseconds{200});
        change("something else");
        run_for(milliseconds{200});
        client(0).break_link();
        let_time_pass();
    }
    make_revocable();
    let_time_pass();
    EXPECT_EQ(asked, 1);
    EXPECT_TRUE(lease.owns());
}

TEST_F(RevocableLeaseTest, OtherDataAsksForNothing) {
    make_revocable();
    run_until_watched();
    change("__REVOKE");
    let_time_pass();
    EXPECT_EQ(asked, 0);
    change(gzip("__REVOKE__"));
    EXPECT_TRUE(is_asked());
}

TEST_F(RevocableLeaseTest, ReadsAgainWhenTheFirstReadWasLost) {
    make_revocable();
    const auto sent = client(0).requests_sent();
    ASSERT_TRUE(world.run_until([&] { return client(0).requests_sent() > sent; }));
    cut_off(0);
    run_for(milliseconds{100});
    reconnect(0);
    const auto before = world.surroundings().now;
    revoke();
    ASSERT_TRUE(is_asked());
    EXPECT_LT(world.surroundings().now - before, milliseconds{300}) << "sooner than a heartbeat";
}

TEST_F(RevocableLeaseTest, IsAskedWheneverItIsCutOff) {
    for (int steps = 0; steps < 40; ++steps) {
        asked = 0;
        make_revocable();
        for (int i = 0; i < steps / 2; ++i) world.step();
        if (client(0).linked()) client(0).break_link();
        for (int i = 0; i < steps % 5; ++i) world.step();
        revoke();
        ASSERT_TRUE(is_asked()) << steps;
        lease = Lease{};
        settle();
        lease = acquire(0);
    }
}

TEST_F(RevocableLeaseTest, ReadsAgainWhenTheServerWasTooBusy) {
    make_revocable();
    client(0).throttle_next = true;
    run_until_watched();
    EXPECT_FALSE(client(0).throttle_next);
    revoke();
    EXPECT_TRUE(is_asked());
}

TEST_F(RevocableLeaseTest, SeesARequestFromADisconnection) {
    make_revocable();
    run_until_watched();
    cut_off(0);
    revoke();
    run_for(milliseconds{500});
    EXPECT_EQ(asked, 0);
    client(0).unreachable = false;
    EXPECT_TRUE(is_asked());
    EXPECT_TRUE(lease.owns());
}

TEST_F(RevocableLeaseTest, MayBecomeRevocableWhileItIsCutOff) {
    cut_off(0);
    make_revocable();
    revoke();
    run_for(milliseconds{500});
    client(0).unreachable = false;
    EXPECT_TRUE(is_asked());
}

TEST_F(RevocableLeaseTest, ItsLastHandlerIsTold) {
    int first = 0;
    lease.make_revocable([&] { ++first; });
    make_revocable();
    run_until_watched();
    revoke();
    EXPECT_TRUE(is_asked());
    EXPECT_EQ(first, 0);
}

TEST_F(RevocableLeaseTest, WithoutAHandlerOnlyALaterHandlerIsTold) {
    make_revocable();
    run_until_watched();
    lease.make_revocable(nullptr);
    revoke();
    let_time_pass();
    EXPECT_EQ(asked, 0);
    change("written over"); // the request was read before
    let_time_pass();
    make_revocable();
    EXPECT_TRUE(is_asked());
}

TEST_F(RevocableLeaseTest, IsNotAskedAfterItsRelease) {
    make_revocable();
    run_until_watched();
    revoke();
    lease = Lease{};
    let_time_pass();
    EXPECT_EQ(asked, 0);
}

TEST_F(RevocableLeaseTest, IsNotAskedAfterItsLoss) {
    make_revocable();
    run_until_watched();
    revoke();
    world.inflict(Fault::end_session, 0);
    client(0).break_link();
    ASSERT_TRUE(world.run_until([&] { return !lease.owns(); }));
    let_time_pass();
    EXPECT_EQ(asked, 0);
    make_revocable();
    let_time_pass();
    EXPECT_EQ(asked, 0);
}

TEST_F(RevocableLeaseTest, IsNotAskedForAnotherNodeOfItsName) {
    make_revocable();
    run_until_watched();
    world.surroundings().ensemble.delete_node(lease.node_path());
    ASSERT_TRUE(world.run_until([&] { return !lease.owns(); }));
    EXPECT_EQ(asked, 0);
}

TEST_F(RevocableLeaseTest, IsNotAskedWhenItsExecutorComesTooLate) {
    lease.make_revocable([this] { ++asked; }, late.get_executor());
    revoke();
    let_time_pass();
    EXPECT_EQ(asked, 0);
    lease = Lease{};
    EXPECT_GT(late.run(), 0u);
    EXPECT_EQ(asked, 0);
}

TEST_F(RevocableLeaseTest, IsAskedOnItsExecutor) {
    lease.make_revocable([this] { ++asked; }, late.get_executor());
    revoke();
    let_time_pass();
    EXPECT_EQ(asked, 0);
    EXPECT_GT(late.run(), 0u);
    EXPECT_EQ(asked, 1);
}

TEST_F(RevocableLeaseTest, ItsExecutorMayEndAfterIt) {
    for (int steps = 0; steps < 20; ++steps) {
        {
            asio::io_context brief;
            Lease held = std::exchange(lease, Lease{});
            held.make_revocable([this] { ++asked; }, brief.get_executor());
            world.surroundings().ensemble.change_node(held.node_path(), "__REVOKE__");
            for (int i = 0; i < steps; ++i) world.step();
        }
        settle();
        lease = acquire(0);
    }
    EXPECT_EQ(asked, 0);
}

TEST_F(RevocableLeaseTest, HandlersMayDropIt) {
    lease.make_revocable([this] {
        ++asked;
        lease = Lease{};
    });
    revoke();
    ASSERT_TRUE(is_asked());
    settle();
    EXPECT_TRUE(world.queue().empty());
}

TEST_F(RevocableLeaseTest, HandlersAreKeptUntilItsEnd) {
    auto kept = std::make_shared<int>(0);
    const std::weak_ptr<int> weak = kept;
    lease.make_revocable([kept] { ++*kept; });
    kept.reset();
    let_time_pass();
    EXPECT_FALSE(weak.expired());
    const auto core = Access::core(lease);
    lease = Lease{};
    EXPECT_TRUE(weak.expired()) << "at once";
    EXPECT_EQ(core->state(), LeaseState::released);
}

TEST_F(RevocableLeaseTest, HandlersOfALostLeaseGoWithItsLoss) {
    auto kept = std::make_shared<int>(0);
    const std::weak_ptr<int> weak = kept;
    lease.make_revocable([kept] { ++*kept; });
    kept.reset();
    let_time_pass();
    world.inflict(Fault::end_session, 0);
    client(0).break_link();
    ASSERT_TRUE(world.run_until([&] { return lease.stop_token().stop_requested(); }));
    EXPECT_TRUE(weak.expired());
    auto late_one = std::make_shared<int>(0);
    lease.make_revocable([late_one] { ++*late_one; });
    EXPECT_EQ(late_one.use_count(), 1);
}

TEST_F(RevocableLeaseTest, MayBeOwnedByItsHandler) {
    const std::weak_ptr<LeaseCore> weak = Access::core(lease);
    auto owned = std::make_shared<Lease>(std::move(lease));
    owned->make_revocable([owned] { *owned = Lease{}; });
    const std::string node = owned->node_path();
    owned.reset();
    let_time_pass();
    EXPECT_FALSE(weak.expired());
    world.surroundings().ensemble.change_node(node, "__REVOKE__");
    let_time_pass();
    EXPECT_TRUE(weak.expired());
    EXPECT_TRUE(world.queue().empty());
}

TEST_F(RevocableLeaseTest, OfNothing) {
    Lease{}.make_revocable([this] { ++asked; });
    EXPECT_EQ(asked, 0);
}

} // namespace
} // namespace docent::detail
