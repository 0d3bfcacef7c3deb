// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/values.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

TEST(SimilarName, OneSlip) {
    EXPECT_EQ(did_you_mean("lokc", {"ls", "lock", "get"}), "; did you mean lock?");
    EXPECT_EQ(did_you_mean("lck", {"ls", "lock"}), "; did you mean lock?");
    EXPECT_EQ(did_you_mean("locks", {"ls", "lock"}), "; did you mean lock?");
    EXPECT_EQ(did_you_mean("lick", {"ls", "lock"}), "; did you mean lock?");
    EXPECT_EQ(did_you_mean("l", {"ls", "lock"}), "; did you mean ls?");
}

TEST(SimilarName, TwoSlipsInALongOne) {
    EXPECT_EQ(did_you_mean("--conect", {"--connect"}), "; did you mean --connect?");
    EXPECT_EQ(did_you_mean("--conetc", {"--connect"}), "; did you mean --connect?");
    EXPECT_EQ(did_you_mean("--cnetc", {"--connect"}), "");
    EXPECT_EQ(did_you_mean("lo", {"lock"}), "") << "two in a short one";
}

TEST(SimilarName, TheNearestThenTheFirst) {
    EXPECT_EQ(did_you_mean("--waitt", {"--weight", "--wait"}), "; did you mean --wait?");
    EXPECT_EQ(did_you_mean("sat", {"set", "stat"}), "; did you mean set?");
}

TEST(SimilarName, NothingIsNear) {
    EXPECT_EQ(did_you_mean("", {"ls", "get"}), "");
    EXPECT_EQ(did_you_mean("-x", {"--by", "--json"}), "");
    EXPECT_EQ(did_you_mean("lock", {}), "");
    EXPECT_EQ(did_you_mean(std::string(100'000, 'x'), {"lock"}), "");
}

} // namespace
} // namespace docent::cli
