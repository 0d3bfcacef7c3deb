// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checker/made_up.hpp"

#include <chrono>
#include <string>

namespace docent::chaos {
namespace {

using namespace std::chrono_literals;

TEST(Items, EachHasAnOwnerSoonAfterAHealing) {
    const auto history = [](const char* granted, const char* owned) {
        return made_up({{"nemesis", "1 item /p/items/0"},
                        {"a", "2 granted 1 /p/items/0 exclusive 6 /p/items/0/x-6"},
                        {"a", "3 yes 1"},
                        {"a", "8 still 1"},
                        {"nemesis", "10 healed"},
                        {"b", granted},
                        {"b", owned},
                        {"nemesis", "100 storm"}});
    };
    EXPECT_TRUE(check_items(history("20 granted 1 /p/items/0 exclusive 7 /p/items/0/x-7", "30 yes 1"), 20ns).empty());
    const Violations late = check_items(history("20 granted 1 /p/items/0 exclusive 7 /p/items/0/x-7", "31 yes 1"), 20ns);
    ASSERT_EQ(late.size(), 1U);
    EXPECT_EQ(late[0].from, 10);
    EXPECT_EQ(late[0].to, 30);
    EXPECT_EQ(check_items(history("20 ask 1 item /p/items/0", "21 ask 2 item /p/items/0"), 20ns).size(), 1U)
        << "no owner at all";
}

TEST(Items, AnOwnerFromBeforeTheHealingIsOne) {
    const History history = made_up({{"nemesis", "1 item /p/items/0"},
                                     {"a", "2 granted 1 /p/items/0 exclusive 6 /p/items/0/x-6"},
                                     {"a", "3 yes 1"},
                                     {"nemesis", "10 healed"},
                                     {"a", "12 still 1"},
                                     {"nemesis", "100 storm"}});
    EXPECT_TRUE(check_items(history, 1ns).empty());
}

} // namespace
} // namespace docent::chaos
