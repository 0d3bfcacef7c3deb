// SPDX-License-Identifier: Apache-2.0
#include "client/core/access.hpp"
#include "fake_multi_lock.hpp"
#include "lease/lease_core.hpp"
#include "semaphore/semaphore_operation.hpp"
#include "world_test.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;
using Kind = AcquireWait::Kind;
using OutcomePtr = std::shared_ptr<MultiOutcome>;

/// Three locks, listed in another order than the order in which they are taken.
class MultiOperationTest : public WorldTest {
protected:
    MultiOperationTest() : WorldTest(2, "/a") {
        world.add_queue("/b");
        world.add_queue("/c");
    }

    std::shared_ptr<MultiCore> all(std::size_t client) { return fake_multi_lock(world, client, {"/c", "/a", "/b"}); }
    OutcomePtr start(AcquireWait wait = {}, CallOptions call = {}) { return start_fake(all(0), wait, std::move(call)); }

    void wait_for(const OutcomePtr& outcome) {
        ASSERT_TRUE(world.run_until([&] { return outcome->arrived(); })) << "never completed";
    }
    MultiLease take(std::size_t client, const std::vector<std::string>& paths) {
        const auto outcome = start_fake(fake_multi_lock(world, client, paths));
        wait_for(outcome);
        EXPECT_EQ(outcome->ec, error_code{});
        return std::move(outcome->lease);
    }
    /// A semaphore of the first client, as a member of a multi-lock.
    std::shared_ptr<LockSource> semaphore(const std::string& path) {
        return std::make_shared<SemaphoreCore>(world.share(0), SemaphorePlace{path, fixed_limit(1), {}, boot_now(0)});
    }
    static OutcomePtr try_all(std::vector<std::shared_ptr<LockSource>> locks) {
        return start_fake(std::make_shared<MultiCore>(std::move(locks)), {Kind::not_at_all});
    }
    /// Takes the lock for the other client.
    MultiLease taken(const std::string& path) { return take(1, {path}); }

    /// Runs until the attempt waits for the taken lock at `path` and holds so many others.
    void run_until_waiting(const std::string& path, std::size_t held) {
        ASSERT_TRUE(world.run_until(
            [&] { return world.queue(path).size() == 2 && world.nodes().size() == 2 + held && client(0).idle(); }));
    }
    /// Expects that so many nodes are left: those of the other client.
    void expect_only(std::size_t nodes) {
        settle();
        EXPECT_EQ(world.nodes().size(), nodes);
    }
    error_code release(MultiLease& lease, CallOptions call = {}) {
        std::optional<error_code> result;
        initiate_release_all(Access::core(lease), std::move(call), [&](error_code ec) { result = ec; });
        EXPECT_TRUE(world.run_until([&] { return result.has_value(); })) << "never completed";
        return result.value_or(error_code{});
    }
    static bool told(const OutcomePtr& outcome, const std::vector<LockFailure>& failures) {
        return outcome->times == 1 && !outcome->lease && outcome->lease.failures() == failures;
    }
};

TEST_F(MultiOperationTest, FreeLocksComeInTheOrderInWhichTheyWereListed) {
    const MultiLease lease = take(0, {"/c", "/a", "/b"});
    EXPECT_TRUE(lease && lease.owns());
    ASSERT_EQ(lease.leases().size(), 3U);
    EXPECT_TRUE(lease.leases()[0].node_path().starts_with("/c/"));
    EXPECT_TRUE(lease.leases()[1].node_path().starts_with("/a/"));
    EXPECT_TRUE(lease.leases()[2].node_path().starts_with("/b/"));
    EXPECT_LT(lease.leases()[1].fencing_token(), lease.leases()[2].fencing_token()) << "taken in another one";
    EXPECT_LT(lease.leases()[2].fencing_token(), lease.leases()[0].fencing_token());
    EXPECT_TRUE(lease.failures().empty());
}

TEST_F(MultiOperationTest, DroppedLeasesAreReleased) {
    {
        const MultiLease lease = take(0, {"/a", "/b", "/c"});
        EXPECT_EQ(world.nodes().size(), 3U);
    }
    expect_only(0);
}

TEST_F(MultiOperationTest, ALeaseWithoutATakerIsReleased) {
    auto outcome = start();
    wait_for(outcome);
    outcome.reset();
    expect_only(0);
}

TEST_F(MultiOperationTest, AWaiterHoldsOnlyEarlierLocks) {
    MultiLease last = taken("/c");
    MultiLease second = taken("/b");
    const auto outcome = start();
    run_until_waiting("/b", 2); // its own /a, and /c of the other client
    EXPECT_EQ(world.queue("/a").size(), 1U);
    EXPECT_EQ(world.queue("/c").size(), 1U);
    last = MultiLease{};
    settle();
    EXPECT_TRUE(world.queue("/c").empty()) << "free for others";
    second = MultiLease{};
    wait_for(outcome);
    EXPECT_TRUE(outcome->lease.owns());
}

TEST_F(MultiOperationTest, ADeadlineCountsForAllWaitsTogether) {
    MultiLease first = taken("/a");
    const MultiLease second = taken("/b");
    const auto started = client(0).now();
    const auto outcome = start({Kind::until, started + milliseconds{500}});
    const auto half = started + milliseconds{400};
    world.run_until([&] { return client(0).now() >= half; });
    first = MultiLease{};
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::not_acquired);
    EXPECT_LT(client(0).now() - started, milliseconds{700});
    expect_only(1);
}

TEST_F(MultiOperationTest, ADeadlineThatHasPassedIsATry) {
    const auto outcome = start({Kind::until, client(0).now()});
    wait_for(outcome);
    EXPECT_TRUE(outcome->lease.owns());
}

TEST_F(MultiOperationTest, AStopRequestFromBeforeSendsNothing) {
    std::stop_source stop;
    stop.request_stop();
    const auto outcome = start({}, {.stop = stop.get_token()});
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, asio::error::operation_aborted);
    EXPECT_TRUE(told(outcome, {}));
    expect_only(0);
}

TEST_F(MultiOperationTest, AfterCloseItFails) {
    client(0).close();
    const auto outcome = start();
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::closed);
    EXPECT_TRUE(told(outcome, {{"/c", error::closed}, {"/a", error::closed}, {"/b", error::closed}}));
}

TEST_F(MultiOperationTest, ADeletedPlaceInAQueueIsAnErrorThatReleasesTheOthers) {
    const MultiLease theirs = taken("/b");
    const auto outcome = start();
    run_until_waiting("/b", 1);
    servers().delete_node(world.queue("/b").back());
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::lock_node_deleted);
    EXPECT_TRUE(told(outcome, {{"/b", error::lock_node_deleted}}));
    expect_only(1);
}

TEST_F(MultiOperationTest, ALockThatIsLostMeanwhileIsAcquiredAnew) {
    MultiLease theirs = taken("/b");
    const auto outcome = start();
    run_until_waiting("/b", 1);
    const auto lost = world.first("/a");
    servers().delete_node(lost);
    ASSERT_TRUE(world.run_until([&] { return !world.queue("/a").empty() && world.queue("/b").size() == 2; }));
    EXPECT_NE(world.first("/a"), lost);
    EXPECT_FALSE(outcome->arrived());
    theirs = MultiLease{};
    wait_for(outcome);
    EXPECT_TRUE(outcome->lease.owns());
}

TEST_F(MultiOperationTest, EachAttemptHasTheRetryPolicyOfTheCall) {
    std::ignore = take(0, {"/a", "/b", "/c"}); // makes their parents
    settle();
    client(0).throttle_next = true; // an attempt with the client's own policy would try again
    const auto outcome = start({}, {.retry_policy = RetryPolicy::none()});
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, server_error::throttled);
    expect_only(0);
}

TEST_F(MultiOperationTest, AnotherSessionStartsOver) {
    MultiLease theirs = taken("/b");
    const auto outcome = start();
    run_until_waiting("/b", 1);
    const auto before = world.nodes();
    client(0).unreachable = true;
    client(0).break_link();
    servers().end_session(client(0).session().session_id);
    client(0).unreachable = false;
    ASSERT_TRUE(world.run_until([&] { return world.queue("/b").size() == 2 && world.queue("/a").size() == 1; }));
    EXPECT_FALSE(outcome->arrived());
    theirs = MultiLease{};
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error_code{});
    EXPECT_TRUE(outcome->lease.owns());
    for (const auto& path : world.nodes()) EXPECT_EQ(std::count(before.begin(), before.end(), path), 0);
}

TEST_F(MultiOperationTest, AWaiterKeepsItsPlaceAndItsLocksThroughADisconnection) {
    MultiLease theirs = taken("/b");
    const auto outcome = start();
    run_until_waiting("/b", 1);
    const auto before = world.nodes();
    client(0).break_link();
    settle();
    EXPECT_EQ(world.nodes(), before);
    theirs = MultiLease{};
    wait_for(outcome);
    EXPECT_TRUE(outcome->lease.owns());
}

// ---- a server that accepts requests and does not answer. The client notices this after two thirds of the session timeout.

TEST_F(MultiOperationTest, ATryOfSemaphoresEndsInASecondThoughTheServerIsSilent) {
    connect();
    client(0).cut_link();
    const auto began = client(0).now();
    const auto outcome = try_all({semaphore("/s"), semaphore("/t")});
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::not_connected);
    EXPECT_TRUE(told(outcome, {{"/s", error::not_connected}, {"/t", error::not_connected}}));
    EXPECT_LT(client(0).now() - began, 2 * TryAtGate::longest_wait);
}

/// Any try of a mutex waits until the client notices the outage, and then for a connection.
TEST_F(MultiOperationTest, ATryWithASemaphoreEndsDuringAnOutage) {
    connect();
    client(0).unreachable = true;
    client(0).cut_link();
    const auto began = client(0).now();
    const auto outcome = try_all({semaphore("/s"), fake_mutex(world, 0, "/a")});
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::not_connected);
    EXPECT_TRUE(told(outcome, {{"/s", error::not_connected}, {"/a", error::not_connected}}));
    EXPECT_LE(client(0).now() - began, FakeEnsemble::session_timeout + 2 * client(0).connection_timeout());
}

/// The client notices the outage before the semaphore's try is over (TryAtGate::longest_wait, one second).
TEST_F(MultiOperationTest, ATryWithASemaphoreEndsThoughTheOutageIsNoticedMeanwhile) {
    connect();
    client(0).unreachable = true;
    client(0).cut_link();
    bool half_a_second_before = false;
    const auto timer =
        client(0).call_after(FakeEnsemble::session_timeout * 2 / 3 - milliseconds{500}, [&] { half_a_second_before = true; });
    run_until([&] { return half_a_second_before; });
    const auto began = client(0).now();
    const auto outcome = try_all({semaphore("/s"), fake_mutex(world, 0, "/a")});
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, error::not_connected);
    EXPECT_TRUE(told(outcome, {{"/s", error::not_connected}, {"/a", error::not_connected}}));
    EXPECT_LE(client(0).now() - began, FakeEnsemble::session_timeout + 2 * client(0).connection_timeout());
}

// ---- the held locks

TEST_F(MultiOperationTest, LosingOneIsLosingAll) {
    const MultiLease lease = take(0, {"/a", "/b"});
    const auto stop = lease.stop_token();
    EXPECT_FALSE(stop.stop_requested());
    servers().delete_node(world.first("/b"));
    ASSERT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
    EXPECT_FALSE(lease.owns());
    EXPECT_TRUE(lease.leases()[0].owns());
    EXPECT_FALSE(lease.leases()[1].owns());
}

TEST_F(MultiOperationTest, StopIsNotRequestedOnRelease) {
    std::stop_token stop;
    {
        const MultiLease lease = take(0, {"/a", "/b"});
        stop = lease.stop_token();
    }
    expect_only(0);
    EXPECT_FALSE(stop.stop_requested());
}

TEST_F(MultiOperationTest, AListenerOfALossMayDropTheLease) {
    MultiLease lease = take(0, {"/a", "/b"});
    std::stop_callback on_stop(lease.stop_token(), [&] { lease = MultiLease{}; });
    servers().delete_node(world.first("/b"));
    ASSERT_TRUE(world.run_until([&] { return !lease; }));
    expect_only(0);
}

TEST_F(MultiOperationTest, ReleaseKeepsAllErrorsAndGoesOn) {
    MultiLease lease = take(0, {"/c", "/b", "/a"});
    servers().delete_node(world.first("/c"));
    servers().delete_node(world.first("/a"));
    ASSERT_TRUE(world.run_until([&] { return !lease.leases()[0].owns() && !lease.leases()[2].owns(); }));
    EXPECT_EQ(release(lease), error::lease_lost);
    EXPECT_EQ(lease.failures(), (std::vector<LockFailure>{{"/c", error::lease_lost}, {"/a", error::lease_lost}}));
    expect_only(0);
}

TEST_F(MultiOperationTest, ReleaseIsConfirmedAndMayBeRepeated) {
    MultiLease lease = take(0, {"/a", "/b"});
    EXPECT_EQ(release(lease), error_code{});
    EXPECT_TRUE(world.nodes().empty());
    EXPECT_FALSE(lease.owns());
    EXPECT_EQ(release(lease), error_code{});
    EXPECT_TRUE(lease.failures().empty());
}

TEST_F(MultiOperationTest, ReleaseGoesOnWhenItsCallerDoesNot) {
    MultiLease lease = take(0, {"/a", "/b"});
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(release(lease, {.stop = stop.get_token()}), asio::error::operation_aborted);
    EXPECT_EQ(lease.failures().size(), 2U);
    expect_only(0);
}

TEST_F(MultiOperationTest, AReleaseThatIsStoppedNamesOnlyTheLocksWithoutAnAnswer) {
    MultiLease lease = take(0, {"/a", "/b"});
    settle();
    std::stop_source stop;
    const auto answer = answer_of(
        [&](auto handler) { initiate_release_all(Access::core(lease), {.stop = stop.get_token()}, std::move(handler)); });
    run_until([&] { return client(0).all_asked(std::nullopt).size() == 2; });
    run_until([&] { return client(0).all_asked(std::nullopt).size() == 1; });
    client(0).cut_link();
    stop.request_stop();
    expect(answer, asio::error::operation_aborted);
    EXPECT_EQ(lease.failures(), (std::vector<LockFailure>{{"/b", asio::error::operation_aborted}}));
}

TEST_F(MultiOperationTest, ReleaseOfNothingCompletes) {
    MultiLease none;
    EXPECT_FALSE(none);
    EXPECT_FALSE(none.owns());
    EXPECT_FALSE(none.stop_token().stop_possible());
    EXPECT_TRUE(none.leases().empty() && none.failures().empty());
    none.release();
}

// ---- which locks may be listed

error_code refused(std::vector<std::shared_ptr<LockSource>> locks) {
    try {
        MultiCore core(std::move(locks));
    } catch (const Error& e) {
        return e.code();
    }
    return {};
}

TEST_F(MultiOperationTest, ListsThatCannotBeTakenAreRefused) {
    EXPECT_EQ(refused({}), server_error::bad_arguments);
    EXPECT_EQ(refused({fake_mutex(world, 0, "/a"), fake_mutex(world, 1, "/b")}), server_error::bad_arguments);
    EXPECT_EQ(refused({fake_mutex(world, 0, "/a"), fake_mutex(world, 0, "/b"), fake_mutex(world, 0, "/a")}),
              error::would_deadlock);
    EXPECT_EQ(refused({fake_mutex(world, 0, "/b"), fake_mutex(world, 0, "/a")}), error_code{});
}

} // namespace
} // namespace docent::detail
