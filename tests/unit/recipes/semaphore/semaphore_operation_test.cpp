// SPDX-License-Identifier: Apache-2.0

// The parts of a semaphore around its machine: the gate, a try while other clients are served, the limit.

#include "fake_semaphore.hpp"
#include "names/node_name.hpp"
#include "shared/number_bytes.hpp"
#include "views.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;

class SemaphoreOperationTest : public testing::Test {
protected:
    FakeWorld world{1, 2, "/s/leases", lease_names()};
    std::shared_ptr<FakeLimit> limit = std::make_shared<FakeLimit>(2);

    void SetUp() override { world.add_queue("/s/locks", mutex_names()); }

    std::shared_ptr<TakenPermits> start(std::size_t index, AcquireWait::Kind kind, std::int32_t count = 1) {
        return take_permits(world, index, limit, count, {kind});
    }
    void wait_for(const std::shared_ptr<TakenPermits>& outcome) {
        ASSERT_TRUE(world.run_until([&] { return outcome->arrived(); })) << "never completed";
    }
    std::vector<Lease> take(std::int32_t count) {
        const auto outcome = start(0, AcquireWait::Kind::forever, count);
        wait_for(outcome);
        EXPECT_FALSE(outcome->ec);
        return std::move(outcome->leases);
    }
    /// A contender that has the gate and does nothing there.
    std::vector<std::string> someone_at_the_gate() {
        for (const auto& request : std::vector<zk::CreateRequest>{{"/s"}, {"/s/locks"}, {"/s/leases"}}) {
            client.submit(request, [](const zk::Reply&) {});
        }
        client.submit(zk::CreateRequest{.path = "/s/locks/lock-", .mode = CreateMode::ephemeral_sequential},
                      [](const zk::Reply&) {});
        EXPECT_TRUE(world.run_until([&] { return world.nodes().size() == 1 && world.all_idle(); }));
        return world.nodes();
    }
    bool someone_waits(std::size_t nodes) {
        return world.run_until([&] { return world.nodes().size() == nodes && world.all_idle(); });
    }
    steady_clock::time_point now() { return client.now(); }

    FakeClient& client = world.client(1);
};

TEST_F(SemaphoreOperationTest, ATryWaitsForTheContenderAtTheGateWhilePermitsAreLeft) {
    world.run_until([&] { return client.linked() && world.client(0).linked(); });
    const auto gate = someone_at_the_gate();
    const auto outcome = start(0, AcquireWait::Kind::not_at_all);
    ASSERT_TRUE(someone_waits(2));
    EXPECT_FALSE(outcome->arrived());
    world.surroundings().ensemble.delete_node(gate.front());
    wait_for(outcome);
    EXPECT_FALSE(outcome->ec);
    EXPECT_EQ(outcome->leases.size(), 1u);
}

TEST_F(SemaphoreOperationTest, ATryDoesNotWaitForAStuckContender) {
    world.run_until([&] { return client.linked() && world.client(0).linked(); });
    someone_at_the_gate();
    const auto outcome = start(0, AcquireWait::Kind::not_at_all);
    ASSERT_TRUE(someone_waits(2));
    const auto began = now();
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::not_acquired);
    EXPECT_LT(now() - began, 2 * TryAtGate::longest_wait);
    EXPECT_TRUE(someone_waits(1)) << "nothing is left";
}

/// The gate is free. No server answers the requests of the try, and no new connection can be made.
TEST_F(SemaphoreOperationTest, TryEndsDuringAnOutage) {
    for (const bool noticed : {false, true}) {
        FakeWorld each{noticed ? 2u : 3u, 1, "/s/leases", lease_names()};
        each.add_queue("/s/locks", mutex_names());
        FakeClient& cut_off = each.client(0);
        ASSERT_TRUE(each.run_until([&] { return cut_off.session().state == SessionState::connected; }));
        cut_off.unreachable = true;
        if (noticed) cut_off.break_link();
        else cut_off.cut_link();
        const auto began = cut_off.now();
        const auto outcome = take_permits(each, 0, limit, 1, {AcquireWait::Kind::not_at_all}, {});
        ASSERT_TRUE(each.run_until([&] { return outcome->arrived(); })) << "noticed: " << noticed;
        EXPECT_EQ(outcome->ec, error::not_connected);
        EXPECT_LE(cut_off.now() - began,
                  TryAtGate::longest_wait + FakeEnsemble::session_timeout + 2 * cut_off.connection_timeout());
    }
}

/// A server that accepts the requests and does not answer counts as one that does not serve. The client does not know that yet.
TEST_F(SemaphoreOperationTest, TryEndsInASecondThoughTheServerIsSilent) {
    ASSERT_TRUE(world.run_until([&] { return client.linked() && world.all_idle(); }));
    client.cut_link(); // the client notices this after two thirds of the session timeout
    const auto began = now();
    const auto outcome = start(1, AcquireWait::Kind::not_at_all);
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::not_connected) << "no server says that the permits are taken";
    EXPECT_LT(now() - began, 2 * TryAtGate::longest_wait);
}

TEST_F(SemaphoreOperationTest, TryGivesUpAtOnceWithoutPermits) {
    const auto all = take(2);
    const auto began = now();
    const auto outcome = start(1, AcquireWait::Kind::not_at_all);
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::not_acquired);
    EXPECT_LT(now() - began, TryAtGate::longest_wait);
}

/// The last permits are taken while the try waits for the contender at the gate.
TEST_F(SemaphoreOperationTest, TryGivesUpWhenThePermitsHaveGone) {
    world.run_until([&] { return client.linked() && world.client(0).linked(); });
    someone_at_the_gate();
    const auto outcome = start(0, AcquireWait::Kind::not_at_all, 2);
    ASSERT_TRUE(someone_waits(2));
    const auto began = now();
    client.submit(zk::CreateRequest{.path = "/s/leases/lease-", .mode = CreateMode::ephemeral_sequential},
                  [](const zk::Reply&) {});
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::not_acquired);
    EXPECT_LT(now() - began, TryAtGate::longest_wait);
}

/// The connections break again and again. Only the time with a connection counts, and all of it.
TEST_F(SemaphoreOperationTest, ATryDoesNotWaitLongerOverSeveralConnections) {
    world.run_until([&] { return client.linked() && world.client(0).linked(); });
    someone_at_the_gate();
    const auto outcome = start(0, AcquireWait::Kind::not_at_all);
    ASSERT_TRUE(someone_waits(2));
    for (int connections = 0; connections < 5 && !outcome->arrived(); ++connections) {
        const auto end = now() + milliseconds{TryAtGate::longest_wait} / 2;
        world.run_until([&] { return now() >= end && world.client(0).linked(); });
        world.client(0).break_link();
    }
    EXPECT_TRUE(outcome->arrived());
    EXPECT_EQ(outcome->ec, error::not_acquired);
}

TEST_F(SemaphoreOperationTest, TryLooksAgainIfItsConnectionBreaksBeforeTheAnswer) {
    world.run_until([&] { return client.linked() && world.client(0).linked(); });
    someone_at_the_gate();
    client.submit(zk::CreateRequest{.path = "/s/leases/lease-", .mode = CreateMode::ephemeral_sequential},
                  [](const zk::Reply&) {});
    ASSERT_TRUE(someone_waits(2));
    const auto began = now();
    const auto outcome = start(0, AcquireWait::Kind::not_at_all, 2);
    world.client(0).break_link({.reached = 0});
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::not_acquired);
    EXPECT_LT(now() - began, TryAtGate::longest_wait);
}

TEST_F(SemaphoreOperationTest, TryLooksAgainIfAnOverloadedServerRefusesTheList) {
    FakeClient& trying = world.client(0);
    world.run_until([&] { return client.linked() && trying.linked(); });
    someone_at_the_gate();
    client.submit(zk::CreateRequest{.path = "/s/leases/lease-", .mode = CreateMode::ephemeral_sequential},
                  [](const zk::Reply&) {});
    ASSERT_TRUE(someone_waits(2));
    bool refused = false;
    world.on_step = [&](const FakeStep&) {
        if (refused || !trying.next_request().starts_with("list /s/leases")) return;
        trying.throttle_next = refused = true;
    };
    const auto outcome = start(0, AcquireWait::Kind::not_at_all, 2);
    wait_for(outcome);
    EXPECT_TRUE(refused);
    EXPECT_EQ(outcome->ec, error::not_acquired);
}

/// The session of the try ends after it had the gate. Then another contender stands at the gate and waits for permits.
TEST_F(SemaphoreOperationTest, TryThatBeginsAgainStillDoesNotWait) {
    auto all = take(1);
    world.run_until([&] { return client.linked(); });
    const auto outcome = start(1, AcquireWait::Kind::not_at_all);
    ASSERT_TRUE(world.run_until([&] { return world.queue("/s/leases").size() == 2; }));
    ASSERT_FALSE(outcome->arrived()) << "it does not know yet";
    client.freeze(std::chrono::seconds{30});
    world.inflict(FakeWorld::Fault::end_session, 1);
    const auto waiter = start(0, AcquireWait::Kind::forever, 2); // one permit is left
    ASSERT_TRUE(world.run_until([&] { return world.queue("/s/leases").size() == 3; }));
    ASSERT_FALSE(outcome->arrived());
    ASSERT_TRUE(world.run_until([&] { return outcome->arrived(); })) << "the try waits behind the waiter";
    EXPECT_EQ(outcome->ec, error::not_acquired);
    EXPECT_FALSE(waiter->arrived());
    all.clear();
    wait_for(waiter);
}

/// A contender that wants more permits than there are stands at the gate, in front of all others, until the limit is raised.
TEST_F(SemaphoreOperationTest, AContenderForMoreThanTheLimitBlocksTheGate) {
    limit->change(3);
    const auto greedy = start(0, AcquireWait::Kind::forever, 5);
    ASSERT_TRUE(someone_waits(6));
    const auto modest = start(1, AcquireWait::Kind::forever);
    ASSERT_TRUE(someone_waits(7));
    const auto began = now();
    const auto trying = start(1, AcquireWait::Kind::not_at_all);
    wait_for(trying);
    EXPECT_EQ(trying->ec, error::not_acquired);
    EXPECT_LT(now() - began, TryAtGate::longest_wait) << "it sees that none is left";
    EXPECT_FALSE(greedy->arrived());
    EXPECT_FALSE(modest->arrived()) << "though three are free";
    limit->change(5);
    wait_for(greedy);
    EXPECT_EQ(greedy->leases.size(), 5u);
    greedy->leases.pop_back();
    wait_for(modest);
}

TEST_F(SemaphoreOperationTest, AnAcquireAboveTheLimitFreesTheGateWhenItGivesUp) {
    limit->change(3);
    const auto greedy = start(0, AcquireWait::Kind::forever, 5);
    ASSERT_TRUE(someone_waits(6));
    const auto modest = start(1, AcquireWait::Kind::forever);
    ASSERT_TRUE(someone_waits(7));
    greedy->operation.lock()->abort(error::not_acquired);
    EXPECT_EQ(greedy->ec, error::not_acquired);
    wait_for(modest);
    EXPECT_FALSE(modest->ec);
}

TEST_F(SemaphoreOperationTest, RaisedLimitLetsTheNextOneIn) {
    auto all = take(2);
    const auto outcome = start(1, AcquireWait::Kind::forever);
    ASSERT_TRUE(someone_waits(4));
    EXPECT_FALSE(outcome->arrived());
    limit->change(3);
    wait_for(outcome);
    EXPECT_EQ(outcome->leases.front().usage_at_grant(), (PermitUsage{3, 3}));
}

TEST_F(SemaphoreOperationTest, NothingIsWatchedLongerThanTheWait) {
    const auto view = std::make_shared<ForgettingView>(world.share(1));
    const auto all = take(2);
    const auto waiter =
        std::make_shared<SemaphoreOperation>(view, SemaphorePlace{"/s", limit, {}, [this] { return client.boot_now(); }}, 1,
                                             AcquireWait{}, [](const error_code&, const std::vector<Lease>&) {});
    waiter->begin();
    ASSERT_TRUE(someone_waits(4));
    const std::string gate = world.first("/s/locks");
    waiter->abort(error::not_acquired);
    EXPECT_EQ((view->forgotten[{gate, zk::WatchKind::data}]), 1);
    EXPECT_EQ((view->forgotten[{"/s/leases", zk::WatchKind::children}]), 1);
}

TEST_F(SemaphoreOperationTest, LimitIsFollowedNoLongerThanTheWait) {
    auto all = take(2);
    EXPECT_EQ(limit->followers(), 0);
    const auto outcome = start(1, AcquireWait::Kind::forever);
    ASSERT_TRUE(someone_waits(4));
    EXPECT_EQ(limit->followers(), 1);
    all.clear();
    wait_for(outcome);
    EXPECT_EQ(limit->followers(), 0);
}

TEST_F(SemaphoreOperationTest, SharedLimitIsToldOnceMoreWhenItListens) {
    const auto count = std::make_shared<SharedValueCore>(world.share(0), "/limit", encode_count(0));
    const auto shared = shared_limit(count);
    error_code ec;
    shared->now(ec);
    EXPECT_EQ(ec, error::not_started);
    Stat stat;
    stat.version = 1;
    stat.mzxid = 1;
    EXPECT_FALSE(count->learn_written(encode_count(2), stat));
    ec = {};
    EXPECT_EQ(shared->now(ec), 2);
    std::vector<std::int32_t> told;
    const auto registration = shared->follow(client, [&](std::int32_t now) { told.push_back(now); });
    stat.mzxid = 2;
    EXPECT_FALSE(count->learn_written(encode_count(3), stat)); // before the listener is added
    EXPECT_TRUE(world.run_until([&] { return told == std::vector<std::int32_t>{3}; }));
    stat.mzxid = 3;
    EXPECT_FALSE(count->learn_written(encode_count(4), stat));
    EXPECT_TRUE(world.run_until([&] { return told == std::vector<std::int32_t>{3, 4}; }));
    stat.mzxid = 4;
    EXPECT_FALSE(count->learn_written("plenty", stat));
    EXPECT_EQ(shared->now(ec), 0);
    EXPECT_EQ(ec, error::corrupt_data);
}

} // namespace
} // namespace docent::detail
