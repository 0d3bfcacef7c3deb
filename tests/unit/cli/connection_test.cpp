// SPDX-License-Identifier: Apache-2.0
#include "cli/connection.hpp"
#include "cli/messages.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

TEST(Connection, WaitsLongerForMoreServersButNotForEver) {
    EXPECT_EQ(connection_timeout("zk1"), 5s);
    EXPECT_EQ(connection_timeout("zk1:2181,zk2:2181,zk3:2181/app"), 9s);
    EXPECT_EQ(connection_timeout("1,2,3,4,5,6,7,8,9"), 15s);
}

TEST(Connection, BecomesTheClientsConfiguration) {
    const ClientConfig config = client_config({.connect_string = "zk:1",
                                               .session_timeout = 4s,
                                               .heartbeats = Heartbeats::relaxed,
                                               .name_space = "app",
                                               .auth = {{"digest", "user:pw"}}});
    EXPECT_EQ(config.connect_string, "zk:1");
    EXPECT_EQ(config.session_timeout, 4s);
    EXPECT_EQ(config.heartbeats, Heartbeats::relaxed);
    EXPECT_EQ(config.connection_timeout, 5'400ms) << "with the pause of a relaxed client at its start";
    EXPECT_EQ(config.name_space, "app");
    EXPECT_EQ(config.auth, (std::vector<AuthInfo>{{"digest", "user:pw"}}));
}

TEST(Connection, NoServerRunsIfEachOneRefuses) {
    EXPECT_TRUE(every_server_refused("no answer from 1.1.1.1:1 (connection refused)"));
    EXPECT_TRUE(every_server_refused("no answer from 1.1.1.1:1 (connection refused), ::1:2 (connection refused)"));
    for (const auto* reason :
         {"", "no answer from 1.1.1.1:1 (connection refused), ::1:2 (not tried yet)",
          "no answer from 1.1.1.1:1 (no connection)", "no answer from 1.1.1.1:1 (not ZooKeeper), ::1:2 (connection refused)",
          "no answer from 1.1.1.1:1 (connection refused); cannot resolve b (no answer from DNS)", "cannot resolve b"}) {
        EXPECT_FALSE(every_server_refused(reason)) << reason;
    }
}

TEST(Connection, WithoutAServerTheCommandExitsWithOneStatus) {
    const Client client{ClientConfig{}};
    for (const error ec : {error::not_connected, error::tls_failed}) {
        EXPECT_EQ(report_failure(ec, "get /a", client), exit_code::unavailable);
    }
}

TEST(Connection, AfterTheEndOfTheSessionALaterCallMaySucceed) {
    const Client client{ClientConfig{}};
    EXPECT_EQ(report_failure(server_error::session_expired, "get /a", client), exit_code::unavailable);
    EXPECT_EQ(report_failure(server_error::no_node, "get /a", client), exit_code::failure);
}

TEST(Connection, OfAReadingCommandHasTheNamespaceInItsChroot) { // a command that only reads does not create the namespace
    const auto servers = [](std::string connect, std::string name_space) {
        const ClientConfig config = reading_config({.connect_string = std::move(connect), .name_space = std::move(name_space)});
        EXPECT_EQ(config.name_space, "");
        return config.connect_string;
    };
    EXPECT_EQ(servers("zk:1,zk:2", ""), "zk:1,zk:2");
    EXPECT_EQ(servers("zk:1,zk:2", "a/b"), "zk:1,zk:2/a/b");
    EXPECT_EQ(servers("zk:1,zk:2/", "a"), "zk:1,zk:2/a");
    EXPECT_EQ(servers("zk:1,zk:2/app", "a"), "zk:1,zk:2/app/a");
}

} // namespace
} // namespace docent::cli
