// SPDX-License-Identifier: Apache-2.0
#include "testing/four_letter_word.hpp"

#include <gtest/gtest.h>

namespace docent::testing {
namespace {

constexpr std::string_view mntr = "zk_version\t3.8.0\nzk_watch_count\t0\nzk_watch_counter\t7\nzk_last\t9";

TEST(FourLetterWord, AFieldIsFoundByItsWholeName) {
    EXPECT_EQ(answer_field(mntr, "zk_version", '\t'), "3.8.0");
    EXPECT_EQ(answer_field(mntr, "zk_watch_counter", '\t'), "7");
    EXPECT_EQ(answer_field(mntr, "zk_last", '\t'), "9");
}

TEST(FourLetterWord, MissingFieldIsEmpty) {
    EXPECT_EQ(answer_field(mntr, "zk_watch", '\t'), "");
    EXPECT_EQ(answer_field(mntr, "version", '\t'), "");
    EXPECT_EQ(answer_field("", "zk_version", '\t'), "");
}

} // namespace
} // namespace docent::testing
