// SPDX-License-Identifier: Apache-2.0
#include "barrier/barrier_core.hpp"
#include "world_test.hpp"

#include <docent/recipes/barrier/distributed_barrier.hpp>

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>

namespace docent::detail {
namespace {

/// A client that waits at a barrier, and a client that sets and removes it.
class BarrierTest : public WorldTest {
protected:
    using Initiate = void (*)(const std::shared_ptr<BarrierCore>&, CallOptions, Handler<>);

    BarrierTest() : WorldTest(2) {}
    AnswerPtr begin(Initiate initiate, std::size_t index, CallOptions call = {}) {
        return answer_of([&](auto handler) { initiate(barriers[index], std::move(call), std::move(handler)); });
    }
    AnswerPtr wait(CallOptions call = {}) { return begin(&initiate_barrier_wait, 0, std::move(call)); }
    void run(Initiate initiate) { expect(begin(initiate, 1)); }

    std::shared_ptr<BarrierCore> barriers[2] = {std::make_shared<BarrierCore>(world.share(0), "/gate/barrier"),
                                                std::make_shared<BarrierCore>(world.share(1), "/gate/barrier")};
};

TEST_F(BarrierTest, WhereThereIsNoneItGoesOnAtOnce) {
    expect(wait());
}

TEST_F(BarrierTest, ItIsANodeWithTheDefaultDataThatMayBeThereAlreadyAndMayHaveGone) {
    run(&initiate_barrier_set);
    const TreeNode* node = truth().find("/gate/barrier");
    ASSERT_TRUE(node);
    EXPECT_EQ(node->mode, CreateMode::persistent);
    EXPECT_EQ(node->data, client(1).default_data());
    EXPECT_EQ(truth().find("/gate")->mode, CreateMode::container);
    run(&initiate_barrier_set);
    run(&initiate_barrier_remove);
    EXPECT_FALSE(truth().find("/gate/barrier"));
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
    expect(waiting);
}

TEST_F(BarrierTest, GoesOnAlsoIfItWasSetAgainBeforeItCouldLook) {
    run(&initiate_barrier_set);
    const auto waiting = wait();
    settle();
    client(0).break_link({});
    client(0).unreachable = true;
    run(&initiate_barrier_remove);
    run(&initiate_barrier_set);
    client(0).unreachable = false;
    expect(waiting);
}

TEST_F(BarrierTest, TheEndOfTheSessionEndsNoWait) {
    run(&initiate_barrier_set);
    const auto waiting = wait();
    settle();
    world.inflict(Fault::end_session, 0);
    ASSERT_TRUE(world.run_until([&] { return client(0).session().epoch == 2 && client(0).linked(); }));
    settle();
    EXPECT_EQ(waiting->times, 0);
    run(&initiate_barrier_remove);
    expect(waiting);
}

TEST_F(BarrierTest, LostRepliesOfSettingAndRemovingAreResolved) {
    for (const auto initiate : {&initiate_barrier_set, &initiate_barrier_remove}) {
        for (int steps = 0; steps < 15; ++steps) {
            SCOPED_TRACE(steps);
            connect();
            const auto answer = begin(initiate, 1);
            for (int n = 0; n < steps; ++n) world.step();
            lose_replies(1);
            expect(answer);
        }
        EXPECT_EQ(truth().find("/gate/barrier") != nullptr, initiate == &initiate_barrier_set);
    }
}

TEST_F(BarrierTest, AWaitEndsWithItsTimeItsCancellationAndItsClient) {
    run(&initiate_barrier_set);
    connect();
    const auto in_time = wait({.timeout = std::chrono::milliseconds(300)});
    expect(in_time, server_error::operation_timeout);
    std::stop_source stop;
    const auto stopped = wait({.stop = stop.get_token()});
    settle();
    stop.request_stop();
    expect(stopped, asio::error::operation_aborted);
    const auto last = wait();
    settle();
    client(0).close();
    expect(last, error::closed);
}

// ---- nodes that may not be read, and events that never come

TEST_F(BarrierTest, AWaitGoesOnThoughTheBarrierBecameUnreadableBeforeItWasRemoved) {
    run(&initiate_barrier_set);
    const auto waiting = wait();
    settle();
    servers().hide_node("/gate/barrier");
    run(&initiate_barrier_remove);
    expect(waiting);
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
        expect(waiting);
    }
}

TEST_F(BarrierTest, AWaitGoesOnThoughItsEventWasLost) {
    run(&initiate_barrier_set);
    connect();
    const auto waiting = wait();
    settle();
    client(0).lose_next_event = true;
    run(&initiate_barrier_remove);
    const auto before = client(0).now();
    expect(waiting);
    EXPECT_LE(client(0).now() - before, FakeEnsemble::session_timeout * 3 / 2);
    EXPECT_FALSE(client(0).lose_next_event) << "there was one";
}

} // namespace
} // namespace docent::detail
