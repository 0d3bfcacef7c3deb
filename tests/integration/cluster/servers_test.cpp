// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "patient_cluster.hpp"
#include "testing/ports.hpp"

#include <docent/client.hpp>
#include <docent/testing/fault_proxy.hpp>
#include <docent/testing/testing_cluster.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::testing::FaultProxy;
using docent::testing::PortLease;
using docent::testing::TestingCluster;
using enum SessionState;

std::string joined(const std::vector<std::string>& addresses) {
    std::string text;
    for (const std::string& address : addresses) text += (text.empty() ? "" : ",") + address;
    return text;
}

/// The address of a port without a listener.
std::string dead_address(const PortLease& lease) {
    return "127.0.0.1:" + std::to_string(lease.port());
}

/// The C client alone would try only every other server of an even number.
class EvenServers : public ::testing::TestWithParam<std::size_t> {
protected:
    TestingCluster cluster{patient_cluster()};
};

TEST_P(EvenServers, EachIsTriedWhenTheOthersRefuse) {
    std::deque<FaultProxy> ways;
    std::vector<std::string> addresses;
    for (std::size_t i = 0; i < GetParam(); ++i) {
        addresses.push_back(ways.emplace_back(cluster.server(i % cluster.size()).port()).connect_string());
    }
    Client client = started(
        {.connect_string = joined(addresses), .session_timeout = patient_timeout, .ensemble_tracking = EnsembleTracking::off});
    client.wait_connected();
    for (int round = 0; round < 2; ++round) {
        for (FaultProxy& open : ways) {
            for (FaultProxy& way : ways) {
                if (&way == &open) continue;
                way.refuse();
                way.cut();
            }
            EXPECT_TRUE(client.exists("/"));
            for (FaultProxy& way : ways) way.heal();
        }
    }
    for (const FaultProxy& way : ways) EXPECT_GE(way.connections(), 1u);
    EXPECT_EQ(client.session().epoch, 1u);
}

TEST_P(EvenServers, TheOnlyOneAliveIsFoundWhereverItStands) {
    std::vector<PortLease> dead(GetParam() - 1);
    for (std::size_t place = 0; place < GetParam(); ++place) {
        std::vector<std::string> addresses;
        for (const PortLease& lease : dead) addresses.push_back(dead_address(lease));
        addresses.insert(addresses.begin() + static_cast<std::ptrdiff_t>(place), cluster.server(0).connect_string());
        Client client = started({.connect_string = joined(addresses),
                                 .session_timeout = patient_timeout,
                                 .ensemble_tracking = EnsembleTracking::off});
        client.wait_connected({.timeout = generous});
        EXPECT_EQ(server_of(client, cluster), 0u) << place;
    }
}

TEST_P(EvenServers, SessionMovesAsOneAfterTheOtherIsKilled) {
    const PortLease dead;
    std::vector<std::string> addresses{cluster.server(0).connect_string(), cluster.server(1).connect_string()};
    if (GetParam() == 4) addresses.insert(addresses.begin() + 1, {dead_address(dead), cluster.server(2).connect_string()});
    ASSERT_EQ(addresses.size(), GetParam());
    Client client{
        {.connect_string = joined(addresses), .session_timeout = patient_timeout, .ensemble_tracking = EnsembleTracking::off}};
    SessionWatcher session(client);
    client.start();
    session.until(connected);
    for (int move = 0; move < 3; ++move) {
        const std::size_t before = server_of(client, cluster);
        cluster.server(before).kill();
        session.until(suspended);
        EXPECT_EQ(session.until(connected).epoch, 1u) << move;
        EXPECT_NE(server_of(client, cluster), before) << move;
        cluster.server(before).start();
        cluster.wait_for_quorum();
    }
}

INSTANTIATE_TEST_SUITE_P(Numbers, EvenServers, ::testing::Values(2, 4));

} // namespace
} // namespace docent
