// SPDX-License-Identifier: Apache-2.0

// The layers between a client and its users: chroot, namespace, and the observer of a call.

#include "client/core/access.hpp"
#include "client/core/name_space.hpp"
#include "client/core/observation.hpp"
#include "client/core/operation.hpp"
#include "zk/request_check.hpp"

#include <docent/client.hpp>
#include <docent/tracing/counting_tracer.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <gtest/gtest.h>

#include <memory>
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

TEST(Observations, CountARetryThatCouldNotBeSentAtFirst) {
    const auto tracer = std::make_shared<CountingTracer>();
    {
        const Client client{{.tracer = tracer}};
        const auto observation = observe(Access::view(client), {"get", "/a"}, {});
        const zk::Request get = zk::GetRequest{"/a"};
        for (const error_code& answer : {make_error_code(server_error::connection_loss), make_error_code(error::not_connected),
                                         make_error_code(error::not_connected), error_code()}) {
            observation->counted(get, [](const zk::Reply&) {})({.ec = answer});
        }
        observation->on_completed({});
    } // the tracer has heard of all calls
    const OperationCounts counts = tracer->snapshot().operations["get"];
    EXPECT_EQ(counts.requests, 2u);
    EXPECT_EQ(counts.retries, 1u);
}

/// FrameGuard replaces an answer that is too large by an error of docent's own.
TEST(Observations, CountARequestWhoseAnswerIsTooLarge) {
    const auto tracer = std::make_shared<CountingTracer>();
    {
        const Client client{{.tracer = tracer}};
        const auto observation = observe(Access::view(client), {"children", "/a"}, {});
        const zk::Request list = zk::ChildrenRequest{"/a"};
        observation->counted(list, [](const zk::Reply&) {})({.ec = error::reply_too_large, .was_sent = true});
        observation->counted(list, [](const zk::Reply&) {})({.ec = error::reply_too_large}); // refused, and not sent
        observation->on_completed(error::reply_too_large);
    } // the tracer has heard of all calls
    const OperationCounts counts = tracer->snapshot().operations["children"];
    EXPECT_EQ(counts.requests, 1u);
    EXPECT_EQ(counts.request_bytes, zk::encoded_size(zk::ChildrenRequest{"/a"}));
}

TEST(PathPrefix, AddsAndStrips) {
    const PathPrefix prefix("/app/ns");
    EXPECT_EQ(prefix.add("/a"), "/app/ns/a");
    EXPECT_EQ(prefix.add("/"), "/app/ns");
    EXPECT_EQ(prefix.strip("/app/ns/a"), "/a");
    EXPECT_EQ(prefix.strip("/app/ns"), "/");
    EXPECT_EQ(prefix.strip("/app/nsx/a"), "/app/nsx/a") << "another node whose name begins alike";
    EXPECT_EQ(prefix.strip(""), "");
}

TEST(PathPrefix, EmptyChangesNothing) {
    const PathPrefix none;
    EXPECT_EQ(none.add("/"), "/");
    EXPECT_EQ(none.add("/a"), "/a");
    EXPECT_EQ(none.strip("/a"), "/a");
    EXPECT_EQ(none.strip(""), "");
}

TEST(PathPrefix, ReachesEveryPathOfARequest) {
    const PathPrefix prefix("/p");
    zk::Request multi = zk::MultiRequest{{zk::CreateRequest{"/a"}, zk::RemoveRequest{"/b"}, zk::CheckRequest{"/"}}};
    prefix.add_to(multi);
    const auto& operations = std::get<zk::MultiRequest>(multi).operations;
    EXPECT_EQ(std::get<zk::CreateRequest>(operations[0]).path, "/p/a");
    EXPECT_EQ(std::get<zk::RemoveRequest>(operations[1]).path, "/p/b");
    EXPECT_EQ(std::get<zk::CheckRequest>(operations[2]).path, "/p");
    zk::Request acl = zk::SetAclRequest{"/a", open_acl()};
    prefix.add_to(acl);
    EXPECT_EQ(zk::path_of(acl), "/p/a");
    zk::Request config = zk::ReconfigRequest{};
    prefix.add_to(config);
    EXPECT_EQ(zk::path_of(config), "/zookeeper/config") << "which is the same for everybody";
}

TEST(PathPrefix, KeepsPathsBelowItsRoot) {
    const PathPrefix prefix("/p");
    zk::Request create = zk::CreateRequest{"/", "", CreateMode::ephemeral_sequential};
    prefix.add_to(create);
    EXPECT_EQ(zk::path_of(create), "/p/");
    zk::Request plain = zk::CreateRequest{"/", "", CreateMode::ephemeral};
    prefix.add_to(plain);
    EXPECT_EQ(zk::path_of(plain), "/p");
    zk::Request multi = zk::MultiRequest{{zk::CreateRequest{"/", "", CreateMode::persistent_sequential}}};
    prefix.add_to(multi);
    EXPECT_EQ(std::get<zk::CreateRequest>(std::get<zk::MultiRequest>(multi).operations[0]).path, "/p/");
}

} // namespace
} // namespace docent::detail
