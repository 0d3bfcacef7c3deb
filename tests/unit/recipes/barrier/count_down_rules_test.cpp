// SPDX-License-Identifier: Apache-2.0
#include "barrier/count_down_core.hpp"

#include "shared/number_bytes.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace docent::detail {
namespace {
namespace count_down_story {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr auto smallest = std::numeric_limits<std::int64_t>::min();

std::int64_t number_in(const NewData& wish) {
    error_code ec;
    const std::int64_t number = decode_number(wish.data, ec);
    EXPECT_FALSE(ec || wish.ec);
    return number;
}

TEST(CountDownRules, TheRemainingCountIsNeverNegative) {
    EXPECT_EQ(left_to_count(0, 3), 3);
    EXPECT_EQ(left_to_count(2, 3), 1);
    EXPECT_EQ(left_to_count(3, 3), 0);
    EXPECT_EQ(left_to_count(largest, 3), 0);
    EXPECT_EQ(left_to_count(-2, 3), 5) << "as Java may have it";
    EXPECT_EQ(left_to_count(smallest, 3), largest);
    EXPECT_EQ(left_to_count(-1, largest), largest);
    EXPECT_EQ(left_to_count(-1, largest - 1), largest);
}

TEST(CountDownRules, CountsOnFromTheExistingValue) {
    EXPECT_EQ(number_in(count_on(std::nullopt, 1)), 1) << "there is no node yet, or it was deleted";
    EXPECT_EQ(number_in(count_on("", 2)), 2) << "one without data";
    EXPECT_EQ(number_in(count_on(encode_number(5), 1)), 6);
    EXPECT_EQ(number_in(count_on(encode_number(-5), 1)), -4);
}

TEST(CountDownRules, ALatchThatIsDownStaysDownHoweverMuchIsCounted) {
    EXPECT_EQ(number_in(count_on(encode_number(largest), 1)), largest);
    EXPECT_EQ(number_in(count_on(encode_number(largest - 1), largest)), largest);
    EXPECT_EQ(number_in(count_on(encode_number(largest - 3), 3)), largest);
    EXPECT_EQ(number_in(count_on(encode_number(smallest), largest)), -1);
}

TEST(CountDownRules, RefusesInvalidCountsAndNumbers) {
    EXPECT_EQ(count_on(std::nullopt, 0).ec, server_error::bad_arguments);
    EXPECT_EQ(count_on(encode_number(1), -1).ec, server_error::bad_arguments);
    EXPECT_FALSE(count_on(encode_number(1), -1).data);
    EXPECT_EQ(count_on("abc", 1).ec, error::corrupt_data);
    EXPECT_FALSE(count_on("abc", 1).data);
}

TEST(CountDownRules, AWaitGoesOnWhenNothingIsLeft) {
    EXPECT_EQ(after_read({}, encode_number(2), 3), CountWaitStep(AwaitCount{}));
    EXPECT_EQ(after_read({}, encode_number(3), 3), CountWaitStep(ItIsDown{}));
    EXPECT_EQ(after_read({}, encode_number(9), 3), CountWaitStep(ItIsDown{})) << "others have counted on";
    EXPECT_EQ(after_read({}, encode_number(smallest), 3), CountWaitStep(AwaitCount{}));
}

TEST(CountDownRules, WithoutANodeItIsWatchedForAndReadWhenItIsThereByThen) {
    EXPECT_EQ(after_read(server_error::no_node, "", 1), CountWaitStep(WatchForNode{})) << "also when somebody has deleted it";
    EXPECT_EQ(after_look(server_error::no_node), CountWaitStep(AwaitCount{}));
    EXPECT_EQ(after_look({}), CountWaitStep(ReadAgain{}));
}

TEST(CountDownRules, AWaitFailsByAnInvalidNumberAndByARefusal) {
    EXPECT_EQ(after_read({}, "abc", 3), CountWaitStep(WaitFails{error::corrupt_data}));
    EXPECT_EQ(after_read(error::corrupt_data, "", 3), CountWaitStep(WaitFails{error::corrupt_data}));
    EXPECT_EQ(after_read(server_error::no_auth, "", 3), CountWaitStep(WaitFails{server_error::no_auth}));
    EXPECT_EQ(after_look(server_error::no_auth), CountWaitStep(WaitFails{server_error::no_auth}));
}

} // namespace count_down_story
} // namespace
} // namespace docent::detail
