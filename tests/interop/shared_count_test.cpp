// SPDX-License-Identifier: Apache-2.0

// SharedCount: docent's and Curator's on one node.

#include "eventually.hpp"
#include "framework_fixture.hpp"
#include "heard.hpp"

#include <docent/recipes/shared_count.hpp>

#include <limits>
#include <string>

namespace docent::test {
namespace {

constexpr std::int32_t smallest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();

class SharedCountOfBoth : public FrameworkFixture {
protected:
    void curator_starts(std::int32_t seed) { curator("count-start", "/count", {"seed=" + std::to_string(seed)}); }
    void curator_sets(std::int32_t number) { curator("count-set", "/count", {"to=" + std::to_string(number)}); }
    bool curator_tries(std::int32_t number) {
        return curator("count-try-set", "/count", {"to=" + std::to_string(number)})["set"] == "true";
    }
    bool curator_hears(std::int32_t number) {
        return curator("count-await", "/count", {"is=" + std::to_string(number)})["heard"] == "true";
    }
    VersionedCount curators() {
        const JavaAnswer answer = curator("count-get", "/count");
        return {std::stoi(answer["version"]), std::stoi(answer["count"])};
    }
};

TEST_F(SharedCountOfBoth, DocentMakesIt) {
    SharedCount count(*client, "/count", -3);
    count.start();
    curator_starts(9);
    EXPECT_EQ(curators(), (VersionedCount{0, -3}));
}

TEST_F(SharedCountOfBoth, CuratorMakesIt) {
    curator_starts(-9);
    SharedCount count(*client, "/count", 3);
    count.start();
    EXPECT_EQ(count.get(), (VersionedCount{0, -9}));
    EXPECT_EQ(client->get("/count").data, "\xff\xff\xff\xf7");
}

TEST_F(SharedCountOfBoth, EachSeesTheValueOfTheOther) {
    SharedCount count(*client, "/count");
    count.start();
    curator_starts(0);
    const Heard<VersionedCount> heard;
    const auto subscription = count.listen([heard](const VersionedCount& changed) { heard.add(changed); });
    std::int32_t version = 0;
    for (const std::int32_t number : {1, -1, 256, -65536, smallest, largest, 5}) {
        curator_sets(number);
        ++version;
        ASSERT_TRUE(eventually([&] {
            return !heard.all().empty() && heard.all().back() == VersionedCount{version, number};
        })) << number;
        EXPECT_EQ(count.get(), (VersionedCount{version, number}));
        count.set(number ^ 1);
        ++version;
        ASSERT_TRUE(curator_hears(number ^ 1)) << number;
        EXPECT_EQ(curators(), (VersionedCount{version, number ^ 1}));
    }
}

TEST_F(SharedCountOfBoth, OneOfTwoSetsOfTheSameVersionWins) {
    SharedCount count(*client, "/count", 1);
    count.start();
    curator_starts(0);
    const VersionedCount seen = count.get();
    EXPECT_EQ(curators(), seen);
    EXPECT_TRUE(curator_tries(-20));
    EXPECT_FALSE(count.try_set(seen, 30));
    EXPECT_EQ(count.get(), (VersionedCount{1, -20})) << "who was too late knows the newer one";

    EXPECT_EQ(curators(), count.get());
    EXPECT_TRUE(count.try_set(count.get(), -40));
    EXPECT_FALSE(curator_tries(50));
    EXPECT_TRUE(curator_hears(-40));
    EXPECT_EQ(curators(), (VersionedCount{2, -40}));
    EXPECT_TRUE(curator_tries(60));
    EXPECT_EQ(client->get("/count").data, std::string("\0\0\0\x3c", 4));
}

TEST_F(SharedCountOfBoth, IncrementsOfBothAreAllCounted) {
    constexpr std::int32_t each = 200;
    SharedCount count(*client, "/count", -each);
    count.start();
    curator_starts(0);
    java.send("a", "count-increment", {"client=curator", "path=/count", "times=" + std::to_string(each)});
    for (int i = 0; i < each; ++i) {
        VersionedCount seen;
        do seen = count.get();
        while (!count.try_set(seen, seen.count + 1));
    }
    EXPECT_EQ(java.await("a").error, "");
    EXPECT_TRUE(eventually([&] { return count.get() == VersionedCount{2 * each, each}; })) << count.get().count;
    EXPECT_TRUE(curator_hears(each));
}

} // namespace
} // namespace docent::test
