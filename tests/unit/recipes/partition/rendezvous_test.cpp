// SPDX-License-Identifier: Apache-2.0
#include "partition/escape.hpp"
#include "partition/rendezvous.hpp"

#include <gtest/gtest.h>

#include <string>

namespace docent::detail {
namespace {

TEST(Rendezvous, FnvHasTheHashesOfItsAuthors) {
    EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325u);
    EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cu);
    EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8u);
}

TEST(Rendezvous, PairHashesAreTheSameInAllProcesses) {
    EXPECT_EQ(pair_hash("0", "a"), 0xfa06bdad89f8b857u);
    EXPECT_EQ(pair_hash("17", "worker-3"), 0x4d23047e42ad7b9au);
    EXPECT_EQ(pair_hash("a b", "x/y"), 0x0cf24c64d4e66381u);
    EXPECT_NE(pair_hash("ab", "c"), pair_hash("a", "bc"));
}

TEST(Rendezvous, DistancesAreLogarithmsInFixedPoint) {
    constexpr std::uint64_t one = std::uint64_t{1} << 32;
    EXPECT_EQ(distance_of(0), 64 * one) << "as of the hash 1";
    EXPECT_EQ(distance_of(1), 64 * one);
    EXPECT_EQ(distance_of(std::uint64_t{1} << 62 | 1), 2 * one);
    EXPECT_EQ(distance_of(std::uint64_t{1} << 63), 1 * one);
    EXPECT_EQ(distance_of(~std::uint64_t{0}), 1u);
    EXPECT_NEAR(static_cast<double>(distance_of(0x123456789abcdef0)), 16380065491.0, 2.0);
}

TEST(Rendezvous, FirstChoicesAreInProportionToTheWeights) {
    int heavy = 0;
    constexpr int items = 20'000;
    for (int item = 0; item < items; ++item) {
        const auto name = std::to_string(item);
        heavy += distance_between(name, "heavy", 3) < distance_between(name, "light", 1) ? 1 : 0;
    }
    EXPECT_NEAR(heavy, items * 3 / 4, items / 50);
}

TEST(Rendezvous, ProductsOfTheLargestWeightDoNotOverflow) {
    const Distance far{distance_of(0), max_weight};
    const Distance near{distance_of(~std::uint64_t{0}), 1};
    EXPECT_TRUE(near < far);
    EXPECT_FALSE(far < near);
}

TEST(Escape, KeepsVisibleCharactersAndReversesItself) {
    EXPECT_EQ(escaped("worker-3.eu_west:1"), "worker-3.eu_west:1");
    EXPECT_EQ(escaped("a/b c%\n"), "a%2Fb%20c%25%0A");
    EXPECT_EQ(escaped("."), "%2E");
    EXPECT_EQ(escaped(".."), "%2E%2E");
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    for (const std::string& text : {all, std::string("..."), std::string("x"), std::string("%2F")}) {
        EXPECT_EQ(unescaped(escaped(text)), text);
    }
}

TEST(Escape, RefusesOtherTexts) {
    for (const char* text : {"%", "%2", "%2f", "%zz", "a b", "a/b", "%41", ".", "\x7f"}) EXPECT_FALSE(unescaped(text)) << text;
}

} // namespace
} // namespace docent::detail
