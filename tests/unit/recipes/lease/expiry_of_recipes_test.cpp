// SPDX-License-Identifier: Apache-2.0

// A limited hold where its lease is one of several, or follows another lease.

#include "client/core/access.hpp"
#include "fake_multi_lock.hpp"
#include "fake_mutex.hpp"
#include "fake_recipes/fake_latch.hpp"
#include "fake_recipes/fake_selector.hpp"
#include "fake_semaphore.hpp"
#include "read_write/read_write_core.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;

/// A tenth of the session timeout.
const LeaseTerms half_a_second{.max_hold = milliseconds{500}};

// ---- downgrade

class ExpiryInDowngrade : public FakeMutexTest {
protected:
    ExpiryInDowngrade() : FakeMutexTest("/rw", read_write_names()) {}

    OutcomePtr downgrade() {
        const auto result = std::make_shared<Outcome>();
        initiate_downgrade(Access::core(write), {}, into(result, &Outcome::lease));
        return result;
    }

    ReadWriteCores cores = make_read_write(world.share(0), "/rw", boot_now(0), half_a_second);
    Lease write = acquire_on(cores.write);
};

TEST_F(ExpiryInDowngrade, OneHoldGoesOn) {
    world.client(0).let_pass(milliseconds{100});
    write.extend(milliseconds{700});
    const auto end = world.client(0).boot_now() + *write.remaining_hold();
    const auto result = downgrade();
    run_until([&] { return result->arrived(); });
    ASSERT_EQ(result->ec, error_code{});
    EXPECT_EQ(world.client(0).boot_now() + *result->lease.remaining_hold(), end);
    run_until([&] { return result->lease.stop_token().stop_requested(); });
    EXPECT_EQ(result->lease.state(), LeaseState::expired);
    EXPECT_EQ(write.state(), LeaseState::released);
    settle();
    EXPECT_TRUE(world.queue().empty());
}

TEST_F(ExpiryInDowngrade, TheEndOfTheWriteLockEndsIt) {
    const auto result = downgrade();
    run_until([&] { return world.queue().size() == 2; }); // the answer is under way
    world.surroundings().now += *write.remaining_hold();
    run_until([&] { return result->arrived(); });
    EXPECT_EQ(result->ec, error::lease_lost);
    EXPECT_FALSE(result->lease);
    EXPECT_EQ(write.state(), LeaseState::expired);
    settle();
    EXPECT_TRUE(world.queue().empty());
}

TEST_F(ExpiryInDowngrade, TheEndOfTheWriteLockEndsItAlsoWithoutAConnection) {
    cut_off(0);
    const auto result = downgrade();
    run_until([&] { return result->arrived(); });
    EXPECT_EQ(result->ec, error::lease_lost) << result->ec.message();
    EXPECT_EQ(write.state(), LeaseState::expired);
    reconnect(0);
    settle();
    EXPECT_TRUE(world.queue().empty());
}

TEST_F(ExpiryInDowngrade, AReadLockBesideTheWriteLockEndsWithIt) { // a hold of a thread
    bool arrived = false;
    Lease read;
    initiate_beside(Access::core(write), WriteLease::stays, {}, [&](error_code, Lease lease) {
        arrived = true;
        read = std::move(lease);
    });
    run_until([&] { return arrived; });
    EXPECT_EQ(read.remaining_hold(), write.remaining_hold());
}

// ---- holds of a thread

using ExpiryInThread = FakeMutexTest;

TEST_F(ExpiryInThread, CountsFromTheFirstLockOn) {
    const auto mutex = std::make_shared<MutexCore>(world.share(0), "/lock", boot_now(0), half_a_second);
    mutex->holds().enter(acquire_on(mutex));
    world.client(0).let_pass(milliseconds{400});
    mutex->holds().enter_again();
    EXPECT_EQ(mutex->holds().held(), ThreadHolds::Ownership::surely);
    world.client(0).let_pass(milliseconds{100});
    EXPECT_EQ(mutex->holds().held(), ThreadHolds::Ownership::lost) << "each level of it";
    EXPECT_TRUE(mutex->holds().leave());
    EXPECT_TRUE(mutex->holds().leave());
    EXPECT_EQ(mutex->holds().held(), ThreadHolds::Ownership::nothing);
    settle();
    EXPECT_TRUE(world.queue().empty());
}

// ---- several at once

class ExpiryInSemaphore : public WorldTest {
protected:
    ExpiryInSemaphore() : WorldTest(2, "/s/leases", lease_names()) { world.add_queue("/s/locks", mutex_names()); }

    std::shared_ptr<TakenPermits> take(std::size_t client, std::int32_t count, const LeaseTerms& terms) {
        return take_permits(world, client, fixed_limit(2), count, {}, terms);
    }
};

TEST_F(ExpiryInSemaphore, EachPermitGivesItsPlaceToTheNext) {
    const auto both = take(0, 2, half_a_second);
    run_until([&] { return both->arrived(); });
    ASSERT_EQ(both->leases.size(), 2u);
    EXPECT_EQ(both->leases.front().remaining_hold(), both->leases.back().remaining_hold()) << "granted at once";
    both->leases.back().extend(milliseconds{60'000});
    const auto next = take(1, 1, {});
    run_until([&] { return next->arrived(); });
    EXPECT_EQ(next->leases.size(), 1u);
    EXPECT_EQ(both->leases.front().state(), LeaseState::expired);
    EXPECT_EQ(both->leases.back().state(), LeaseState::held) << "it was extended alone";
}

class ExpiryInMultiLock : public FakeMutexTest {
protected:
    ExpiryInMultiLock() : FakeMutexTest("/a") { world.add_queue("/b"); }

    std::shared_ptr<MutexCore> limited(const std::string& path) {
        return std::make_shared<MutexCore>(world.share(0), path, boot_now(0), half_a_second);
    }
};

TEST_F(ExpiryInMultiLock, TheEndOfOneStopsTheHolderOfAll) {
    const auto outcome = start_fake(
        std::make_shared<MultiCore>(std::vector<std::shared_ptr<LockSource>>{fake_mutex(world, 0, "/a"), limited("/b")}));
    run_until([&] { return outcome->arrived(); });
    const MultiLease& both = outcome->lease;
    EXPECT_TRUE(both.owns());
    run_until([&] { return both.stop_token().stop_requested(); });
    EXPECT_FALSE(both.owns());
    EXPECT_EQ(both.leases()[0].state(), LeaseState::held);
    EXPECT_EQ(both.leases()[1].state(), LeaseState::expired);
}

TEST_F(ExpiryInMultiLock, ALockThatExpiresDuringTheWaitIsTakenAgain) {
    Lease taken = acquire_on(fake_mutex(world, 1, "/b"));
    const auto outcome = start_fake(
        std::make_shared<MultiCore>(std::vector<std::shared_ptr<LockSource>>{limited("/a"), fake_mutex(world, 0, "/b")}));
    run_until([&] { return !world.queue("/a").empty(); });
    const auto before = world.first("/a");
    run_until([&] { return !world.first("/a").empty() && world.first("/a") != before; });
    EXPECT_FALSE(outcome->arrived());
    taken = Lease{};
    run_until([&] { return outcome->arrived(); });
    EXPECT_EQ(outcome->ec, error_code{});
    EXPECT_TRUE(outcome->lease.owns());
}

// ---- leaders

class ExpiryInElection : public WorldTest {
protected:
    ExpiryInElection() : WorldTest(2, election_path, latch_names()) {}
};

TEST_F(ExpiryInElection, ALatchGivesTheLeadToTheNextAndEntersAgainBehindIt) {
    const auto first = make_fake_latch(world, 0, "first", WhenLost::enter_again, half_a_second);
    const auto second = make_fake_latch(world, 1, "second");
    std::vector<LeadershipEvent> events;
    const auto listener = first->listen([&](const LeadershipEvent& event) { events.push_back(event); });
    EXPECT_EQ(first->start(), error_code{});
    run_until([&] { return first->leadership() != nullptr; });
    EXPECT_EQ(second->start(), error_code{});
    run_until([&] { return second->leadership() != nullptr; });
    EXPECT_EQ(first->leadership(), nullptr);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events.back().change, LeadershipChange::lost);
    EXPECT_EQ(events.back().leadership->state(), LeaseState::expired);
    run_until([&] { return world.queue().size() == 2; });
    EXPECT_EQ(world.first(), second->leadership()->node_path());
    for (const auto& latch : {first, second}) latch->close(LatchClose::silently, *latch->view(), [] {});
}

class ExpiryInSelection : public WorldTest {
protected:
    ExpiryInSelection() : WorldTest(2, selection_path) {}
};

TEST_F(ExpiryInSelection, ASelectorAsksItsWorkToEndAndGivesTheLeadUpWhenItHas) {
    FakeSelector first(world, 0, "first", false, half_a_second.max_hold);
    FakeSelector second(world, 1, "second");
    EXPECT_EQ(first.core->start(), error_code{});
    run_until([&] { return first.works(); });
    EXPECT_EQ(second.core->start(), error_code{});
    run_until([&] { return first.is_asked_to_stop() && world.queue().size() == 2; });
    settle();
    EXPECT_FALSE(second.works()) << "the first one's work has not ended";
    first.end_work();
    run_until([&] { return second.works(); });
    second.end_work();
    for (auto* each : {&first, &second}) each->core->close([] {});
}

} // namespace
} // namespace docent::detail
