// SPDX-License-Identifier: Apache-2.0
#include "testing/port_lease.hpp"

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

} // namespace
} // namespace docent::testing
