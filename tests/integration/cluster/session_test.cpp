// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "heard.hpp"
#include "patient_cluster.hpp"

#include <docent/client.hpp>
#include <docent/testing/testing_cluster.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;
using docent::test::Heard;
using docent::testing::TestingCluster;
using std::chrono::steady_clock;
using enum SessionState;

TEST(ClusterSession, SurvivesTheDeathOfItsServerAgainAndAgain) {
    TestingCluster cluster(patient_cluster());
    Client client{{.connect_string = cluster.connect_string(), .session_timeout = patient_timeout}};
    SessionWatcher session(client);
    client.start();
    const std::int64_t id = session.until(connected).session_id;
    client.create("/e", "", {.mode = CreateMode::ephemeral});
    for (int round = 0; round < 3; ++round) {
        auto& server = cluster.server(server_of(client, cluster));
        server.kill();
        session.until(suspended);
        session.until(connected);
        cluster.wait_for_quorum();
        const auto node = client.exists("/e");
        ASSERT_TRUE(node) << round;
        EXPECT_EQ(node->ephemeral_owner, id) << round;
        server.start();
        cluster.wait_for_quorum();
    }
    EXPECT_EQ(client.session().epoch, 1u);
    EXPECT_EQ(client.session().session_id, id);
    EXPECT_TRUE(std::none_of(session.seen().begin(), session.seen().end(),
                             [](const SessionEvent& event) { return event.state == lost; }));
}

/// The remaining server closes its connections and accepts none.
TEST(ClusterSession, LostQuorumIsASuspensionThenALossAndPassesWithIt) {
    TestingCluster cluster;
    Client client{{.connect_string = cluster.connect_string(), .session_timeout = 10s}};
    SessionWatcher session(client);
    client.start();
    session.until(connected);
    client.create("/e", "", {.mode = CreateMode::ephemeral});
    const std::size_t left = server_of(client, cluster);
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        if (i != left) cluster.server(i).kill();
    }
    const SessionEvent broken = session.until(suspended);
    EXPECT_EQ(broken.epoch, 1u);
    const SessionEvent presumed = session.until(lost);
    EXPECT_EQ(presumed.epoch, 1u);
    EXPECT_EQ(presumed.reason, error::not_connected) << "nobody can have said it";
    const auto& seen = session.seen();
    ASSERT_GE(seen.size(), 2u);
    EXPECT_EQ(seen[seen.size() - 2].state, suspended);

    for (std::size_t i = 0; i < cluster.size(); ++i) cluster.server(i).start();
    cluster.wait_for_quorum();
    const SessionEvent again = session.until(connected);
    EXPECT_EQ(client.exists("/e").has_value(), again.epoch == 1) << "it has its node if it is the same session, and only then";
    client.create("/after", "", {.mode = CreateMode::ephemeral});
    EXPECT_EQ(client.exists("/after")->ephemeral_owner, again.session_id);
}

/// The client's only server is silent. The others have a quorum and expire the session: the client must know before.
TEST(ClusterSession, LossIsKnownBeforeTheQuorumEndsTheSession) {
    TestingCluster cluster;
    const std::size_t leader = cluster.leader().value();
    docent::testing::TestingServer& silent = cluster.server((leader + 1) % cluster.size());
    Client client{
        {.connect_string = silent.connect_string(), .session_timeout = 6s, .ensemble_tracking = EnsembleTracking::off}};
    SessionWatcher session(client);
    const Heard<steady_clock::time_point> losses;
    const Subscription subscription = client.listen([losses](const SessionEvent& event) {
        if (event.state == lost) losses.add(steady_clock::now());
    });
    client.start();
    session.until(connected);
    client.create("/e", "", {.mode = CreateMode::ephemeral});
    Client other = started({.connect_string = cluster.server(leader).connect_string()});
    auto watched = other.exists_watched("/e");
    ASSERT_TRUE(watched.value);
    auto ended = std::async(std::launch::async, [&] {
        EXPECT_EQ(watched.watch.wait({.timeout = generous}).type, WatchEventType::deleted);
        return steady_clock::now();
    });

    silent.pause();
    EXPECT_EQ(session.until(lost).reason, error::not_connected);
    ASSERT_TRUE(eventually([&] { return !losses.all().empty(); }));
    EXPECT_LT(losses.all().front(), ended.get());
    silent.resume();
    EXPECT_EQ(session.until(lost).reason, server_error::session_expired);
    EXPECT_EQ(session.until(connected).epoch, 2u);
    EXPECT_FALSE(client.exists("/e"));
}

} // namespace
} // namespace docent
