// SPDX-License-Identifier: Apache-2.0

// The layers between a client and its users: chroot, namespace, and the observer of a call.

#include "client/core/access.hpp"
#include "client/core/observation.hpp"
#include "client/core/operation.hpp"

#include <docent/client.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <gtest/gtest.h>

#include <type_traits>

namespace docent::detail {
namespace {

TEST(Views, GiveTheServersPath) {
    const Client plain{{.connect_string = "127.0.0.1:1"}};
    EXPECT_EQ(Access::view(plain)->server_path("/a"), "/a");
    const Client client{{.connect_string = "127.0.0.1:1/chroot", .name_space = "app"}};
    EXPECT_EQ(Access::view(client)->server_path("/a/b"), "/chroot/app/a/b");
    EXPECT_EQ(Access::view(client)->server_path("/"), "/chroot/app");
    EXPECT_EQ(Access::view(client.in_namespace("other"))->server_path("/a"), "/chroot/other/a");
    const auto observation = observe(Access::view(client), {"get", "/a"}, {.retry_policy = RetryPolicy::forever({})});
    EXPECT_EQ(observation->server_path("/a"), "/chroot/app/a");
}

TEST(Views, OfAClientWithoutAConfiguration) {
    const Client client{{}};
    EXPECT_EQ(Access::view(client)->server_path("/a"), "/a");
    static_assert(std::is_constructible_v<Client, asio::io_context::executor_type, ClientConfig>);
    static_assert(std::is_constructible_v<Client, asio::strand<asio::any_io_executor>>);
    static_assert(std::is_constructible_v<Client, asio::any_io_executor> && !std::is_constructible_v<Client, int>);
}

TEST(Views, TakeANamespaceWithASlashInFront) {
    const Client client{{.connect_string = "127.0.0.1:1", .name_space = "/app"}};
    EXPECT_EQ(client.name_space(), "app");
    EXPECT_EQ(Access::view(client)->server_path("/a"), "/app/a");
    EXPECT_EQ(client.in_namespace("/teams/x").name_space(), "teams/x");
    EXPECT_EQ(Access::view(client.in_namespace("/teams/x"))->server_path("/a"), "/teams/x/a");
    EXPECT_EQ(Access::view(client.in_namespace("/"))->server_path("/a"), "/a");
}

TEST(Views, HaveTheClientAsTheirRoot) {
    const Client client{{.connect_string = "127.0.0.1:1/chroot", .name_space = "app"}};
    const auto observation = observe(Access::view(client), {"get", "/a"}, {.retry_policy = RetryPolicy::forever({})});
    EXPECT_EQ(&Access::view(client)->root(), &Access::view(client.in_namespace("other"))->root());
    EXPECT_EQ(&Access::view(client)->root(), &observation->root());
    const Client another{{.connect_string = "127.0.0.1:1/chroot", .name_space = "app"}};
    EXPECT_NE(&Access::view(client)->root(), &Access::view(another)->root());
}

} // namespace
} // namespace docent::detail
