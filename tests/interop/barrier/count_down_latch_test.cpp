// SPDX-License-Identifier: Apache-2.0

// CountDownLatch: Curator has no such recipe; its DistributedAtomicLong counts on the same node.

#include "framework_fixture.hpp"
#include "session_watcher.hpp"

#include <docent/recipes/barrier/count_down_latch.hpp>

#include <boost/asio/use_future.hpp>

#include <future>
#include <string>

namespace docent::test {
namespace {

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
    EXPECT_EQ(waiting.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    curator_counts(1);
    ASSERT_EQ(waiting.wait_for(generous), std::future_status::ready);
    waiting.get();
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
    ASSERT_EQ(waiting.wait_for(generous), std::future_status::ready);
    waiting.get();
    EXPECT_EQ(curator_gets(), std::to_string(2 * each));
}

} // namespace
} // namespace docent::test
