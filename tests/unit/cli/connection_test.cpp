// SPDX-License-Identifier: Apache-2.0
#include "cli/connection.hpp"

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
    const ClientConfig config =
        client_config({.connect_string = "zk:1", .session_timeout = 4s, .name_space = "app", .auth = {{"digest", "user:pw"}}});
    EXPECT_EQ(config.connect_string, "zk:1");
    EXPECT_EQ(config.session_timeout, 4s);
    EXPECT_EQ(config.connection_timeout, 5s);
    EXPECT_EQ(config.name_space, "app");
    EXPECT_EQ(config.auth, (std::vector<AuthInfo>{{"digest", "user:pw"}}));
}

} // namespace
} // namespace docent::cli
