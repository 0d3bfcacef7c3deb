// SPDX-License-Identifier: Apache-2.0

// Docent's mutexes with kept nodes and local hand-over beside Curator's mutexes on the same path.

#include "locks_fixture.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <boost/asio/use_future.hpp>

#include <future>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace docent::test {
namespace {

using namespace std::chrono_literals;

class KeptMutex : public LocksFixture {
protected:
    static constexpr std::uint32_t max_handovers = 3;
    std::optional<InterProcessMutex> keeping;
    std::optional<InterProcessMutex> handing_on;

    void SetUp() override {
        LocksFixture::SetUp();
        keeping.emplace(*client, "/lock", LockOptions{.keep_for = 1h});
        handing_on.emplace(*client, "/lock", LockOptions{.max_local_handovers = max_handovers});
    }
    JavaLock curators(const std::string& thread) { return {java, thread, "mutex"}; }
    std::vector<std::string> in_order() { return queue(detail::mutex_names()); }

    /// Acquires and releases the mutex until its node is kept without a holder: the second acquire has waited until the client
    /// knew that no other client waits.
    static std::int64_t keep(InterProcessMutex& mutex) {
        mutex.acquire().release();
        const Lease second = mutex.acquire();
        EXPECT_EQ(second.hold_number(), 2U);
        return second.fencing_token();
    }
};

TEST_F(KeptMutex, IsRecalledWhenCuratorWaits) {
    const auto token = keep(*keeping);
    ASSERT_EQ(children().size(), 1U);
    JavaLock theirs = curators("a");
    ASSERT_TRUE(theirs.acquire());
    EXPECT_EQ(children().size(), 1U) << "ours has gone";
    EXPECT_FALSE(keeping->try_acquire());
    auto ours = keeping->async_acquire(asio::use_future);
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(waits(ours));
    theirs.release();
    EXPECT_GT(granted(ours).fencing_token(), token);
}

/// Curator gets the mutex as often as it asks, even if no thread of docent asks for it.
TEST_F(KeptMutex, TakesTurnsWithCurator) {
    JavaLock theirs = curators("a");
    std::int64_t last = 0;
    for (int turn = 0; turn < 10; ++turn) {
        const auto token = keep(*keeping);
        EXPECT_GT(token, last);
        last = token;
        ASSERT_TRUE(theirs.acquire());
        theirs.release();
    }
}

/// A try of Curator's finds the mutex taken, and recalls the kept node.
TEST_F(KeptMutex, IsReleasedForATry) {
    keep(*keeping);
    JavaLock theirs = curators("a");
    theirs.try_acquire();
    EXPECT_TRUE(eventually([&] { return theirs.is_held() || theirs.try_acquire(); }));
    EXPECT_FALSE(keeping->try_acquire());
}

TEST_F(KeptMutex, HeldByAThreadItIsGivenBackAtTheRelease) {
    keep(*keeping);
    std::promise<void> locked, may_unlock;
    std::thread holder([&] {
        const std::lock_guard lock(*keeping);
        locked.set_value();
        may_unlock.get_future().wait();
    });
    locked.get_future().wait();
    JavaLock theirs = curators("a");
    theirs.begin_acquire();
    const bool both = queue_is_known_to_reach(2) && eventually([&] { return is_waited_for(in_order().front()); });
    // No contender of docent enters the kept node any more: the next one queues behind Curator's.
    auto later = keeping->async_acquire(asio::use_future);
    const bool all = queue_reaches(3);
    EXPECT_TRUE(theirs.waits());
    EXPECT_TRUE(waits(later));
    may_unlock.set_value();
    holder.join();
    ASSERT_TRUE(both && all);
    ASSERT_TRUE(theirs.get());
    EXPECT_TRUE(waits(later));
    theirs.release();
    EXPECT_TRUE(granted(later).owns());
}

TEST_F(KeptMutex, WaitsForCuratorAndIsKeptThen) {
    JavaLock theirs = curators("a");
    ASSERT_TRUE(theirs.acquire());
    EXPECT_FALSE(keeping->try_acquire());
    auto first = keeping->async_acquire(asio::use_future);
    ASSERT_TRUE(queue_reaches(2));
    auto second = keeping->async_acquire(asio::use_future);
    ASSERT_TRUE(queue_reaches(3)) << "each by a node of its own";
    EXPECT_TRUE(waits(first) && waits(second));
    theirs.release();
    granted(first).release();
    granted(second).release();
    EXPECT_TRUE(keeping->acquire().owns());
    EXPECT_TRUE(queue_reaches(1)) << "the node stays";
    ASSERT_TRUE(theirs.acquire());
    EXPECT_FALSE(keeping->try_acquire());
}

/// When Curator gets the lock, docent's client knows that it has lost it.
TEST_F(KeptMutex, CutOffItIsLostBeforeCuratorHasIt) {
    docent::testing::FaultProxy proxy(server.port());
    Client cut_off{
        {.connect_string = proxy.connect_string(), .session_timeout = 6s, .ensemble_tracking = EnsembleTracking::off}};
    cut_off.start();
    InterProcessMutex far(cut_off, "/lock", {.keep_for = 1h});
    keep(far);
    Lease held = far.acquire();
    EXPECT_EQ(held.hold_number(), 3U);
    JavaLock theirs = curators("a");
    std::promise<void> told;
    std::stop_callback on_stop(held.stop_token(), [&] { told.set_value(); });
    proxy.black_hole();
    theirs.begin_acquire();
    EXPECT_TRUE(theirs.get());
    EXPECT_FALSE(held.owns()) << "also if its own thread has stood still until now";
    EXPECT_EQ(told.get_future().wait_for(generous), std::future_status::ready);
    const auto node = in_order();
    ASSERT_EQ(node.size(), 1U);
    EXPECT_GT(observer->get("/lock/" + node.front()).stat.czxid, held.fencing_token());
    proxy.heal();
    EXPECT_FALSE(far.try_acquire()) << "nothing of what was kept is left";
}

TEST_F(KeptMutex, GoesWithItsClient) {
    const auto token = keep(*keeping);
    const auto owner = observer->get("/lock/" + in_order().front()).stat.ephemeral_owner;
    ASSERT_TRUE(has_session(owner));
    client->close();
    JavaLock theirs = curators("a");
    ASSERT_TRUE(theirs.acquire());
    EXPECT_GT(observer->get("/lock/" + in_order().front()).stat.czxid, token);
    EXPECT_FALSE(has_session(owner));
}

/// Curator's turn comes after docent's first holder and `max_handovers` local hand-overs, although more waiters of docent are
/// there all the time.
TEST_F(KeptMutex, HandedOnCuratorHasItsTurnAfterSoMany) {
    constexpr std::size_t all = 3 * (1 + max_handovers);
    JavaLock theirs = curators("a");
    ASSERT_TRUE(theirs.acquire());
    std::vector<std::future<Lease>> ours;
    for (std::size_t i = 0; i < all; ++i) ours.push_back(handing_on->async_acquire(asio::use_future));
    ASSERT_TRUE(queue_reaches(2)) << "one node for all";
    theirs.release();
    Lease held = granted(ours.front());
    theirs.begin_acquire();
    ASSERT_TRUE(queue_is_known_to_reach(2));
    for (std::size_t next = 1; next < all; ++next) {
        EXPECT_TRUE(theirs.waits());
        held.release();
        if (next % (1 + max_handovers) == 0) {
            ASSERT_TRUE(theirs.get());
            EXPECT_TRUE(waits(ours[next]));
            ASSERT_TRUE(queue_reaches(2)) << "ours stand behind it again, by one node";
            theirs.release();
            held = granted(ours[next]);
            EXPECT_EQ(held.hold_number(), 1U);
            theirs.begin_acquire();
            ASSERT_TRUE(queue_is_known_to_reach(2));
        } else {
            held = granted(ours[next]);
            EXPECT_EQ(held.hold_number(), 1 + next % (1 + max_handovers));
        }
    }
    held.release();
    EXPECT_TRUE(theirs.get());
}

/// Two waiters of Curator's are ahead of docent's next node when the last local hand-over is done.
TEST_F(KeptMutex, HandedOnAllOfCuratorsThatWaitHaveTheirTurns) {
    Lease held = handing_on->acquire();
    JavaLock first = curators("a"), second = curators("b");
    first.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    second.begin_acquire();
    ASSERT_TRUE(queue_is_known_to_reach(3));
    std::vector<std::future<Lease>> ours;
    for (std::size_t i = 0; i <= max_handovers; ++i) ours.push_back(handing_on->async_acquire(asio::use_future));
    for (std::size_t i = 0; i < max_handovers; ++i) {
        held.release();
        held = granted(ours[i]);
        EXPECT_TRUE(first.waits() && second.waits());
    }
    held.release();
    ASSERT_TRUE(first.get());
    EXPECT_TRUE(second.waits() && waits(ours.back()));
    first.release();
    ASSERT_TRUE(second.get());
    EXPECT_TRUE(waits(ours.back()));
    second.release();
    EXPECT_TRUE(granted(ours.back()).owns());
}

} // namespace
} // namespace docent::test
