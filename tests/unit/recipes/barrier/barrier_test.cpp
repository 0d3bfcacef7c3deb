// SPDX-License-Identifier: Apache-2.0
#include "barrier/barrier_core.hpp"
#include "fake_world.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>

namespace docent::detail {
namespace {

/// A client that waits at a barrier, and a client that sets and removes it.
class BarrierTest : public testing::Test {
protected:
    using Fault = FakeWorld::Fault;
    using Initiate = void (*)(const std::shared_ptr<BarrierCore>&, CallOptions, Handler<>);

    struct Answer {
        int times = 0;
        error_code ec;
    };
    using AnswerPtr = std::shared_ptr<Answer>;

    AnswerPtr begin(Initiate initiate, std::size_t index, CallOptions call = {}) {
        const auto answer = std::make_shared<Answer>();
        initiate(barriers[index], std::move(call), [answer](error_code ec) {
            ++answer->times;
            answer->ec = ec;
        });
        return answer;
    }
    AnswerPtr wait(CallOptions call = {}) { return begin(&initiate_barrier_wait, 0, std::move(call)); }
    void run(Initiate initiate) { expect_success(begin(initiate, 1)); }
    void expect_success(const AnswerPtr& answer) {
        ASSERT_TRUE(world.run_until([&] { return answer->times == 1; })) << "never completed";
        EXPECT_EQ(answer->ec, error_code{});
    }
    void settle() {
        ASSERT_TRUE(world.run_until([&] { return world.all_idle(); }));
    }
    void connect() {
        ASSERT_TRUE(world.run_until([&] { return world.client(0).linked() && world.client(1).linked(); }));
        settle();
    }
    FakeEnsemble& servers() { return world.surroundings().ensemble; }

    FakeWorld world{1, 2, "/lock"};
    std::shared_ptr<BarrierCore> barriers[2] = {std::make_shared<BarrierCore>(world.share(0), "/gate/barrier"),
                                                std::make_shared<BarrierCore>(world.share(1), "/gate/barrier")};
};

TEST_F(BarrierTest, WhereThereIsNoneItGoesOnAtOnce) {
    expect_success(wait());
}

TEST_F(BarrierTest, ItIsANodeWithTheDefaultDataThatMayBeThereAlreadyAndMayHaveGone) {
    run(&initiate_barrier_set);
    const FakeNode* node = servers().truth().find("/gate/barrier");
    ASSERT_TRUE(node);
    EXPECT_EQ(node->mode, CreateMode::persistent);
    EXPECT_EQ(node->data, world.client(1).default_data());
    EXPECT_EQ(servers().truth().find("/gate")->mode, CreateMode::container);
    run(&initiate_barrier_set);
    run(&initiate_barrier_remove);
    EXPECT_FALSE(servers().truth().find("/gate/barrier"));
    run(&initiate_barrier_remove);
}

TEST(BarrierOnSlowServers, ABarrierThatWasSetBeforeIsNotOverlooked) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        FakeWorld world{seed, 2, "/lock"};
        const auto linked = [&] { return world.client(0).linked() && world.client(1).linked() && world.all_idle(); };
        ASSERT_TRUE(world.run_until(linked));
        int set = 0;
        int passed = 0;
        initiate_barrier_set(std::make_shared<BarrierCore>(world.share(1), "/barrier"), {}, [&](error_code) { ++set; });
        ASSERT_TRUE(world.run_until([&] { return set == 1; }));
        const auto waits = std::make_shared<BarrierCore>(world.share(0), "/barrier");
        initiate_barrier_wait(waits, {}, [&](error_code) { ++passed; }); // the waiter's server may not know of the removal yet
        ASSERT_TRUE(world.run_until([&] { return world.all_idle(); }));
        EXPECT_EQ(passed, 0) << seed;
        world.client(0).close();
        ASSERT_TRUE(world.run_until([&] { return passed == 1; }));
    }
}

TEST_F(BarrierTest, WaitsUntilItIsRemovedThroughOtherChanges) {
    run(&initiate_barrier_set);
    const auto waiting = wait();
    settle();
    servers().change_node("/gate/barrier");
    settle();
    EXPECT_EQ(waiting->times, 0);
    run(&initiate_barrier_remove);
    expect_success(waiting);
}

TEST_F(BarrierTest, GoesOnAlsoIfItWasSetAgainBeforeItCouldLook) {
    run(&initiate_barrier_set);
    const auto waiting = wait();
    settle();
    world.client(0).break_link({});
    world.client(0).unreachable = true;
    run(&initiate_barrier_remove);
    run(&initiate_barrier_set);
    world.client(0).unreachable = false;
    expect_success(waiting);
}

TEST_F(BarrierTest, TheEndOfTheSessionEndsNoWait) {
    run(&initiate_barrier_set);
    const auto waiting = wait();
    settle();
    world.inflict(Fault::end_session, 0);
    ASSERT_TRUE(world.run_until([&] { return world.client(0).session().epoch == 2 && world.client(0).linked(); }));
    settle();
    EXPECT_EQ(waiting->times, 0);
    run(&initiate_barrier_remove);
    expect_success(waiting);
}

TEST_F(BarrierTest, ABrokenConnectionAtAnyMomentLetsNoWaiterPassAndBlocksNone) {
    for (int steps = 0; steps < 25; ++steps) {
        SCOPED_TRACE(steps);
        run(&initiate_barrier_set);
        connect();
        const auto waiting = wait();
        for (int n = 0; n < steps; ++n) world.step();
        if (world.client(0).linked()) world.client(0).break_link({.reached = world.client(0).has_requests() ? 1u : 0u});
        connect();
        EXPECT_EQ(waiting->times, 0);
        const auto removing = begin(&initiate_barrier_remove, 1);
        for (int n = 0; n < steps; ++n) world.step();
        for (const std::size_t each : {0u, 1u}) {
            auto& client = world.client(each);
            if (client.linked()) client.break_link({.reached = client.has_requests() ? 1u : 0u});
        }
        expect_success(removing);
        expect_success(waiting);
    }
}

TEST_F(BarrierTest, LostRepliesOfSettingAndRemovingAreResolved) {
    for (const auto initiate : {&initiate_barrier_set, &initiate_barrier_remove}) {
        for (int steps = 0; steps < 15; ++steps) {
            SCOPED_TRACE(steps);
            connect();
            const auto answer = begin(initiate, 1);
            for (int n = 0; n < steps; ++n) world.step();
            auto& client = world.client(1);
            if (client.linked()) client.break_link({.reached = client.has_requests() ? 1u : 0u});
            expect_success(answer);
        }
        EXPECT_EQ(servers().truth().find("/gate/barrier") != nullptr, initiate == &initiate_barrier_set);
    }
}

TEST_F(BarrierTest, AWaitEndsWithItsTimeItsCancellationAndItsClient) {
    run(&initiate_barrier_set);
    connect();
    const auto in_time = wait({.timeout = std::chrono::milliseconds(300)});
    ASSERT_TRUE(world.run_until([&] { return in_time->times == 1; }));
    EXPECT_EQ(in_time->ec, server_error::operation_timeout);
    std::stop_source stop;
    const auto stopped = wait({.stop = stop.get_token()});
    settle();
    stop.request_stop();
    ASSERT_TRUE(world.run_until([&] { return stopped->times == 1; }));
    EXPECT_EQ(stopped->ec, asio::error::operation_aborted);
    const auto last = wait();
    settle();
    world.client(0).close();
    ASSERT_TRUE(world.run_until([&] { return last->times == 1; }));
    EXPECT_EQ(last->ec, error::closed);
}

// ---- nodes that may not be read, and events that never come

TEST_F(BarrierTest, AWaitGoesOnThoughTheBarrierBecameUnreadableBeforeItWasRemoved) {
    run(&initiate_barrier_set);
    const auto waiting = wait();
    settle();
    servers().hide_node("/gate/barrier");
    run(&initiate_barrier_remove);
    expect_success(waiting);
}

TEST_F(BarrierTest, AWaitEndsWithABarrierThatItCouldNeverRead) {
    for (const auto needs : {ExistsNeeds::read, ExistsNeeds::nothing}) {
        servers().exists_needs = needs;
        run(&initiate_barrier_set);
        servers().hide_node("/gate/barrier");
        const auto waiting = wait();
        settle();
        EXPECT_EQ(waiting->times, 0);
        run(&initiate_barrier_remove);
        expect_success(waiting);
    }
}

TEST_F(BarrierTest, AWaitGoesOnThoughItsEventWasLost) {
    run(&initiate_barrier_set);
    connect();
    const auto waiting = wait();
    settle();
    world.client(0).lose_next_event = true;
    run(&initiate_barrier_remove);
    const auto before = world.client(0).now();
    expect_success(waiting);
    EXPECT_LE(world.client(0).now() - before, FakeEnsemble::session_timeout * 3 / 2);
    EXPECT_FALSE(world.client(0).lose_next_event) << "there was one";
}

} // namespace
} // namespace docent::detail
