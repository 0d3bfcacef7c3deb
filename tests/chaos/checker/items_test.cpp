// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checker/made_up.hpp"

#include <chrono>
#include <string>

namespace docent::chaos {
namespace {

using namespace std::chrono_literals;

TEST(Items, EachHasAnOwnerSoonAfterAHealing) {
    const auto found = [](const char* next_owner) {
        return check_items(made_up({{"nemesis", "1 item /p/items/0; 10 healed; 100 storm"},
                                    {"a", "2 granted 1 /p/items/0 exclusive 6 /p/items/0/x-6; 3 yes 1; 8 still 1"},
                                    {"b", next_owner}}),
                           20ns);
    };
    EXPECT_TRUE(found("20 granted 1 /p/items/0 exclusive 7 /p/items/0/x-7; 30 yes 1").empty());
    const Violations late = found("20 granted 1 /p/items/0 exclusive 7 /p/items/0/x-7; 31 yes 1");
    ASSERT_EQ(late.size(), 1U);
    EXPECT_EQ(late[0].from, 10);
    EXPECT_EQ(late[0].to, 30);
    EXPECT_EQ(found("20 ask 1 item /p/items/0; 21 ask 2 item /p/items/0").size(), 1U) << "no owner at all";
}

TEST(Items, AnOwnerFromBeforeTheHealingIsOne) {
    const History history = made_up({{"nemesis", "1 item /p/items/0; 10 healed; 100 storm"},
                                     {"a", "2 granted 1 /p/items/0 exclusive 6 /p/items/0/x-6; 3 yes 1; 12 still 1"}});
    EXPECT_TRUE(check_items(history, 1ns).empty());
}

} // namespace
} // namespace docent::chaos
