// SPDX-License-Identifier: Apache-2.0
#include "testing/ports.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace docent::testing {
namespace {

TEST(PortLease, NoTwoAreTheSame) {
    std::vector<PortLease> leases;
    std::set<std::uint16_t> ports;
    for (int i = 0; i < 200; ++i) ports.insert(leases.emplace_back().port());
    EXPECT_EQ(ports.size(), leases.size());
    EXPECT_GE(*ports.begin(), 1024);
}

TEST(PortLease, PortIsFreeForItsOwner) {
    const PortLease lease;
    EXPECT_TRUE(port_is_free(lease.port()));
}

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
