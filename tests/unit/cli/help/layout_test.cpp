// SPDX-License-Identifier: Apache-2.0
#include "cli/help/help.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

using Lines = std::vector<std::string>;

TEST(Layout, TellsRunningTextFromLinesThatStayAsTheyAre) {
    EXPECT_EQ(paragraphs_of("one\ntwo\n\n  a   b\n  c\n\nthree"),
              (std::vector<Paragraph>{{false, "one two"}, {true, "  a   b\n  c"}, {false, "three"}}));
    EXPECT_EQ(paragraphs_of(""), std::vector<Paragraph>{});
}

TEST(Layout, WrapsBetweenWords) {
    EXPECT_EQ(wrap("one two three", 7), (Lines{"one two", "three"}));
    EXPECT_EQ(wrap("unbreakable it is", 5), (Lines{"unbreakable", "it is"}));
    EXPECT_EQ(wrap("", 5), Lines{});
}

TEST(Layout, ColumnsAreAsWideAsTheirTextUpToALimit) {
    EXPECT_EQ(as_columns({{"a", "one"}, {"bcd", "two"}, {"too long", "three"}}, 4),
              "  a     one\n  bcd   two\n  too long\n        three\n");
}

} // namespace
} // namespace docent::cli
