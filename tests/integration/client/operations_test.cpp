// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inspection.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;

class Operations : public ::testing::Test {
protected:
    docent::test::AnyServer server{{.extended_types = true}};
    Client client = started({.connect_string = server.connect_string()});

    void SetUp() override { client.wait_connected(); }
};

TEST_F(Operations, CreateInEveryMode) {
    EXPECT_EQ(client.create("/p", "x").path, "/p");
    EXPECT_EQ(client.create("/p/s-", "", {.mode = CreateMode::persistent_sequential}).path, "/p/s-0000000000");
    EXPECT_EQ(client.create("/p/", "", {.mode = CreateMode::persistent_sequential}).path, "/p/0000000001");
    const Created ephemeral = client.create("/p/e", "", {.mode = CreateMode::ephemeral});
    EXPECT_EQ(ephemeral.stat.ephemeral_owner, client.session().session_id);
    EXPECT_EQ(client.create("/p/es-", "", {.mode = CreateMode::ephemeral_sequential}).path, "/p/es-0000000003");
    client.create("/p/c", "", {.mode = CreateMode::container});
    client.create("/p/t", "", {.mode = CreateMode::persistent_with_ttl, .ttl = 1h});
    EXPECT_EQ(client.create("/p/ts-", "", {.mode = CreateMode::persistent_sequential_with_ttl, .ttl = 1h}).path,
              "/p/ts-0000000006");
    EXPECT_EQ(client.children("/p").stat.num_children, 7);
    client.create("/p/short", "", {.mode = CreateMode::persistent_with_ttl, .ttl = 1ms}); // the shortest that a server accepts
}

/// With the mark of a protected node, each of these would become a valid path.
TEST_F(Operations, ProtectedNodesHaveValidPathsWithoutTheirMark) {
    for (const std::string path : {"", "b", "//b", "/a/"}) {
        error_code ec;
        client.create(path, "", {.protection = Protection::protected_, .parents = Parents::persistent}, ec);
        EXPECT_EQ(ec, error::invalid_path) << path;
    }
    const CreateOptions sequential = {
        .mode = CreateMode::ephemeral_sequential, .protection = Protection::protected_, .parents = Parents::persistent};
    EXPECT_TRUE(client.create("/a/", "", sequential).path.ends_with("-0000000000")) << "the server appends digits";
}

TEST_F(Operations, ARemovalInTheBackgroundIsNotForgottenBeforeTheStart) {
    client.create("/a");
    client.create("/b");
    Client later{{.connect_string = server.connect_string()}};
    later.remove_guaranteed("/a");
    auto removed = later.async_remove("/b", {.guarantee = Guarantee::background}, CallOptions::within(1ms), asio::use_future);
    EXPECT_THROW(removed.get(), boost::system::system_error);
    later.start();
    EXPECT_TRUE(eventually([&] { return !client.exists("/a") && !client.exists("/b"); }));
}

TEST_F(Operations, CreateWithParentsAndProtection) {
    const Created made = client.create(
        "/a/b/c/n-", "d",
        {.mode = CreateMode::ephemeral_sequential, .protection = Protection::protected_, .parents = Parents::container});
    EXPECT_TRUE(made.path.starts_with("/a/b/c/_c_")) << made.path;
    EXPECT_TRUE(made.path.ends_with("-n-0000000000")) << made.path;
    EXPECT_EQ(made.path.size(), std::string("/a/b/c/_c_").size() + 36 + std::string("-n-0000000000").size());
    EXPECT_EQ(client.get(made.path).data, "d");
    EXPECT_EQ(client.get(made.path).stat.czxid, made.stat.czxid);
    client.create("/q/r", "", {.parents = Parents::persistent});
    error_code ec;
    client.create("/none/r", "", {}, ec);
    EXPECT_EQ(ec, server_error::no_node);
}

TEST_F(Operations, DataWithAnyBytes) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
    client.create("/a", bytes);
    EXPECT_EQ(client.get("/a").data, bytes);
    const std::string large(1'000'000, 'x');
    EXPECT_EQ(client.set("/a", large).data_length, 1'000'000);
    EXPECT_EQ(client.get("/a").data, large);
    client.set("/a", "");
    EXPECT_EQ(client.get("/a").data, "");
}

TEST_F(Operations, VersionsGuardSetAndRemove) {
    client.create("/a", "0");
    EXPECT_EQ(client.set("/a", "1", {.version = 0}).version, 1);
    error_code ec;
    client.set("/a", "2", {.version = 0}, ec);
    EXPECT_EQ(ec, server_error::bad_version);
    client.remove("/a", {.version = 0}, ec);
    EXPECT_EQ(ec, server_error::bad_version);
    client.remove("/a", {.version = 1});
    EXPECT_FALSE(client.exists("/a"));
    EXPECT_FALSE(client.exists("/nowhere/at/all"));
}

TEST_F(Operations, ErrorsNameOperationAndPath) {
    const Failure missing = failure_of([&] { client.get("/missing"); });
    EXPECT_EQ(missing.code, server_error::no_node);
    EXPECT_TRUE(missing.text.starts_with("get /missing")) << missing.text;
    error_code ec;
    client.create("/a");
    client.create("/a", "", {}, ec);
    EXPECT_EQ(ec, server_error::node_exists);
    client.create("/a/b");
    client.remove("/a", {}, ec);
    EXPECT_EQ(ec, server_error::not_empty);
    client.create("/e", "", {.mode = CreateMode::ephemeral});
    client.create("/e/x", "", {}, ec);
    EXPECT_EQ(ec, server_error::no_children_for_ephemerals);
}

TEST_F(Operations, ShortFormsOfCreateAndSet) {
    EXPECT_EQ(client.create("/n", {.mode = CreateMode::ephemeral}).stat.ephemeral_owner, client.session().session_id);
    EXPECT_EQ(client.create("/n-", "x", CreateMode::persistent_sequential).path.size(), std::string("/n-0000000001").size());
    const CreateOptions numbered{.mode = CreateMode::persistent_sequential};
    EXPECT_TRUE(client.async_create("/m-", numbered, asio::use_future).get().path.starts_with("/m-0"));
    EXPECT_EQ(client.async_create("/o", "x", CreateMode::persistent, asio::use_future).get().path, "/o");
    EXPECT_EQ(client.set("/o", "y", 0).version, 1);
    EXPECT_EQ(client.async_set("/o", "z", 1, asio::use_future).get().version, 2);
    error_code ec;
    client.set("/o", "late", 1, ec);
    EXPECT_EQ(ec, server_error::bad_version);
    EXPECT_EQ(client.set("/o", "any", {}).version, 3) << "braces are options, not the version 0";
    client.create("/o", {.if_exists = IfExists::accept}, ec);
    EXPECT_FALSE(ec);
}

TEST_F(Operations, TheTextOfAnExceptionExplainsAnInvalidArgument) {
    const auto says = [&](const auto& call, const std::string& what) {
        EXPECT_PRED_FORMAT2(::testing::IsSubstring, what, failure_of(call).text);
    };
    const std::string no_slash = "'x' is not a valid path: it does not begin with /";
    says([&] { client.get("x"); }, "get x: " + no_slash);
    says([&] { client.create("x"); }, no_slash);
    says([&] { client.set("x", ""); }, no_slash);
    says([&] { client.remove("x"); }, no_slash);
    says([&] { client.exists_watched("x"); }, no_slash);
    says([&] { client.children("x"); }, no_slash);
    says([&] { client.sync("x"); }, no_slash);
    says([&] { inspect(client, "x"); }, no_slash);
    says([&] { client.commit(Transaction().check("/a").remove("x")); }, no_slash);
    says([&] { client.create("/t", "", {.mode = CreateMode::persistent_with_ttl}); },
         "a mode with a TTL needs CreateOptions::ttl");
    says([&] { client.get("/missing"); }, "get /missing: no such node");
}

TEST_F(Operations, AsynchronousWithCoroutines) {
    asio::io_context context;
    auto result = asio::co_spawn(
        context,
        [this]() -> asio::awaitable<std::string> {
            co_await client.async_create("/a", "x", {}, asio::use_awaitable);
            auto [data, watch] = co_await client.async_get_watched("/a", asio::use_awaitable);
            co_await client.async_set("/a", "y", {.version = 0}, asio::use_awaitable);
            const WatchEvent event = co_await watch.async_wait(asio::use_awaitable);
            const auto children = co_await client.async_children("/", asio::use_awaitable);
            EXPECT_EQ(std::count(children.names.begin(), children.names.end(), "a"), 1);
            EXPECT_TRUE(co_await client.async_exists("/a", asio::use_awaitable));
            co_await client.async_sync("/a", asio::use_awaitable);
            co_await client.async_remove("/a", {.version = 1}, asio::use_awaitable);
            co_return data.data + ":" + std::string(to_string(event.type));
        },
        asio::use_future);
    context.run();
    EXPECT_EQ(result.get(), "x:data_changed");
}

TEST_F(Operations, AsynchronousByDefaultIsDeferred) {
    auto later = client.async_exists("/a");
    EXPECT_FALSE(std::move(later)(asio::use_future).get());
}

TEST_F(Operations, OnAnExecutorOfTheUser) {
    asio::io_context context;
    auto own = std::make_unique<Client>(context.get_executor(), ClientConfig{.connect_string = server.connect_string()});
    own->start();
    bool made = false;
    own->async_create("/mine", "", {.mode = CreateMode::ephemeral}, [&](error_code ec, const Created&) {
        EXPECT_FALSE(ec);
        made = true;
        own->get("/mine", ec);
        EXPECT_EQ(ec, error::would_deadlock) << "a blocking call on the thread that runs the client";
        own->async_close([](error_code closed) { EXPECT_FALSE(closed); });
    });
    context.run(); // returns when the client is closed
    EXPECT_TRUE(made);
    own.reset();
    EXPECT_FALSE(client.exists("/mine")) << "closing ends the session, and with it its nodes";
}

TEST_F(Operations, CredentialsArePresentedOnEveryConnection) {
    Client owner{{.connect_string = server.connect_string(),
                  .connection_timeout = 60s, // a restart takes less
                  .auth = {{"digest", "u:p"}, {"digest", "v:q"}}}};
    owner.start();
    owner.create("/secret", "x", {.acl = {{Permission::all, "auth", ""}}});
    error_code ec;
    client.get("/secret", ec);
    EXPECT_EQ(ec, server_error::no_auth);
    EXPECT_EQ(owner.get("/secret").data, "x");
    server.restart();
    EXPECT_EQ(owner.get("/secret").data, "x");
}

TEST(ClientConfigTest, BadFieldsAreNamedBeforeAnythingIsSent) {
    const auto fault = [](const ClientConfig& config) {
        const Failure failure = failure_of([&] { return started(config); });
        EXPECT_EQ(failure.code, error::invalid_config);
        return failure.text;
    };
    EXPECT_NE(fault({.connect_string = "host:notaport"}).find("host:notaport"), std::string::npos);
    EXPECT_NE(fault({.session_timeout = 10ms}).find("session_timeout"), std::string::npos);
    EXPECT_NE(fault({.session_timeout = 25h}).find("session_timeout"), std::string::npos) << "more than the protocol can say";
    EXPECT_NE(fault({.session_timeout = std::chrono::milliseconds::max()}).find("session_timeout"), std::string::npos);
    EXPECT_NE(fault({.session_timeout = std::chrono::milliseconds::min()}).find("session_timeout"), std::string::npos);
    EXPECT_NE(fault({.connection_timeout = std::chrono::milliseconds::min()}).find("connection_timeout"), std::string::npos);
    EXPECT_NE(fault({.name_space = "a//b"}).find("name_space"), std::string::npos);
    EXPECT_NE(fault({.default_acl = {}}).find("default_acl"), std::string::npos);
}

} // namespace
} // namespace docent
