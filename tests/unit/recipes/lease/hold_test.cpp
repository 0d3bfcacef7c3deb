// SPDX-License-Identifier: Apache-2.0
#include "lease/hold.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

constexpr Hold::Time boot{1h};

TEST(Hold, IsHeldUntilItIsEnded) {
    Hold hold(boot + 10s);
    EXPECT_EQ(hold.state(), LeaseState::held);
    EXPECT_EQ(hold.until(), boot + 10s);
    EXPECT_EQ(hold.end(LeaseState::released), boot + 10s) << "who ends it learns until when it was";
    EXPECT_EQ(hold.state(), LeaseState::released);
    EXPECT_EQ(hold.until(), std::nullopt);
}

TEST(Hold, EndsOnce) {
    for (const auto first : {LeaseState::lost, LeaseState::expired, LeaseState::released}) {
        Hold hold(boot);
        if (first == LeaseState::expired) {
            EXPECT_TRUE(hold.expire(boot));
        } else {
            EXPECT_TRUE(hold.end(first));
        }
        EXPECT_FALSE(hold.end(LeaseState::lost));
        EXPECT_FALSE(hold.end(LeaseState::released));
        EXPECT_FALSE(hold.expire(boot + 1h));
        EXPECT_FALSE(hold.extend(boot - 1s, boot + 1h)) << "nothing revives it";
        EXPECT_EQ(hold.state(), first);
    }
}

TEST(Hold, ExpiresWhenItsTimeIsUpAndNotBefore) {
    Hold hold(boot + 10s);
    EXPECT_FALSE(hold.expire(boot + 10s - 1ns));
    EXPECT_EQ(hold.state(), LeaseState::held);
    EXPECT_TRUE(hold.expire(boot + 10s));
    EXPECT_EQ(hold.state(), LeaseState::expired);
}

TEST(Hold, ForEverHasNoEnd) {
    Hold hold(Hold::for_ever);
    EXPECT_FALSE(hold.expire(Hold::for_ever - 1ns));
    EXPECT_TRUE(hold.extend(boot, boot + 1s));
    EXPECT_EQ(hold.until(), Hold::for_ever);
}

TEST(Hold, AnExtensionMovesTheEndAwayNeverNearer) {
    Hold hold(boot + 10s);
    EXPECT_TRUE(hold.extend(boot + 9s, boot + 19s));
    EXPECT_FALSE(hold.expire(boot + 10s));
    EXPECT_TRUE(hold.extend(boot + 10s, boot + 11s));
    EXPECT_EQ(hold.until(), boot + 19s);
    EXPECT_TRUE(hold.extend(boot + 10s, Hold::for_ever));
    EXPECT_EQ(hold.until(), Hold::for_ever);
}

TEST(Hold, AnExtensionThatComesAtTheEndComesTooLate) {
    Hold hold(boot + 10s);
    EXPECT_FALSE(hold.extend(boot + 10s, boot + 20s));
    EXPECT_EQ(hold.until(), boot + 10s);
}

/// Two threads have read the clock, one just before the end and one at the end. The first to act decides for both.
TEST(Hold, OfAnExtensionAndTheEndThatMeetOneWins) {
    Hold extended(boot + 10s);
    EXPECT_TRUE(extended.extend(boot + 10s - 1ns, boot + 20s));
    EXPECT_FALSE(extended.expire(boot + 10s));
    EXPECT_EQ(extended.state(), LeaseState::held);

    Hold expired(boot + 10s);
    EXPECT_TRUE(expired.expire(boot + 10s));
    EXPECT_FALSE(expired.extend(boot + 10s - 1ns, boot + 20s));
    EXPECT_EQ(expired.state(), LeaseState::expired);
}

TEST(Hold, ATooLongTimeIsForEver) {
    EXPECT_EQ(Hold::end_after(boot, 1ms), boot + 1ms);
    EXPECT_EQ(Hold::end_after(boot, std::chrono::years(99)), boot + std::chrono::years(99));
    EXPECT_EQ(Hold::end_after(boot, std::chrono::years(101)), Hold::for_ever);
    EXPECT_EQ(Hold::end_after(boot, std::chrono::milliseconds::max()), Hold::for_ever);
}

} // namespace
} // namespace docent::detail
