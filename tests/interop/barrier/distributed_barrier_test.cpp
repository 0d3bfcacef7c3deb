// SPDX-License-Identifier: Apache-2.0

// DistributedBarrier: a barrier of either side holds up docent's and Curator's waiters.

#include "locks_fixture.hpp"

#include <docent/recipes/barrier/distributed_barrier.hpp>

#include <boost/asio/use_future.hpp>

#include <future>

namespace docent::test {
namespace {

class DistributedBarrierBesideCurator : public LocksFixture {
protected:
    static constexpr const char* barrier_path = "/gate/barrier";

    void expect_both_to_wait_until(const std::function<void()>& remove) {
        DistributedBarrier barrier(*client, barrier_path);
        java.send("waiter", "barrier-wait", {"client=curator", std::string("path=") + barrier_path});
        auto waiting = barrier.async_wait(boost::asio::use_future);
        ASSERT_TRUE(eventually([&] { return watchers(barrier_path).size() == 2; }));
        EXPECT_FALSE(java.has_answered("waiter"));
        EXPECT_EQ(waiting.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
        remove();
        EXPECT_EQ(java.await("waiter")["passed"], "true");
        ASSERT_EQ(waiting.wait_for(generous), std::future_status::ready);
        waiting.get();
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

} // namespace
} // namespace docent::test
