// SPDX-License-Identifier: Apache-2.0

// What stands between a client and its users: chroot, namespace, and what observes one call.

#include "client/core/observation.hpp"
#include "client/core/operation.hpp"

#include <docent/client.hpp>

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

TEST(Views, TellWhatTheServersCallAPath) {
    const Client plain{{.connect_string = "127.0.0.1:1"}};
    EXPECT_EQ(plain.core()->server_path("/a"), "/a");
    const Client client{{.connect_string = "127.0.0.1:1/chroot", .name_space = "app"}};
    EXPECT_EQ(client.core()->server_path("/a/b"), "/chroot/app/a/b");
    EXPECT_EQ(client.core()->server_path("/"), "/chroot/app");
    EXPECT_EQ(client.in_namespace("other").core()->server_path("/a"), "/chroot/other/a");
    const auto observation = observe(client.core(), {"get", "/a"}, {.retry_policy = RetryPolicy::forever({})});
    EXPECT_EQ(observation->view()->server_path("/a"), "/chroot/app/a");
}

TEST(Views, HaveTheClientAsTheirRoot) {
    const Client client{{.connect_string = "127.0.0.1:1/chroot", .name_space = "app"}};
    const auto observation = observe(client.core(), {"get", "/a"}, {.retry_policy = RetryPolicy::forever({})});
    EXPECT_EQ(&client.core()->root(), &client.in_namespace("other").core()->root());
    EXPECT_EQ(&client.core()->root(), &observation->view()->root());
    const Client another{{.connect_string = "127.0.0.1:1/chroot", .name_space = "app"}};
    EXPECT_NE(&client.core()->root(), &another.core()->root());
}

} // namespace
} // namespace docent::detail
