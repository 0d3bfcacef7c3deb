// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/owner/owner_id.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

TEST(OwnerId, IsBelowThatOfWhoeverRunsUs) {
    EXPECT_EQ(owner_below("", "b"), "b");
    EXPECT_EQ(owner_below("a", "b"), "a/b");
    EXPECT_EQ(owner_below("a/b", "c"), "a/b/c");
}

TEST(OwnerId, IsNoneIfItWouldBeTooLongOrWasNone) {
    const std::string longest(198, 'a');
    EXPECT_EQ(owner_below(longest, "b"), longest + "/b");
    EXPECT_EQ(owner_below(std::string(199, 'a'), "b"), std::nullopt);
    EXPECT_EQ(owner_below("a b", "c"), std::nullopt);
    EXPECT_EQ(owner_below("a\n", "c"), std::nullopt);
}

TEST(OwnerId, OfAProcessStays) {
    ASSERT_TRUE(own_owner());
    EXPECT_EQ(own_owner(), own_owner());
    EXPECT_GE(own_owner()->size(), 12u);
}

} // namespace
} // namespace docent::cli
