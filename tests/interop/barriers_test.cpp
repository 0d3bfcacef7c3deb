// SPDX-License-Identifier: Apache-2.0

// Barriers of docent's beside Curator's.

#include "locks_fixture.hpp"

#include <docent/recipes/barrier/count_down_latch.hpp>
#include <docent/recipes/barrier/distributed_barrier.hpp>
#include <docent/recipes/barrier/distributed_double_barrier.hpp>

#include <boost/asio/use_future.hpp>

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace docent::test {
namespace {

// ---- DistributedBarrier: a barrier of either side holds up docent's and Curator's waiters.

class DistributedBarrierBesideCurator : public LocksFixture {
protected:
    static constexpr const char* barrier_path = "/gate/barrier";

    void expect_both_to_wait_until(const std::function<void()>& remove) {
        DistributedBarrier barrier(*client, barrier_path);
        java.send("waiter", "barrier-wait", {"client=curator", std::string("path=") + barrier_path});
        auto waiting = barrier.async_wait(boost::asio::use_future);
        ASSERT_TRUE(eventually([&] { return watchers(barrier_path).size() == 2; }));
        EXPECT_FALSE(java.has_answered("waiter"));
        EXPECT_TRUE(waits(waiting));
        remove();
        EXPECT_EQ(java.await("waiter")["passed"], "true");
        granted(waiting);
        EXPECT_FALSE(observer->exists(barrier_path));
    }
};

TEST_F(DistributedBarrierBesideCurator, CuratorRemovesABarrierOfDocent) {
    DistributedBarrier(*client, barrier_path).set();
    curator("barrier-set", barrier_path); // the barrier is set already
    expect_both_to_wait_until([&] { curator("barrier-remove", barrier_path); });
    DistributedBarrier(*client, barrier_path).remove();
}

TEST_F(DistributedBarrierBesideCurator, DocentRemovesABarrierOfCurator) {
    curator("barrier-set", barrier_path);
    const auto theirs = observer->get(barrier_path);
    DistributedBarrier barrier(*client, barrier_path);
    barrier.set();
    EXPECT_EQ(observer->get(barrier_path), theirs) << "it is there";
    expect_both_to_wait_until([&] { barrier.remove(); });
    curator("barrier-remove", barrier_path);
    barrier.set();
    const auto now = observer->get(barrier_path);
    EXPECT_EQ(now.stat.ephemeral_owner, theirs.stat.ephemeral_owner) << "it stays";
    EXPECT_TRUE(now.data.size() > 0 && theirs.data.size() > 0) << "an address of whoever has set it";
}

// ---- DistributedDoubleBarrier: two members of docent's and two of Curator's.

class DoubleBarrierBesideCurator : public LocksFixture {
protected:
    static constexpr const char* meeting_path = "/work/meeting";
    const std::vector<std::string> java_members{"ann", "bob"};
    std::optional<DistributedDoubleBarrier> one, two;

    void SetUp() override {
        LocksFixture::SetUp();
        one.emplace(*client, meeting_path, 4);
        two.emplace(*observer, meeting_path, 4);
    }
    void tell(const std::string& member, const std::string& verb) {
        java.send(member, verb, {"client=curator", std::string("path=") + meeting_path, "members=4"});
    }
    bool nodes_reach(std::size_t count) {
        return eventually([&] { return children(meeting_path).size() == count; });
    }
};

/// The last member to enter, and to leave, is docent's in one round and Curator's in the other.
TEST_F(DoubleBarrierBesideCurator, AllBeginAndEndTogether) {
    for (const bool docent_is_last : {true, false}) {
        SCOPED_TRACE(docent_is_last);
        auto first = one->async_enter(boost::asio::use_future);
        ASSERT_TRUE(nodes_reach(1));
        tell("ann", "double-enter");
        ASSERT_TRUE(nodes_reach(2));
        std::future<void> second;
        if (docent_is_last) tell("bob", "double-enter");
        else second = two->async_enter(boost::asio::use_future);
        ASSERT_TRUE(nodes_reach(3));
        EXPECT_TRUE(waits(first));
        EXPECT_FALSE(java.has_answered("ann"));
        if (docent_is_last) second = two->async_enter(boost::asio::use_future);
        else tell("bob", "double-enter");
        for (const auto& member : java_members) EXPECT_EQ(java.await(member)["in"], "true");
        granted(first);
        granted(second);
        EXPECT_TRUE(nodes_reach(5)) << "ready is there";

        tell("ann", "double-leave");
        auto out = one->async_leave(boost::asio::use_future);
        if (docent_is_last) tell("bob", "double-leave");
        else second = two->async_leave(boost::asio::use_future);
        EXPECT_TRUE(waits(out));
        EXPECT_FALSE(java.has_answered("ann"));
        if (docent_is_last) second = two->async_leave(boost::asio::use_future);
        else tell("bob", "double-leave");
        for (const auto& member : java_members) EXPECT_EQ(java.await(member)["out"], "true");
        granted(out);
        granted(second);
        EXPECT_TRUE(nodes_reach(0));
    }
}

// ---- CountDownLatch: Curator has no such recipe; its DistributedAtomicLong counts on the same node.

class CountDownLatchBesideCurator : public FrameworkFixture {
protected:
    static constexpr const char* latch_path = "/jobs/ready";

    void curator_counts(int times) { curator("atomic-increment", latch_path, {"times=" + std::to_string(times)}); }
    std::string curator_gets() { return curator("atomic-get", latch_path)["after"]; }
    std::int64_t left(const CountDownLatch& latch) {
        client->sync();
        return latch.left();
    }
};

TEST_F(CountDownLatchBesideCurator, CuratorCountsDownAndDocentWaits) {
    CountDownLatch latch(*client, latch_path, 3);
    auto waiting = latch.async_wait(boost::asio::use_future);
    curator_counts(2);
    EXPECT_EQ(left(latch), 1);
    EXPECT_TRUE(waits(waiting));
    curator_counts(1);
    granted(waiting);
    EXPECT_EQ(left(latch), 0);
}

TEST_F(CountDownLatchBesideCurator, DocentCountsDownAndCuratorWaits) {
    CountDownLatch latch(*client, latch_path, 3);
    EXPECT_EQ(curator_gets(), "0");
    latch.count_down();
    EXPECT_EQ(curator_gets(), "1");
    latch.count_down(2);
    EXPECT_EQ(curator_gets(), "3") << "all that are wanted";
}

TEST_F(CountDownLatchBesideCurator, EachCountOfBothCounts) {
    constexpr int each = 100;
    CountDownLatch latch(*client, latch_path, 2 * each);
    auto waiting = latch.async_wait(boost::asio::use_future);
    java.send("a", "atomic-increment", {"client=curator", std::string("path=") + latch_path, "times=" + std::to_string(each)});
    for (int n = 0; n < each; ++n) latch.count_down();
    EXPECT_EQ(java.await("a").error, "");
    granted(waiting);
    EXPECT_EQ(curator_gets(), std::to_string(2 * each));
}

} // namespace
} // namespace docent::test
