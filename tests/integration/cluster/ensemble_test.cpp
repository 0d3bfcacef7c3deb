// SPDX-License-Identifier: Apache-2.0

// The server list follows the ensemble.

#include "clients.hpp"
#include "patient_cluster.hpp"

#include <docent/client.hpp>
#include <docent/testing/fault_proxy.hpp>
#include <docent/testing/testing_cluster.hpp>

#include <gtest/gtest.h>

#include <mutex>

namespace docent {
namespace {

using docent::test::eventually;
using docent::testing::ClusterOptions;
using docent::testing::FaultProxy;
using docent::testing::TestingCluster;
using docent::testing::TestingServer;
using enum SessionState;

ClusterOptions open_cluster() {
    ClusterOptions options = patient_cluster();
    options.java_options.emplace_back("-Dzookeeper.skipACL=yes"); // permissions to reconfigure are not tested here
    return options;
}

TEST(Ensemble, ClientThatKnowsOneServerLearnsOfTheOthers) {
    TestingCluster cluster(patient_cluster());
    const std::string one = cluster.server(0).connect_string();
    Client follower{{.connect_string = one, .session_timeout = patient_timeout}};
    Client stubborn{{.connect_string = one, .session_timeout = patient_timeout, .ensemble_tracking = EnsembleTracking::off}};
    for (Client* client : {&follower, &stubborn}) {
        client->start();
        EXPECT_NE(client->ensemble_config().data.find("server.3="), std::string::npos);
    }
    SessionWatcher session(follower);
    SessionWatcher stubborn_session(stubborn);
    cluster.server(0).kill();
    session.until(suspended);
    EXPECT_EQ(session.until(connected).epoch, 1u);
    EXPECT_NE(server_of(follower, cluster), 0u);
    stubborn_session.until(suspended);
    EXPECT_EQ(stubborn.session().state, suspended);
    cluster.server(0).start();
    stubborn.exists("/");
    EXPECT_EQ(server_of(stubborn, cluster), 0u);
}

TEST(Ensemble, ReconfigurationIsToldAndFollowed) {
    struct Provider final : EnsembleProvider {
        explicit Provider(std::string servers) : first(std::move(servers)) {}
        std::string connect_string() override { return first; }
        void on_ensemble_changed(const std::string& servers) override {
            const std::lock_guard lock(mutex);
            last = servers;
        }
        std::string told() {
            const std::lock_guard lock(mutex);
            return last;
        }
        const std::string first;
        std::mutex mutex;
        std::string last;
    };
    TestingCluster cluster(open_cluster());
    const auto provider = std::make_shared<Provider>(cluster.connect_string());
    Client client =
        started({.connect_string = "unused/app", .session_timeout = patient_timeout, .ensemble_provider = provider});
    auto watched = client.ensemble_config_watched();
    EXPECT_TRUE(eventually([&] { return provider->told() == cluster.connect_string(); }));
    const std::size_t leaving = cluster.leader() == 2u ? 1 : 2;
    const NodeData changed = client.reconfigure({.leaving = std::to_string(leaving + 1)});
    EXPECT_EQ(changed.data.find("server." + std::to_string(leaving + 1) + "="), std::string::npos) << changed.data;
    EXPECT_EQ(watched.watch.wait({.timeout = generous}).path, "/zookeeper/config");
    EXPECT_EQ(client.ensemble_config().data, changed.data);
    const auto gone = cluster.server(leaving).connect_string();
    EXPECT_TRUE(eventually([&] { return provider->told().find(gone) == std::string::npos; })) << provider->told();
    error_code ec;
    client.reconfigure({.leaving = "1", .from_version = 1}, ec);
    EXPECT_EQ(ec, server_error::bad_version);
    client.reconfigure({}, ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
}

TEST(Ensemble, ReconfigurationNeedsPermission) {
    TestingCluster cluster;
    Client client = started({.connect_string = cluster.connect_string()});
    error_code ec;
    client.reconfigure({.leaving = "3"}, ec);
    EXPECT_EQ(ec, server_error::no_auth);
}

/// The names that an ensemble gives to its servers may not be reachable from everywhere.
TEST(Ensemble, ConfiguredServersAreTriedWhenThoseOfTheEnsembleDoNotAnswer) {
    TestingServer server({.java_options = {"-Dzookeeper.skipACL=yes"}});
    TestingServer nobody;
    nobody.kill();
    FaultProxy dead(nobody.port()); // accepts connections and closes them
    Client client = started({.connect_string = server.connect_string()});
    Client writer = started({.connect_string = server.connect_string(), .ensemble_tracking = EnsembleTracking::off});
    client.wait_connected();
    auto watched = client.ensemble_config_watched();
    writer.set("/zookeeper/config", "server.1=127.0.0.1:1:2:participant;" + dead.connect_string());
    watched.watch.wait({.timeout = generous});
    EXPECT_EQ(client.ensemble_config().stat.version, writer.ensemble_config().stat.version);
    SessionWatcher session(client);
    server.restart();
    session.until(suspended);
    EXPECT_EQ(session.until(connected).epoch, 1u);
    EXPECT_GE(dead.connections(), 1u) << "the ensemble's own list comes first";
}

} // namespace
} // namespace docent
