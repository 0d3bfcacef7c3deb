// SPDX-License-Identifier: Apache-2.0

// DistributedAtomicLong: docent's and Curator's on one node.

#include "framework_fixture.hpp"

#include <docent/recipes/distributed_atomic_long.hpp>

#include <limits>
#include <string>

namespace docent::test {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

class AtomicLongOfBoth : public FrameworkFixture {
protected:
    JavaAnswer curators(const std::string& verb, std::int64_t number, Words words = {}) {
        words.push_back("number=" + std::to_string(number));
        return curator("atomic-" + verb, "/n", words);
    }
    std::int64_t curator_gets() { return std::stoll(curator("atomic-get", "/n")["after"]); }
};

TEST_F(AtomicLongOfBoth, DocentMakesItAndCuratorReads) {
    DistributedAtomicLong number(*client, "/n");
    EXPECT_EQ(curator_gets(), 0);
    EXPECT_EQ(number.get().after, 0);
    EXPECT_TRUE(number.initialize(-3));
    EXPECT_EQ(curators("initialize", 9)["made"], "false");
    for (const std::int64_t each : {std::int64_t{-3}, std::int64_t{256}, least, most}) {
        number.force_set(each);
        EXPECT_EQ(curator_gets(), each);
    }
}

TEST_F(AtomicLongOfBoth, CuratorMakesItAndDocentReads) {
    DistributedAtomicLong number(*client, "/n");
    EXPECT_EQ(curators("initialize", -9)["made"], "true");
    EXPECT_FALSE(number.initialize(3));
    for (const std::int64_t each : {std::int64_t{-9}, std::int64_t{1} << 40, least, most}) {
        curators("force-set", each);
        client->sync();
        EXPECT_EQ(number.get().after, each);
    }
    EXPECT_EQ(number.increment().after, least);
    curators("force-set", most);
    EXPECT_EQ(curators("add", 1)["after"], std::to_string(least)) << "as Curator has it";
}

TEST_F(AtomicLongOfBoth, EachContinuesFromTheValueOfTheOther) {
    DistributedAtomicLong number(*client, "/n");
    std::int64_t value = 0;
    for (int n = 0; n < 10; ++n) {
        const JavaAnswer theirs = curators("add", 5);
        EXPECT_EQ(theirs["before"], std::to_string(value));
        EXPECT_EQ(theirs["after"], std::to_string(value += 5));
        const AtomicNumber mine = number.subtract(2);
        EXPECT_EQ(mine.before, value);
        EXPECT_EQ(mine.after, value -= 2);
    }
    EXPECT_FALSE(number.compare_and_set(value + 1, 0).succeeded);
    EXPECT_TRUE(number.compare_and_set(value, 100).succeeded);
    EXPECT_EQ(curators("compare-and-set", 200, {"expected=99"})["succeeded"], "false");
    EXPECT_EQ(curators("compare-and-set", 200, {"expected=100"})["succeeded"], "true");
    EXPECT_EQ(number.try_set(300).before, 200);
    EXPECT_EQ(curators("try-set", 400)["before"], "300");
    client->set("/n", "");
    EXPECT_EQ(curator_gets(), 0);
    EXPECT_EQ(number.get().after, 0);
}

TEST_F(AtomicLongOfBoth, IncrementsOfBothAreAllCounted) {
    constexpr int each = 200;
    DistributedAtomicLong number(*client, "/n", {.retry = RetryPolicy::forever(1ms)});
    java.send("a", "atomic-increment", {"client=curator", "path=/n", "times=" + std::to_string(each)});
    for (int n = 0; n < each; ++n) EXPECT_TRUE(number.increment().succeeded);
    EXPECT_EQ(java.await("a").error, "");
    EXPECT_EQ(curator_gets(), 2 * each);
}

TEST_F(AtomicLongOfBoth, UnderOneMutexToo) {
    constexpr int each = 100;
    DistributedAtomicLong number(
        *client, "/n", {.retry = RetryPolicy::none(), .promoted = PromotedToLock{"/n-lock", RetryPolicy::forever(1ms)}});
    java.send("a", "atomic-increment", {"client=curator", "path=/n", "lock=/n-lock", "times=" + std::to_string(each)});
    int promoted = 0;
    for (int n = 0; n < each; ++n) {
        const AtomicNumber result = number.increment();
        EXPECT_TRUE(result.succeeded);
        promoted += result.stats.promoted_tries > 0 ? 1 : 0;
    }
    EXPECT_EQ(java.await("a").error, "");
    EXPECT_EQ(curator_gets(), 2 * each) << promoted << " of docent's were promoted";
}

} // namespace
} // namespace docent::test
