// SPDX-License-Identifier: Apache-2.0
#include "client/core/forwarding_view.hpp"
#include "lease_fixture.hpp"

#include <docent/error_policy.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

TEST_F(LeaseTest, IsHeld) {
    EXPECT_TRUE(lease);
    EXPECT_TRUE(lease.owns());
    EXPECT_EQ(lease.state(), LeaseState::held);
    EXPECT_EQ(lease.node_path(), world.first());
    EXPECT_GT(lease.fencing_token(), 0);
    EXPECT_FALSE(stop.stop_requested());
}

TEST_F(LeaseTest, StaysHeldWhileHeartbeatsAreAnswered) {
    run_for(milliseconds{60'000});
    EXPECT_EQ(lease.state(), LeaseState::held);
}

TEST_F(LeaseTest, TellsForHowLongItIsCertainlyHeld) {
    const auto remaining = lease.remaining();
    EXPECT_GT(remaining, milliseconds{0});
    cut_off(0);
    run_for(milliseconds{1});
    const auto later = lease.remaining();
    EXPECT_LT(later, remaining);
    const auto bound = client(0).boot_now() + later;
    ASSERT_TRUE(world.run_until([&] { return lease.remaining() == milliseconds{0}; }));
    EXPECT_FALSE(lease.owns());
    EXPECT_GE(client(0).boot_now(), bound);
    EXPECT_EQ(Lease().remaining(), milliseconds{0});
}

TEST_F(LeaseTest, IsSuspendedAndHeldWithoutAConnection) {
    cut_off(0);
    EXPECT_EQ(lease.state(), LeaseState::suspended);
    EXPECT_TRUE(lease.owns());
    reconnect(0);
    EXPECT_EQ(lease.state(), LeaseState::held);
}

TEST_F(LeaseTest, IsLostWhenTheBoundPassesBeforeTheServerCanGiveTheLockAway) {
    cut_off(0);
    run_until_stopped();
    EXPECT_EQ(lease.state(), LeaseState::lost);
    EXPECT_FALSE(is_removed()) << "the session had expired before";
}

TEST_F(LeaseTest, ALossIsFinalAlsoIfTheSessionComesBack) {
    cut_off(0);
    run_until_stopped();
    reconnect(0);
    EXPECT_EQ(client(0).session().epoch, 1u);
    EXPECT_EQ(lease.state(), LeaseState::lost);
    settle();
    EXPECT_TRUE(is_removed()) << "a lost lease must not block the lock";
}

TEST_F(LeaseTest, ALeaseThatWasSeenLostIsNeverSeenHeldAgain) { // the reader sees the loss before the strand does
    world.surroundings().now += FakeEnsemble::session_timeout;
    EXPECT_EQ(lease.state(), LeaseState::lost);
    client(0).validity_clock()->extend(client(0).boot_now() + milliseconds{1000});
    EXPECT_EQ(lease.state(), LeaseState::lost);
    run_until_stopped();
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(LeaseTest, IsLostWithItsSession) {
    world.inflict(Fault::end_session, 0);
    run_until_stopped();
    EXPECT_EQ(lease.state(), LeaseState::lost);
}

TEST_F(LeaseTest, OfANodeOfAnotherSessionIsLostFromTheBeginning) {
    const GrantedNode node{lease.node_path(), lease.fencing_token(), client(0).session().epoch + 1};
    const auto other = NodeLease::make(world.share(0), node, [this] { return client(0).boot_now(); });
    EXPECT_EQ(other->state(), LeaseState::lost);
    EXPECT_TRUE(other->stop_token().stop_requested());
}

TEST_F(LeaseTest, IsLostWhenTheClientIsClosed) {
    client(0).close();
    EXPECT_EQ(lease.state(), LeaseState::lost);
    EXPECT_TRUE(stop.stop_requested());
    lease = Lease{}; // may be replaced at any time
}

TEST_F(LeaseTest, OfAShortHoldIsNotWatched) {
    EXPECT_LE(client(0).requests_sent(), 7u); // create, list, parent, create, list; a heartbeat or two
}

TEST_F(LeaseTest, LearnsOfItsDeletionWithTheFirstHeartbeat) {
    world.surroundings().ensemble.delete_node(lease.node_path());
    run_until_stopped();
    EXPECT_EQ(lease.state(), LeaseState::lost);
    EXPECT_EQ(client(0).open_removals(), 0u) << "there is nothing to remove";
}

TEST_F(LeaseTest, LearnsOfALaterDeletionByItsWatch) {
    run_until_watched();
    EXPECT_LT(time_from_deletion_to_stop(), milliseconds{100});
}

TEST_F(LeaseTest, OfAWaiterTakesOverItsWatch) {
    const auto next = start(1);
    run_until_parked(1);
    lease = Lease{};
    wait_for(next);
    const auto sent = client(1).requests_sent();
    world.surroundings().ensemble.delete_node(next->lease.node_path());
    ASSERT_TRUE(world.run_until([&] { return next->lease.stop_token().stop_requested(); }));
    EXPECT_LE(client(1).requests_sent() - sent, 1u); // a heartbeat
}

TEST_F(LeaseTest, OfAHolderThatNeedsTimeToStopWatchesItsNodeBeforeTheFirstHeartbeat) {
    lease.keep_node_when_lost();
    ASSERT_TRUE(world.run_until([&] { return !client(0).next_request().empty(); }));
    EXPECT_TRUE(client(0).next_request().starts_with("read")) << client(0).next_request();
    settle();
    EXPECT_LT(time_from_deletion_to_stop(), FakeEnsemble::session_timeout / 32);
}

TEST_F(LeaseTest, OfAHolderThatNeedsTimeToStopIsNotWatchedIfItEndsSoon) {
    const auto sent = client(0).requests_sent();
    lease.keep_node_when_lost();
    run_for(milliseconds{20});
    EXPECT_EQ(client(0).requests_sent(), sent);
}

TEST_F(LeaseTest, SendsNothingBeforeTheFirstHeartbeat) {
    const auto sent = client(0).requests_sent();
    run_for(milliseconds{5});
    EXPECT_EQ(client(0).requests_sent(), sent);
}

TEST_F(LeaseTest, LearnsOfADeletionAfterAChange) {
    run_until_watched();
    world.surroundings().ensemble.change_node(lease.node_path());
    settle();
    run_for(milliseconds{50});
    EXPECT_LT(time_from_deletion_to_stop(), milliseconds{100});
}

TEST_F(LeaseTest, LearnsOfADeletionWhileItWasSuspended) {
    run_until_watched();
    client(0).break_link();
    world.surroundings().ensemble.delete_node(lease.node_path());
    run_until_stopped();
}

TEST_F(LeaseTest, IsLostIfAnotherNodeTookItsPathBeforeTheFirstHeartbeat) {
    auto& ensemble = world.surroundings().ensemble;
    ASSERT_TRUE(world.run_until([&] { return client(1).linked(); }));
    ensemble.delete_node(lease.node_path());
    ensemble.apply(client(1).session().session_id, zk::CreateRequest{.path = lease.node_path(), .mode = CreateMode::ephemeral});
    run_until_stopped();
    EXPECT_EQ(lease.state(), LeaseState::lost);
    lease = Lease{};
    settle();
    EXPECT_EQ(world.queue(), std::vector{core->path()}) << "the other client keeps its node";
}

TEST_F(LeaseTest, WatchesAgainWhenTheFirstReadWasLost) {
    ASSERT_TRUE(world.run_until([&] { return client(0).can_beat(); }));
    client(0).beat();
    client(0).break_link();
    run_until_watched();
    EXPECT_LT(time_from_deletion_to_stop(), milliseconds{100});
}

// ---- release

TEST_F(LeaseTest, ReleaseWaitsForTheServer) {
    EXPECT_EQ(result_of(release()), error_code{});
    EXPECT_TRUE(is_removed());
    EXPECT_EQ(lease.state(), LeaseState::released);
    EXPECT_FALSE(lease.owns());
    EXPECT_FALSE(stop.stop_requested()) << "released is not lost";
}

TEST_F(LeaseTest, ReleasingAgainDoesNothing) {
    for (int n = 0; n < 2; ++n) {
        EXPECT_EQ(result_of(release()), error_code{});
    }
}

TEST_F(LeaseTest, ReleaseOfALostLeaseSaysSo) {
    cut_off(0);
    ASSERT_TRUE(world.run_until([&] { return lease.state() == LeaseState::lost; }));
    client(0).unreachable = false;
    EXPECT_EQ(result_of(release()), error::lease_lost);
    EXPECT_EQ(lease.state(), LeaseState::lost);
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(LeaseTest, ReleaseWithoutAConnectionReturnsAtOnceAndIsDoneLater) {
    cut_off(0);
    const auto outcome = release();
    const auto before = world.surroundings().now;
    wait_for(outcome);
    EXPECT_LT(world.surroundings().now - before, milliseconds{100});
    EXPECT_EQ(outcome->ec, error_code{});
    EXPECT_FALSE(is_removed());
    client(0).unreachable = false;
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(LeaseTest, ReleaseIsNotUndoneByCancellation) {
    asio::cancellation_signal signal;
    const auto outcome = run([&](Handler<> handler) {
        initiate_release(core, {}, asio::bind_cancellation_slot(signal.slot(), std::move(handler)));
    });
    signal.emit(asio::cancellation_type::terminal);
    wait_for(outcome);
    settle();
    EXPECT_EQ(outcome->times, 1);
    EXPECT_TRUE(is_removed());
}

TEST_F(LeaseTest, ReleaseHappensAlsoIfStoppedBefore) {
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_EQ(result_of(release({.stop = stopped.get_token()})), asio::error::operation_aborted);
    EXPECT_EQ(lease.state(), LeaseState::released);
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(LeaseTest, OnceReleasedDoesNotWatchItsNodeAfterAReconnect) {
    cut_off(0);
    core->release(*view(), {});
    client(0).unreachable = false;
    std::set<std::string> requests;
    ASSERT_TRUE(world.run_until([&] {
        requests.insert(client(0).next_request());
        return is_removed() && world.all_idle();
    }));
    EXPECT_TRUE(requests.contains("remove " + core->path()));
    EXPECT_FALSE(requests.contains("read " + core->path() + " with a watch"));
}

TEST_F(LeaseTest, DestructionReleases) {
    lease = Lease{};
    EXPECT_EQ(core->state(), LeaseState::released) << "at once";
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(LeaseTest, MovesWithoutReleasing) {
    Lease other = std::move(lease);
    EXPECT_FALSE(lease); // NOLINT: moved from on purpose
    EXPECT_TRUE(other.owns());
    settle();
    EXPECT_FALSE(is_removed());
}

TEST_F(LeaseTest, OfNothing) {
    const Lease empty;
    EXPECT_FALSE(empty);
    EXPECT_FALSE(empty.owns());
    EXPECT_FALSE(empty.stop_token().stop_possible());
    EXPECT_EQ(empty.node_path(), "");
}

TEST_F(LeaseTest, ReleaseOfNothingClearsAnEarlierError) {
    error_code ec = error::not_acquired;
    Lease().release(ec);
    EXPECT_EQ(ec, error_code{});
}

// ---- waiting for the loss

TEST_F(LeaseTest, WaitingForItsLossEndsWithIt) {
    const auto outcome = await_loss();
    run_for(milliseconds{100});
    EXPECT_FALSE(outcome->arrived());
    world.inflict(Fault::end_session, 0);
    EXPECT_EQ(result_of(outcome), error_code{});
}

TEST_F(LeaseTest, WaitingForItsLossEndsAtOnceIfItIsLost) {
    world.inflict(Fault::end_session, 0);
    run_until_stopped();
    EXPECT_EQ(result_of(await_loss()), error_code{});
}

TEST_F(LeaseTest, WaitingForItsLossIsAbortedByRelease) {
    const auto outcome = await_loss();
    run_for(milliseconds{100});
    lease = Lease{};
    EXPECT_EQ(result_of(outcome), asio::error::operation_aborted);
}

TEST_F(LeaseTest, WaitingForItsLossCanBeCancelled) {
    asio::cancellation_signal signal;
    const auto outcome = run([&](Handler<> handler) {
        initiate_wait_lost(core, {}, asio::bind_cancellation_slot(signal.slot(), std::move(handler)));
    });
    run_for(milliseconds{100});
    signal.emit(asio::cancellation_type::partial);
    EXPECT_EQ(result_of(outcome), asio::error::operation_aborted);
    EXPECT_TRUE(lease.owns());
}

TEST_F(LeaseTest, NothingKeepsItAliveAfterItsEnd) {
    const std::weak_ptr<LeaseCore> weak = core;
    const auto outcome = await_loss();
    run_for(milliseconds{1000});
    core.reset();
    lease = Lease{};
    wait_for(outcome);
    settle();
    world.step(); // runs the handlers
    EXPECT_TRUE(weak.expired());
}

/// A lease of a client with ErrorPolicy::standard(): it ends with the connection.
class StandardPolicyLeaseTest : public LeaseTest {
protected:
    class WithPolicy final : public ForwardingView {
    public:
        using ForwardingView::ForwardingView;
        const ClientConfig& config() const override { return config_; }

    private:
        const ClientConfig config_{.error_policy = ErrorPolicy::standard()};
    };
    std::shared_ptr<ClientView> view() override { return std::make_shared<WithPolicy>(world.share(0)); }
};

TEST_F(StandardPolicyLeaseTest, IsLostWithTheConnectionWithoutAnyCall) {
    cut_off(0);
    EXPECT_TRUE(stop.stop_requested());
    EXPECT_EQ(lease.state(), LeaseState::lost);
    reconnect(0);
    EXPECT_EQ(client(0).session().epoch, 1u);
    settle();
    EXPECT_TRUE(is_removed()) << "others need not wait for the session's end";
}

TEST_F(StandardPolicyLeaseTest, IsLostForACallerThatAsksBeforeTheStrandHears) {
    client(0).validity_clock()->set_suspended(true);
    EXPECT_EQ(lease.state(), LeaseState::lost);
    client(0).validity_clock()->set_suspended(false);
    EXPECT_EQ(lease.state(), LeaseState::lost);
    run_until_stopped();
    settle();
    EXPECT_TRUE(is_removed());
}

// ---- a node that is kept

/// A lease that was lost while its session survived, and whose client knows that.
class KeptNodeTest : public LeaseTest {
protected:
    void SetUp() override {
        LeaseTest::SetUp();
        lease.keep_node_when_lost();
        world.surroundings().now += FakeEnsemble::session_timeout;
        EXPECT_EQ(lease.state(), LeaseState::lost);
        client(0).validity_clock()->extend(client(0).boot_now() + milliseconds{1000});
        run_until_stopped();
        settle();
        ASSERT_FALSE(is_removed()) << "nobody else is admitted while the holder stops";
        ASSERT_EQ(client(0).session().epoch, 1u);
    }
};

TEST_F(KeptNodeTest, GoesWithTheRelease) {
    EXPECT_EQ(result_of(release()), error::lease_lost);
    EXPECT_TRUE(is_removed()) << "it has waited for the server";
}

TEST_F(KeptNodeTest, GoesWithTheLease) {
    lease = Lease{};
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(KeptNodeTest, IsRemovedOnce) {
    for (int n = 0; n < 2; ++n) {
        const auto outcome = release();
        ASSERT_TRUE(world.run_until([&] {
            EXPECT_TRUE(n == 0 || client(0).open_removals() == 0);
            return outcome->arrived();
        }));
        EXPECT_EQ(outcome->ec, error::lease_lost);
    }
    EXPECT_TRUE(is_removed());
}

TEST_F(LeaseTest, TheNodeOfALostAndDestroyedLeaseIsNotKept) {
    lease.keep_node_when_lost();
    world.surroundings().now += FakeEnsemble::session_timeout;
    EXPECT_EQ(lease.state(), LeaseState::lost);
    lease = Lease{};
    client(0).validity_clock()->extend(client(0).boot_now() + milliseconds{1000});
    settle();
    EXPECT_TRUE(is_removed());
}

} // namespace
} // namespace docent::detail
