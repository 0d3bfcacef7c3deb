// SPDX-License-Identifier: Apache-2.0

// A transaction whose guard is lost while no server can say so.

#include "client/transaction/transaction_operation.hpp"
#include "fake_world.hpp"
#include "mutex/mutex_core.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace docent::detail {
namespace {

template <typename T>
concept Guards = requires(Transaction transaction, T&& by) {
    transaction.guard(std::forward<T>(by));
};
static_assert(Guards<Lease&> && Guards<const Lease&>);
static_assert(!Guards<Lease> && !Guards<const Lease>, "a lease that ends before the commit");
static_assert(Guards<std::string> && Guards<InterProcessMutex&>, "the others are no leases");

/// A client that holds /lock, and a transaction that its lease guards.
class TransactionGuard : public testing::Test {
protected:
    struct Result : Answer {
        TransactionResult what;
    };

    FakeWorld world{1, 1, "/lock"};
    Lease lease;

    void SetUp() override {
        const auto mutex = std::make_shared<MutexCore>(world.share(0), "/lock", [this] { return world.client(0).boot_now(); });
        initiate_acquire(mutex, {}, {}, [this](error_code, Lease granted) { lease = std::move(granted); });
        ASSERT_TRUE(world.run_until([&] { return lease.owns(); }));
    }
    Transaction guarded() const { return Transaction().guard(lease).create("/t", "data"); }
    std::shared_ptr<Result> commit() { return commit(guarded()); }
    std::shared_ptr<Result> commit(Transaction transaction) {
        const auto result = std::make_shared<Result>();
        std::make_shared<TransactionOperation>(world.share(0), std::move(transaction), into(result, &Result::what))->begin();
        return result;
    }
    void lose_quorum() {
        world.surroundings().ensemble.lose_quorum_until(world.client(0).boot_now() + std::chrono::hours(1));
        if (world.client(0).linked()) world.inflict(FakeWorld::Fault::break_link, 0);
        ASSERT_EQ(world.client(0).session().state, SessionState::suspended);
    }
};

TEST_F(TransactionGuard, AKnownLossIsReportedAtOnceAlsoWithoutAConnection) {
    lose_quorum();
    ASSERT_TRUE(world.run_until([&] { return !lease.owns(); }));
    const auto result = commit();
    EXPECT_TRUE(result->arrived());
    EXPECT_EQ(result->ec, error::lease_lost);
    EXPECT_EQ(result->what.operations.size(), 1u);
}

TEST_F(TransactionGuard, ALossWhileDisconnectedIsReportedAtTheEndOfTheWait) {
    lose_quorum();
    ASSERT_TRUE(lease.owns());
    const auto result = commit();
    EXPECT_FALSE(result->arrived());
    ASSERT_TRUE(world.run_until([&] { return result->arrived(); }));
    EXPECT_FALSE(lease.owns());
    EXPECT_EQ(result->ec, error::lease_lost);
    EXPECT_EQ(world.surroundings().ensemble.truth().find("/t"), nullptr);
}

TEST_F(TransactionGuard, ALeaseThatIsReleasedBeforeTheNextTryEndsTheCommit) {
    FakeClient& client = world.client(0);
    const auto is_next = [&client] { return client.next_request().starts_with("all of:"); };
    int sent = 0;
    world.on_step = [&](const FakeStep& step) {
        if (step.kind == FakeStep::Kind::serve && is_next()) ++sent;
    };
    const auto result = commit();
    ASSERT_TRUE(world.run_until(is_next));
    client.throttle_next = true;
    ASSERT_TRUE(world.run_until([&] { return sent == 1 && !client.has_requests(); }));
    EXPECT_FALSE(result->arrived());
    lease = Lease(); // releases the lease
    ASSERT_TRUE(world.run_until([&] { return result->arrived() && world.all_idle(); }));
    EXPECT_EQ(result->ec, error::lease_released);
    EXPECT_EQ(sent, 1);
}

/// The client that holds the lease need not be the client that commits, so the removal of the node may arrive first.
TEST_F(TransactionGuard, ALeaseThatIsReleasedWhileTheCommitIsUnderWayIsReportedAsReleased) {
    FakeClient& client = world.client(0);
    const std::string node = lease.node_path();
    const auto result = commit();
    ASSERT_TRUE(world.run_until([&client] { return client.next_request().starts_with("all of:"); }));
    lease = Lease();
    world.surroundings().ensemble.delete_node(node);
    ASSERT_TRUE(world.run_until([&] { return result->arrived() && world.all_idle(); }));
    EXPECT_EQ(result->ec, error::lease_released) << result->ec.message();
    EXPECT_EQ(world.surroundings().ensemble.truth().find("/t"), nullptr);
}

TEST_F(TransactionGuard, GuardReleasedBeforeTheNextTryLeavesTheMarkerToTheNextTransaction) {
    FakeClient& client = world.client(0);
    const auto result = commit(guarded().exactly_once());
    ASSERT_TRUE(world.run_until([&client] { return client.next_request().starts_with("all of:"); }));
    client.throttle_next = true;
    client.serve();
    lease = Lease();
    ASSERT_TRUE(world.run_until([&] { return result->arrived() && world.all_idle(); }));
    EXPECT_EQ(result->ec, error::lease_released);
    const std::string parent = "/docent/transactions";
    const auto markers = world.surroundings().ensemble.truth().children(parent);
    ASSERT_EQ(markers.size(), 1u);
    EXPECT_TRUE(client.keeps_marker(parent + "/" + markers.front()));
}

} // namespace
} // namespace docent::detail
