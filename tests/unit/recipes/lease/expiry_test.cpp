// SPDX-License-Identifier: Apache-2.0

// A lease with `max_hold` of half a second: a tenth of the session timeout.

#include "client/core/access.hpp"
#include "lease_fixture.hpp"

#include <boost/asio/error.hpp>

#include <optional>

namespace docent::detail {
namespace {

using std::chrono::nanoseconds;

class ExpiryTest : public LeaseTest {
protected:
    ExpiryTest() { max_hold = milliseconds{500}; }

    void SetUp() override {
        LeaseTest::SetUp();
        settle();
    }
    nanoseconds left() { return *lease.remaining_hold(); }
    bool ask_to_extend(milliseconds from_now) {
        error_code ec;
        lease.extend(from_now, ec);
        EXPECT_TRUE(!ec || ec == error::lease_lost) << ec;
        return !ec;
    }
    /// Lets the end pass without running the strand: only a caller that asks sees the end.
    void pass_the_end() {
        world.surroundings().now += left();
        EXPECT_EQ(lease.state(), LeaseState::expired);
        EXPECT_FALSE(stop.stop_requested());
    }
};

TEST_F(ExpiryTest, GivesItsPlaceToTheNext) {
    const auto next = start(1);
    run_until_parked(1);
    EXPECT_TRUE(lease.owns());
    EXPECT_EQ(result_of(next), error_code{});
    EXPECT_EQ(lease.state(), LeaseState::expired);
    EXPECT_FALSE(lease.owns());
    EXPECT_TRUE(stop.stop_requested());
    EXPECT_EQ(lease.remaining(), nanoseconds{0});
    EXPECT_EQ(lease.remaining_hold(), nanoseconds{0});
    EXPECT_GT(next->lease.fencing_token(), lease.fencing_token());
}

TEST_F(ExpiryTest, IsOverAtItsEndForEveryCallerWithoutATimer) {
    client(0).let_pass(left() - nanoseconds{1});
    EXPECT_TRUE(lease.owns());
    EXPECT_EQ(lease.remaining(), nanoseconds{1});
    client(0).let_pass(nanoseconds{1});
    EXPECT_FALSE(lease.owns());
    EXPECT_EQ(lease.state(), LeaseState::expired);
    EXPECT_EQ(lease.remaining(), nanoseconds{0});
}

TEST_F(ExpiryTest, StopsItsHolderBeforeTheNodeGoes) {
    std::optional<std::size_t> owed;
    bool was_there = false;
    const std::stop_callback look(stop, [&] {
        owed = client(0).open_removals();
        was_there = !is_removed();
    });
    run_until_stopped();
    EXPECT_EQ(owed, 0u) << "nobody has been asked to remove it";
    EXPECT_TRUE(was_there);
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(ExpiryTest, ComesToAStoppedProcessToo) {
    const auto next = start(1);
    run_until_parked(1);
    const auto node = lease.node_path();
    client(0).freeze(milliseconds{1000});
    run_for(milliseconds{900});
    EXPECT_EQ(world.first(), node) << "nobody is let in before it has stopped";
    wait_for(next);
    EXPECT_TRUE(stop.stop_requested());
    EXPECT_EQ(lease.state(), LeaseState::expired);
}

TEST_F(ExpiryTest, IsALossForAProcessThatStopsForLongerThanItsSession) {
    world.surroundings().now += FakeEnsemble::session_timeout;
    EXPECT_EQ(lease.state(), LeaseState::lost);
    run_until_stopped();
    EXPECT_EQ(lease.state(), LeaseState::lost);
}

TEST_F(ExpiryTest, WithoutAConnectionRemovesTheNodeWhenThereIsOne) {
    cut_off(0);
    run_until_stopped();
    EXPECT_EQ(lease.state(), LeaseState::expired);
    EXPECT_FALSE(is_removed());
    client(0).unreachable = false;
    ASSERT_TRUE(world.run_until([&] { return is_removed(); }));
    EXPECT_EQ(client(0).session().epoch, 1u) << "not the end of the session";
}

TEST_F(ExpiryTest, WithoutAConnectionStaysExpiredWhenTheSessionIsLost) {
    cut_off(0);
    run_until_stopped();
    ASSERT_TRUE(world.run_until([&] { return client(0).session().state == SessionState::lost; }));
    EXPECT_EQ(lease.state(), LeaseState::expired);
}

TEST_F(ExpiryTest, LooksAgainWithEachHeartbeatAsATimerMayStandStill) { // a suspended machine stops its timers
    pass_the_end();
    core->on_heartbeat();
    EXPECT_TRUE(stop.stop_requested());
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(ExpiryTest, LooksAgainWithEachSessionEvent) {
    client(0).let_pass(left());
    core->on_session_event(client(0).session());
    EXPECT_TRUE(stop.stop_requested());
}

// ---- and a release

TEST_F(ExpiryTest, IsTooLateDuringARelease) {
    const auto released = release();
    ASSERT_TRUE(world.run_until([&] { return lease.state() == LeaseState::released; }));
    EXPECT_FALSE(released->arrived()) << "the server has not confirmed it";
    world.surroundings().now += max_hold;
    EXPECT_EQ(result_of(released), error_code{});
    EXPECT_EQ(lease.state(), LeaseState::released);
    EXPECT_FALSE(stop.stop_requested());
}

TEST_F(ExpiryTest, ReleaseSaysSoAndRemovesTheNodeThatTheStrandHasNotComeTo) {
    pass_the_end();
    EXPECT_EQ(result_of(release()), error::lease_lost);
    EXPECT_EQ(lease.state(), LeaseState::expired);
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(ExpiryTest, ALeaseThatIsDroppedMeanwhileLeavesNothing) {
    pass_the_end();
    lease = Lease{};
    settle();
    EXPECT_TRUE(is_removed());
    EXPECT_EQ(core->state(), LeaseState::expired);
}

TEST_F(ExpiryTest, LeavesTheNodeToAHolderThatKeepsIt) {
    lease.keep_node_when_lost();
    run_until_stopped();
    settle();
    EXPECT_FALSE(is_removed());
    EXPECT_EQ(result_of(release()), error::lease_lost);
    EXPECT_TRUE(is_removed()) << "it has waited for the server";
}

TEST_F(ExpiryTest, EndsTheWaitForTheLoss) {
    const auto over = await_loss();
    EXPECT_EQ(result_of(over), error_code{});
    EXPECT_EQ(lease.state(), LeaseState::expired);
    const auto later = await_loss();
    EXPECT_EQ(result_of(later), error_code{});
}

// ---- and other ends

TEST_F(ExpiryTest, DoesNotComeToALostLease) {
    run_until_watched();
    world.surroundings().ensemble.delete_node(lease.node_path());
    run_until_stopped();
    run_for(max_hold);
    EXPECT_EQ(lease.state(), LeaseState::lost);
    EXPECT_EQ(client(0).open_removals(), 0u);
}

TEST_F(ExpiryTest, OfADeletedNodeRemovesNothing) {
    run_until_watched();
    pass_the_end();
    world.surroundings().ensemble.delete_node(lease.node_path());
    run_until_stopped();
    settle();
    EXPECT_EQ(lease.state(), LeaseState::expired);
    EXPECT_EQ(client(0).open_removals(), 0u);
}

TEST_F(ExpiryTest, DoesNotComeAfterTheClientWasClosed) {
    client(0).close();
    world.surroundings().now += max_hold;
    EXPECT_EQ(lease.state(), LeaseState::lost);
}

TEST_F(ExpiryTest, StaysWhenTheClientIsClosed) {
    pass_the_end();
    client(0).close();
    EXPECT_EQ(lease.state(), LeaseState::expired);
    EXPECT_TRUE(stop.stop_requested());
}

TEST_F(ExpiryTest, MovesWithTheLease) {
    const Lease other = std::move(lease);
    run_until_stopped();
    EXPECT_EQ(other.state(), LeaseState::expired);
}

// ---- extend

TEST_F(ExpiryTest, ExtendMovesTheEndFromNowOn) {
    client(0).let_pass(milliseconds{400});
    EXPECT_TRUE(ask_to_extend(milliseconds{2000}));
    EXPECT_EQ(left(), milliseconds{2000});
    const auto end = client(0).boot_now() + left();
    run_until_stopped();
    EXPECT_GE(client(0).boot_now(), end);
    EXPECT_EQ(lease.state(), LeaseState::expired);
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(ExpiryTest, ExtendMovesTheEndAlsoWithoutAConnection) { // no heartbeat looks at the end
    cut_off(0);
    EXPECT_TRUE(ask_to_extend(milliseconds{1000}));
    const auto end = client(0).boot_now() + left();
    run_until_stopped();
    EXPECT_EQ(lease.state(), LeaseState::expired);
    EXPECT_GE(client(0).boot_now(), end);
    EXPECT_LT(client(0).boot_now(), end + milliseconds{100});
}

TEST_F(ExpiryTest, ExtendByAHugeTimeIsForEver) {
    EXPECT_TRUE(ask_to_extend(milliseconds::max()));
    EXPECT_EQ(lease.remaining_hold(), std::nullopt);
    run_for(milliseconds{20'000});
    EXPECT_EQ(lease.state(), LeaseState::held);
}

TEST_F(ExpiryTest, ExtendRevivesNothing) {
    pass_the_end();
    EXPECT_FALSE(ask_to_extend(milliseconds{1000}));
    EXPECT_EQ(lease.state(), LeaseState::expired);
    run_until_stopped();
    EXPECT_FALSE(ask_to_extend(milliseconds{1000}));
    settle();
    EXPECT_TRUE(is_removed());
}

TEST_F(ExpiryTest, ExtendThatComesAtTheEndNoticesIt) { // before any other caller has noticed
    client(0).let_pass(left());
    EXPECT_FALSE(ask_to_extend(milliseconds{1000}));
    EXPECT_EQ(lease.state(), LeaseState::expired);
    run_until_stopped();
}

TEST_F(ExpiryTest, ExtendOfAReleasedLostOrEmptyLeaseFails) {
    EXPECT_THROW(Lease{}.extend(milliseconds{1}), Error);
    world.inflict(Fault::end_session, 0);
    run_until_stopped();
    EXPECT_EQ(lease.state(), LeaseState::lost);
    EXPECT_FALSE(ask_to_extend(milliseconds{1000}));
    lease = acquire(0);
    core = std::dynamic_pointer_cast<NodeLease>(Access::core(lease));
    wait_for(release());
    EXPECT_FALSE(ask_to_extend(milliseconds{1000}));
    EXPECT_EQ(lease.state(), LeaseState::released);
}

TEST_F(ExpiryTest, ExtendByNothingIsRefused) {
    for (const auto refused : {milliseconds{0}, milliseconds{-1}, milliseconds::min()}) {
        error_code ec;
        lease.extend(refused, ec);
        EXPECT_EQ(ec, server_error::bad_arguments);
    }
}

TEST_F(ExpiryTest, RemainingIsBoundByBothEnds) {
    EXPECT_EQ(lease.remaining(), left());
    EXPECT_TRUE(ask_to_extend(milliseconds{60'000}));
    EXPECT_LT(lease.remaining(), FakeEnsemble::session_timeout) << "if no server answers any more";
    EXPECT_EQ(left(), milliseconds{60'000});
}

// ---- without a limit

TEST_F(LeaseTest, WithoutALimitIsHeldForEverAndNeedsNoExtension) {
    EXPECT_EQ(lease.remaining_hold(), std::nullopt);
    lease.extend(milliseconds{1});
    EXPECT_EQ(lease.remaining_hold(), std::nullopt);
    run_for(milliseconds{20'000});
    EXPECT_EQ(lease.state(), LeaseState::held);
}

} // namespace
} // namespace docent::detail
