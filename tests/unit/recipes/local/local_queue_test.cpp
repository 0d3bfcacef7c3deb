// SPDX-License-Identifier: Apache-2.0
#include "client/core/forwarding_view.hpp"
#include "local_fixture.hpp"
#include "revocation/request.hpp"
#include "views.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <stop_token>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace docent::detail {
namespace {

TEST_F(LocalQueueTest, TheNextHoldIsThereAtOnce) {
    const auto mutex = kept_lock();
    const auto before = sent(0);
    Lease lease = mutex->acquire_at_once({});
    ASSERT_TRUE(lease);
    EXPECT_TRUE(lease.owns());
    EXPECT_FALSE(mutex->acquire_at_once({})) << "it is held";
    lease = Lease{};
    EXPECT_TRUE(mutex->acquire_at_once({}));
    EXPECT_EQ(sent(0), before);
}

TEST_F(LocalQueueTest, AllObjectsOfAClientShareIt) {
    const auto mutex = kept_lock();
    EXPECT_TRUE(keeping(0)->acquire_at_once({}));
    EXPECT_FALSE(keeping(1)->acquire_at_once({})) << "another client";
    EXPECT_FALSE(lock(0, {.node_data = "other", .keep_for = kept})->acquire_at_once({})) << "another lock's node";
}

TEST_F(LocalQueueTest, TheTokenIsTheNodesAndHoldsAreCounted) {
    const auto mutex = keeping(0);
    Lease first = acquire_on(mutex);
    EXPECT_EQ(first.hold_number(), 1U);
    const auto token = first.fencing_token();
    first = Lease{};
    settle();
    const Lease second = mutex->acquire_at_once({});
    EXPECT_EQ(second.fencing_token(), token);
    EXPECT_EQ(second.hold_number(), 2U);
}

TEST_F(LocalQueueTest, AContenderRecallsIt) {
    const auto mutex = kept_lock();
    const Lease other = acquire(1);
    EXPECT_TRUE(other.owns());
    EXPECT_FALSE(mutex->acquire_at_once({}));
    settle();
    EXPECT_EQ(world.queue(), std::vector{other.node_path()});
}

TEST_F(LocalQueueTest, ARecallDoesNotInterruptAHolder) {
    const auto mutex = kept_lock();
    Lease lease = mutex->acquire_at_once({});
    const auto other = start(1);
    settle();
    EXPECT_FALSE(other->arrived());
    EXPECT_TRUE(lease.owns());
    lease = Lease{};
    wait_for(other);
    EXPECT_TRUE(other->lease.owns());
}

TEST_F(LocalQueueTest, AContenderThatComesBackAfterAnotherEntersAtOnce) {
    const auto mutex = kept_lock();
    Lease other = acquire(1);
    const auto again = start_on(mutex);
    settle();
    EXPECT_FALSE(again->arrived());
    other = Lease{};
    wait_for(again);
    EXPECT_TRUE(again->lease.owns());
}

TEST_F(LocalQueueTest, AHandlerIsNotCalledWhenTheHoldIsOver) {
    asio::io_context late; // an executor that the test runs
    const auto mutex = kept_lock({.max_hold = milliseconds{500}, .keep_for = kept});
    Lease lease = mutex->acquire_at_once({});
    int asked = 0;
    lease.make_revocable([&] { ++asked; }, late.get_executor());
    run_for(milliseconds{100});
    world.surroundings().ensemble.change_node(lease.node_path(), revocation_request);
    run_for(milliseconds{100});     // the call waits on the executor
    client(0).let_pass(seconds{1}); // the hold is over, and no code has noticed that
    EXPECT_GT(late.run(), 0u);
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(lease.state(), LeaseState::expired);
}

/// A client that has no room for the watch of the queue.
class FullView final : public ForwardingView {
public:
    using ForwardingView::ForwardingView;

    void submit(zk::Request request, zk::ReplyHandler handler) override {
        const auto* const list = std::get_if<zk::ChildrenRequest>(&request);
        if (list == nullptr || !list->watch) return ForwardingView::submit(std::move(request), std::move(handler));
        post([handler = std::move(handler)] { handler({.ec = error::too_many_watches}); });
    }
};

TEST_F(LocalQueueTest, NothingIsKeptIfTheQueueCannotBeWatched) {
    for (const LeaseTerms& terms : {LeaseTerms{.keep_for = kept}, LeaseTerms{.keep_for = kept, .max_local_handovers = 1}}) {
        const auto view = std::make_shared<FullView>(world.share(0));
        const auto mutex = std::make_shared<MutexCore>(view, "/lock", boot_now(0), terms);
        for (const Kind kind : {Kind::forever, Kind::not_at_all, Kind::forever}) {
            const auto outcome = start_on(mutex, {kind});
            EXPECT_EQ(result_of(outcome), error_code{});
            EXPECT_TRUE(outcome->lease.owns());
            outcome->lease = Lease{};
        }
        settle();
        EXPECT_TRUE(world.queue().empty()) << "others could not recall it";
    }
}

TEST_F(LocalQueueTest, AnIdleNodeIsReleasedAfterItsTime) {
    const auto mutex = kept_lock({.keep_for = milliseconds{400}});
    const auto end = world.surroundings().now + seconds{2};
    for (int uses = 0; world.surroundings().now < end; ++uses) {
        ASSERT_TRUE(mutex->acquire_at_once({})) << "after " << uses;
        run_for(milliseconds{100});
    }
    ASSERT_TRUE(world.run_until([&] { return world.queue().empty(); }));
    EXPECT_LE(world.surroundings().now - end, milliseconds{450});
    EXPECT_TRUE(acquire_on(mutex).owns()) << "and may be had again";
}

TEST_F(LocalQueueTest, ALostNodeIsNoHoldsAnyMore) {
    const auto mutex = kept_lock();
    const Lease lease = mutex->acquire_at_once({});
    const std::stop_token stop = lease.stop_token();
    world.inflict(Fault::end_session, 0);
    ASSERT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
    EXPECT_EQ(lease.state(), LeaseState::lost);
    EXPECT_FALSE(mutex->acquire_at_once({}));
    EXPECT_TRUE(acquire_on(mutex).owns()) << "by another node";
    EXPECT_EQ(lease.state(), LeaseState::lost);
}

TEST_F(LocalQueueTest, NothingIsGivenFromAnUncertainNode) {
    const auto mutex = kept_lock();
    client(0).let_pass(seconds{60});
    EXPECT_FALSE(mutex->acquire_at_once({}));
}

TEST_F(LocalQueueTest, AHeldNodeThatIsDeletedEndsTheHold) {
    const auto mutex = kept_lock();
    const Lease lease = mutex->acquire_at_once({});
    run_for(seconds{2});
    world.inflict(Fault::delete_node);
    ASSERT_TRUE(world.run_until([&] { return lease.state() == LeaseState::lost; }));
}

TEST_F(LocalQueueTest, AReleasedHoldsTokenDoesNotStopWithTheNode) {
    const auto mutex = kept_lock();
    Lease lease = mutex->acquire_at_once({});
    const std::stop_token stop = lease.stop_token();
    lease = Lease{};
    settle();
    world.inflict(Fault::end_session, 0);
    settle();
    EXPECT_FALSE(stop.stop_requested());
}

TEST_F(LocalQueueTest, TheTokenOfAHoldThatHasExpiredIsStopped) {
    const auto mutex = kept_lock({.max_hold = milliseconds{500}, .keep_for = kept});
    const Lease lease = mutex->acquire_at_once({});
    ASSERT_TRUE(world.run_until([&] { return lease.state() == LeaseState::expired; }));
    const std::stop_token stop = lease.stop_token();
    EXPECT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
}

TEST_F(LocalQueueTest, TheTokenOfAHoldThatIsLostIsStopped) {
    const auto mutex = kept_lock();
    const Lease lease = mutex->acquire_at_once({});
    world.inflict(Fault::end_session, 0);
    ASSERT_TRUE(world.run_until([&] { return lease.state() == LeaseState::lost; }));
    const std::stop_token stop = lease.stop_token();
    EXPECT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
}

TEST_F(LocalQueueTest, TheTokenOfALostHoldIsStoppedAlsoAfterMakeRevocable) {
    const auto mutex = kept_lock();
    Lease lease = mutex->acquire_at_once({});
    world.inflict(Fault::end_session, 0);
    ASSERT_TRUE(world.run_until([&] { return lease.state() == LeaseState::lost; }));
    lease.make_revocable([] {});
    const std::stop_token stop = lease.stop_token();
    EXPECT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
}

/// No caller asks for the state of the hold after the loss and before stop_token().
TEST_F(LocalQueueTest, TheStopTokenOfAnUnnoticedLossFires) {
    const auto mutex = kept_lock();
    const Lease lease = mutex->acquire_at_once({});
    client(0).let_pass(seconds{60});
    const std::stop_token stop = lease.stop_token();
    EXPECT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
    EXPECT_EQ(lease.state(), LeaseState::lost);
}

TEST_F(LocalQueueTest, AReleaseEndsWaitsForTheLoss) {
    const auto mutex = kept_lock();
    Lease lease = mutex->acquire_at_once({});
    const auto lost = run([&](Handler<> handler) { initiate_wait_lost(Access::core(lease), {}, std::move(handler)); });
    settle();
    const auto released = run([&](Handler<> handler) { initiate_release(Access::core(lease), {}, std::move(handler)); });
    EXPECT_EQ(result_of(released), error_code{});
    EXPECT_EQ(result_of(lost), asio::error::operation_aborted);
    EXPECT_EQ(lease.state(), LeaseState::released);
    EXPECT_TRUE(mutex->acquire_at_once({}));
}

TEST_F(LocalQueueTest, AHoldEndsAtItsTimeAndTheNextOneHasItsOwn) {
    const auto mutex = kept_lock({.max_hold = milliseconds{500}, .keep_for = kept});
    const Lease lease = mutex->acquire_at_once({});
    const std::stop_token stop = lease.stop_token();
    ASSERT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
    EXPECT_EQ(lease.state(), LeaseState::expired);
    const Lease next = mutex->acquire_at_once({});
    ASSERT_TRUE(next);
    EXPECT_EQ(lease.state(), LeaseState::expired);
    EXPECT_TRUE(next.owns());
    EXPECT_EQ(next.fencing_token(), lease.fencing_token());
}

TEST_F(LocalQueueTest, AHoldThatKeepsItsNodeWhenItExpiresKeepsOthersOut) {
    const auto mutex = kept_lock({.max_hold = milliseconds{500}, .keep_for = kept});
    Lease lease = mutex->acquire_at_once({});
    lease.keep_node_when_lost();
    ASSERT_TRUE(world.run_until([&] { return lease.state() == LeaseState::expired; }));
    EXPECT_FALSE(mutex->acquire_at_once({}));
    lease = Lease{};
    EXPECT_TRUE(mutex->acquire_at_once({}));
}

TEST_F(LocalQueueTest, AHoldThatWouldKeepItsNodeGivesTheNodeBackWhenItIsReleased) {
    const auto mutex = kept_lock();
    Lease lease = mutex->acquire_at_once({});
    lease.keep_node_when_lost();
    lease.release();
    EXPECT_EQ(lease.state(), LeaseState::released);
    EXPECT_TRUE(mutex->acquire_at_once({})) << "the released lease still exists";
}

TEST_F(LocalQueueTest, AReleaseAtOnceClearsAnEarlierError) {
    const auto mutex = kept_lock();
    Lease lease = mutex->acquire_at_once({});
    error_code ec = error::not_acquired;
    lease.release(ec);
    EXPECT_EQ(ec, error_code{});
    EXPECT_EQ(lease.state(), LeaseState::released);
}

/// No caller looks at the hold: its timer ends it.
TEST_F(LocalQueueTest, AnExtendedHoldOfAHungHolderEndsAtItsNewTime) {
    const auto mutex = lock(0, {.max_hold = milliseconds{500}, .max_local_handovers = 100});
    const Lease hangs = acquire_on(mutex);
    const auto next = start_on(mutex);
    error_code ec;
    hangs.extend(seconds{2}, ec);
    ASSERT_EQ(ec, error_code{});
    run_for(milliseconds{1500});
    EXPECT_FALSE(next->arrived());
    wait_for(next);
    EXPECT_TRUE(next->lease.owns());
    EXPECT_EQ(hangs.state(), LeaseState::expired);
}

TEST_F(LocalQueueTest, ARequestForItIsHeard) {
    const auto mutex = kept_lock();
    Lease lease = mutex->acquire_at_once({});
    int asked = 0;
    lease.make_revocable([&] { ++asked; }, world.share(0)->executor());
    settle();
    world.surroundings().ensemble.change_node(lease.node_path(), std::string(revocation_request));
    ASSERT_TRUE(world.run_until([&] { return asked == 1; }));
    lease = Lease{};
    ASSERT_TRUE(world.run_until([&] { return world.queue().empty(); })) << "it is given back";
}

TEST_F(LocalQueueTest, AnIdleNodeThatIsAskedForIsGivenBack) {
    const auto mutex = kept_lock();
    const auto node = world.queue().front();
    world.surroundings().ensemble.change_node(node, std::string(revocation_request));
    ASSERT_TRUE(world.run_until([&] { return world.queue().empty(); }));
}

TEST_F(LocalQueueTest, TryingFindsAKeptNodeFree) {
    const auto mutex = keeping(0);
    std::ignore = acquire_on(mutex);
    const auto tried = start_on(mutex, {Kind::not_at_all}); // before the client knows whether another client waits
    EXPECT_EQ(result_of(tried), error_code{});
    const auto second = start_on(mutex, {Kind::not_at_all});
    EXPECT_EQ(result_of(second), error::not_acquired);
}

TEST_F(LocalQueueTest, WithoutHandoversAThreadOfThisProcessStandsBehindAnotherProcess) {
    const auto mutex = kept_lock();
    Lease lease = mutex->acquire_at_once({});
    const auto other = start(1);
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 2; }));
    const auto second = start_on(mutex);
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 3; }));
    lease = Lease{};
    wait_for(other);
    EXPECT_FALSE(second->arrived());
    other->lease = Lease{};
    wait_for(second);
}

TEST_F(LocalQueueTest, ItIsHandedOnByOneNodeInTheOrderOfArrival) {
    const auto mutex = handing_on(0, 100);
    std::vector<OutcomePtr> outcomes;
    for (int i = 0; i < 5; ++i) outcomes.push_back(start_on(mutex));
    wait_for(outcomes[0]);
    settle();
    EXPECT_EQ(world.queue().size(), 1U);
    const auto before = sent(0);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        wait_for(outcomes[i]);
        EXPECT_TRUE(i + 1 == outcomes.size() || !outcomes[i + 1]->arrived());
        outcomes[i]->lease = Lease{};
    }
    EXPECT_LE(sent(0) - before, 1U); // a heartbeat
    ASSERT_TRUE(world.run_until([&] { return world.queue().empty(); })) << "it is not kept";
}

TEST_F(LocalQueueTest, AfterSoManyHandoversTheOtherProcessGetsItsTurn) {
    const auto mutex = handing_on(0, 2);
    std::vector<OutcomePtr> outcomes;
    for (int i = 0; i < 5; ++i) outcomes.push_back(start_on(mutex));
    wait_for(outcomes[0]);
    const auto other = start(1);
    settle();
    for (std::size_t i = 0; i < 3; ++i) {
        wait_for(outcomes[i]);
        EXPECT_FALSE(other->arrived());
        outcomes[i]->lease = Lease{};
    }
    wait_for(other);
    EXPECT_FALSE(outcomes[3]->arrived());
    other->lease = Lease{};
    wait_for(outcomes[3]);
    outcomes[3]->lease = Lease{};
    wait_for(outcomes[4]);
}

TEST_F(LocalQueueTest, AWaiterThatEndsItsWaitIsSkipped) {
    const auto mutex = handing_on(0, 100);
    const auto first = start_on(mutex);
    wait_for(first);
    std::stop_source stop;
    const auto second = start_on(mutex, {}, {.stop = stop.get_token()});
    const auto third = start_on(mutex);
    const auto fourth = start_on(mutex, {Kind::until, client(0).now() + milliseconds{100}});
    settle();
    stop.request_stop();
    EXPECT_EQ(result_of(second), asio::error::operation_aborted);
    EXPECT_EQ(result_of(fourth), error::not_acquired);
    first->lease = Lease{};
    wait_for(third);
    EXPECT_TRUE(third->lease.owns());
}

TEST_F(LocalQueueTest, WhenAllHaveGivenUpNothingStaysBehind) {
    const Lease other = acquire(1);
    const auto mutex = handing_on(0, 100);
    std::stop_source stop;
    const auto first = start_on(mutex, {}, {.stop = stop.get_token()});
    const auto second = start_on(mutex, {}, {.stop = stop.get_token()});
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 2; }));
    stop.request_stop();
    wait_for(first);
    wait_for(second);
    settle();
    EXPECT_EQ(world.queue(), std::vector{other.node_path()});
}

TEST_F(LocalQueueTest, WaitersGoOnAfterALoss) {
    const auto mutex = handing_on(0, 100);
    const auto first = start_on(mutex);
    const auto second = start_on(mutex);
    wait_for(first);
    settle();
    world.inflict(Fault::end_session, 0);
    EXPECT_EQ(result_of(second), error_code{});
    EXPECT_FALSE(first->lease.owns());
    EXPECT_TRUE(second->lease.owns());
    EXPECT_GT(second->lease.fencing_token(), first->lease.fencing_token());
}

TEST_F(LocalQueueTest, AHoldThatIsLostOnTheWayToItsWaiterIsNotHandedOut) {
    const auto mutex = handing_on(0, 100);
    const auto first = start_on(mutex);
    const auto second = start_on(mutex);
    wait_for(first);
    settle();
    const auto token = first->lease.fencing_token();
    first->lease = Lease{}; // hands the node over
    client(0).let_pass(seconds{60});
    while (client(0).can_run_posted()) client(0).run_posted();
    EXPECT_EQ(result_of(second), error_code{});
    EXPECT_TRUE(second->lease.owns());
    EXPECT_GT(second->lease.fencing_token(), token) << "by another node";
}

/// The reply that grants the node arrives after the last waiter has given up and before its attempt is cancelled.
TEST_F(LocalQueueTest, ANodeThatIsGrantedAfterAllHaveGivenUpIsReleased) {
    std::ignore = acquire(1); // makes the parent
    settle();
    const LeaseTerms terms{.max_local_handovers = 100};
    const auto queue = std::make_shared<LocalQueue>(
        world.share(0), QueuePlace{"/lock", mutex_names(), lock_token, Deletion::admits, terms}, boot_now(0));
    const auto ticket = queue->wait(false, [](const LocalOutcome&) { ADD_FAILURE() << "the waiter has gone"; });
    ASSERT_TRUE(world.run_until([&] { return client(0).next_request().starts_with("list"); }));
    ASSERT_EQ(world.queue().size(), 1U);
    while (client(0).can_serve()) client(0).serve();
    ASSERT_TRUE(queue->give_up(ticket));
    while (client(0).can_deliver()) client(0).deliver();
    settle();
    EXPECT_TRUE(world.queue().empty());
}

TEST_F(LocalQueueTest, WaitersThatGiveUpAtAnyMomentLeaveNoNode) {
    std::ignore = acquire(1); // makes the parent
    const auto mutex = handing_on(0, 100);
    for (int steps = 0; steps < 40; ++steps) {
        SCOPED_TRACE(steps);
        settle();
        std::stop_source stop;
        const auto waiter = start_on(mutex, {}, {.stop = stop.get_token()});
        for (int n = 0; n < steps; ++n) world.step();
        stop.request_stop();
        wait_for(waiter);
        waiter->lease = Lease{};
        settle();
        EXPECT_TRUE(world.queue().empty());
    }
}

/// Another client may have joined the queue meanwhile.
TEST_F(LocalQueueTest, AfterAReconnectNoHoldEntersBeforeTheNextList) {
    const auto mutex = kept_lock();
    cut_off(0);
    const auto other = start(1);
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 2; }));
    reconnect(0);
    EXPECT_FALSE(mutex->acquire_at_once({}));
    wait_for(other);
    EXPECT_TRUE(other->lease.owns());
}

TEST_F(LocalQueueTest, OthersGetAKeptNodeThoughTheConnectionBrokeAtAnyMoment) {
    for (int steps = 0; steps < 40; ++steps) {
        SCOPED_TRACE(steps);
        settle();
        const auto mutex = keeping(0);
        const auto first = start_on(mutex);
        for (int n = 0; n < steps; ++n) world.step();
        if (client(0).linked()) client(0).break_link({});
        wait_for(first);
        first->lease = Lease{};
        const auto released = world.surroundings().now;
        Lease other = acquire(1);
        EXPECT_LT(world.surroundings().now - released, seconds{5}) << "it was not kept from others";
    }
}

TEST_F(LocalQueueTest, AListThatAServerRefusesIsAskedForAgain) {
    const auto mutex = keeping(0);
    const auto first = start_on(mutex);
    ASSERT_TRUE(world.run_until([&] { return first->arrived(); }));
    ASSERT_TRUE(world.run_until([&] { return client(0).next_request().starts_with("list"); }));
    client(0).throttle_next = true;
    settle();
    ASSERT_FALSE(client(0).throttle_next);
    first->lease = Lease{};
    const auto released = world.surroundings().now;
    const Lease other = acquire(1);
    EXPECT_TRUE(other.owns());
    EXPECT_LT(world.surroundings().now - released, seconds{5});
}

TEST_F(LocalQueueTest, ARequestConcernsTheNodeThatItWasWrittenToAndNoLaterNode) {
    const auto mutex = kept_lock();
    world.surroundings().ensemble.change_node(world.queue().front(), std::string(revocation_request));
    ASSERT_TRUE(world.run_until([&] { return world.queue().empty(); }));
    Lease later = acquire_on(mutex);
    int asked = 0;
    later.make_revocable([&] { ++asked; }, world.share(0)->executor());
    run_for(seconds{2});
    EXPECT_EQ(asked, 0);
    EXPECT_TRUE(later.owns());
}

TEST_F(LocalQueueTest, TheQueueOfANodeThatHasGoneIsNotWatchedAnyMore) {
    const auto view = std::make_shared<ForgettingView>(world.share(0));
    const auto mutex = std::make_shared<MutexCore>(view, "/lock", boot_now(0), LeaseTerms{.max_local_handovers = 100});
    std::ignore = acquire_on(mutex);
    settle();
    ASSERT_TRUE(world.queue().empty());
    EXPECT_EQ((view->forgotten[{"/lock", zk::WatchKind::children}]), 1);
}

} // namespace
} // namespace docent::detail
