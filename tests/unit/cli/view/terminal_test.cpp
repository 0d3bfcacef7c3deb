// SPDX-License-Identifier: Apache-2.0
#include "cli/view/terminal.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

TEST(Redrawing, OverwritesTheLastDrawing) {
    EXPECT_EQ(redrawn("a\n\nb\n", 24), "\x1b[Ha\x1b[K\r\n\x1b[K\r\nb\x1b[K\x1b[J");
    EXPECT_EQ(redrawn("", 24), "\x1b[H\x1b[J");
}

TEST(Redrawing, CountsLinesThatDoNotFit) {
    EXPECT_EQ(redrawn("a\nb\nc\n", 3), "\x1b[Ha\x1b[K\r\nb\x1b[K\r\nc\x1b[K\x1b[J");
    EXPECT_EQ(redrawn("a\nb\nc\nd\n", 3), "\x1b[Ha\x1b[K\r\nb\x1b[K\r\n... and 2 lines more\x1b[K\x1b[J");
    EXPECT_EQ(redrawn("a\nb\n", 1), "\x1b[H... and 2 lines more\x1b[K\x1b[J");
    EXPECT_EQ(redrawn("a\nb\n", 0), "\x1b[H\x1b[J");
}

TEST(Answer, OnlyYesIsYes) {
    for (const char* yes : {"y", "Y", "yes", " YES \r"}) EXPECT_TRUE(is_yes(yes)) << yes;
    for (const char* no : {"", "n", "no", "yess", "yesterday", "1"}) EXPECT_FALSE(is_yes(no)) << no;
}

} // namespace
} // namespace docent::cli
