// SPDX-License-Identifier: Apache-2.0

// A semaphore shared by docent and Curator. Its limit is a SharedCount that either side changes.

#include "semaphore_fixture.hpp"

#include <docent/recipes/shared_count.hpp>

#include <optional>

namespace docent::test {
namespace {

using asio::use_future;

class SemaphoreLimit : public SemaphoreFixture {
protected:
    std::optional<SharedCount> limit;
    std::optional<InterProcessSemaphore> semaphore;

    void SetUp() override {
        SemaphoreFixture::SetUp();
        limit.emplace(*client, "/limit", 1);
        limit->start();
        semaphore.emplace(*client, "/lock", *limit);
        curator("count-start", "/limit", {"seed=9"}); // the node exists already
    }
    JavaSemaphore curators(const std::string& thread) { return {java, thread, "limit-of=/limit"}; }

    void docent_sets(std::int32_t number) {
        limit->set(number);
        EXPECT_EQ(curator("count-await", "/limit", {"is=" + std::to_string(number)})["heard"], "true");
    }
    void curator_sets(std::int32_t number) {
        curator("count-set", "/limit", {"to=" + std::to_string(number)});
        EXPECT_TRUE(eventually([&] { return limit->get().count == number; }));
    }
};

TEST_F(SemaphoreLimit, DocentRaisesIt) {
    JavaSemaphore theirs = curators("a"), others = curators("b");
    const Lease ours = semaphore->acquire();
    theirs.begin_acquire();
    ASSERT_TRUE(reaches(1, 2));
    EXPECT_TRUE(theirs.waits());
    limit->set(2);
    EXPECT_EQ(theirs.get().size(), 1U);
    EXPECT_FALSE(others.try_acquire());
    auto more = semaphore->async_acquire(2, use_future);
    ASSERT_TRUE(reaches(1, 4));
    others.begin_acquire();
    ASSERT_TRUE(reaches(2, 4));
    docent_sets(3);
    EXPECT_TRUE(waits(more)) << "one is missing yet";
    limit->set(5);
    EXPECT_EQ(granted(more).size(), 2U);
    EXPECT_EQ(others.get().size(), 1U);
}

TEST_F(SemaphoreLimit, CuratorRaisesIt) {
    JavaSemaphore theirs = curators("a"), others = curators("b");
    ASSERT_EQ(theirs.acquire().size(), 1U);
    auto ours = semaphore->async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 2));
    expect_waits_inside(ours);
    curator("count-set", "/limit", {"to=2"});
    const Lease lease = granted(ours);
    EXPECT_EQ(lease.usage_at_grant(), (PermitUsage{2, 2}));
    EXPECT_FALSE(semaphore->try_acquire());
    others.begin_acquire();
    ASSERT_TRUE(reaches(1, 3));
    auto last = semaphore->async_acquire(use_future);
    ASSERT_TRUE(reaches(2, 3));
    curator("count-set", "/limit", {"to=4"});
    EXPECT_EQ(others.get().size(), 1U);
    EXPECT_TRUE(granted(last).owns());
}

/// A lower limit revokes no permit, and admits no contender until few enough permits are held.
TEST_F(SemaphoreLimit, EitherCutsIt) {
    JavaSemaphore theirs = curators("a"), others = curators("b");
    for (const bool by_docent : {true, false}) {
        docent_sets(3);
        Permits ours = semaphore->acquire(2);
        ASSERT_EQ(theirs.acquire().size(), 1U);
        if (by_docent) docent_sets(1);
        else curator_sets(1);
        EXPECT_TRUE(ours.front().owns());
        EXPECT_TRUE(reaches(0, 3));
        ours.pop_back();
        EXPECT_FALSE(semaphore->try_acquire()) << "two are out";
        EXPECT_FALSE(others.try_acquire());
        ours.pop_back();
        EXPECT_FALSE(semaphore->try_acquire()) << "one is out";
        EXPECT_FALSE(others.try_acquire());
        theirs.release();
        EXPECT_TRUE(semaphore->try_acquire());
        ASSERT_TRUE(reaches(0, 0)) << "it was dropped at once";
        ASSERT_TRUE(others.try_acquire());
        others.release();
        ASSERT_TRUE(reaches(0, 0));
    }
}

} // namespace
} // namespace docent::test
