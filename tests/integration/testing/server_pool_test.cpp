// SPDX-License-Identifier: Apache-2.0
#include "integration/testing/raw_client.hpp"
#include "servers/pool_words.hpp"
#include "servers/server_pool.hpp"

#include <docent/client.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace docent::test;
using docent::testing::ServerOptions;
using docent::testing::TestingServer;

namespace {

const std::string usual = line_of(ServerOptions{.tick_time = std::chrono::milliseconds(100)});

/// Takes a server, uses it, gives it back, and takes a server again. Returns true if it is the same server.
template <class Use> bool is_used_again(ServerPool& pool, Use use) {
    auto server = pool.take(usual);
    const int pid = server->pid();
    use(*server);
    pool.give_back(usual, std::move(server));
    return pool.take(usual)->pid() == pid;
}

void with_client(const TestingServer& server, void (*use)(docent::Client&)) {
    docent::Client client({.connect_string = server.connect_string()});
    client.start();
    use(client);
}

} // namespace

TEST(ServerPool, AServerIsUsedAgainWithNothingOfTheLastTest) {
    ServerPool pool;
    EXPECT_TRUE(is_used_again(pool, [](TestingServer& server) {
        with_client(server, [](docent::Client& client) {
            client.create("/a");
            client.create("/a/b");
            client.create("/c", "", {.mode = docent::CreateMode::ephemeral});
        });
    }));
    with_client(*pool.take(usual),
                [](docent::Client& client) { EXPECT_EQ(client.children("/").names, std::vector<std::string>{"zookeeper"}); });
}

TEST(ServerPool, ARestartedServerIsUsedAgain) {
    ServerPool pool;
    auto server = pool.take(usual);
    with_client(*server, [](docent::Client& client) { client.create("/a"); });
    server->restart();
    const int pid = server->pid();
    pool.give_back(usual, std::move(server));
    EXPECT_EQ(pool.take(usual)->pid(), pid);
}

TEST(ServerPool, SessionsThatClientsHaveLeftAreAwaited) {
    ServerPool pool;
    EXPECT_TRUE(is_used_again(pool, [](TestingServer& server) { ASSERT_TRUE(RawClient(server.port()).handshake()); }));
}

TEST(ServerPool, ASessionThatStaysEndsTheServer) {
    ServerPool pool(std::chrono::milliseconds(0));
    EXPECT_FALSE(is_used_again(pool, [](TestingServer& server) { ASSERT_TRUE(RawClient(server.port()).handshake()); }));
}

TEST(ServerPool, AChangedRootEndsTheServer) {
    ServerPool pool;
    EXPECT_FALSE(is_used_again(
        pool, [](TestingServer& server) { with_client(server, [](docent::Client& client) { client.set("/", "data"); }); }));
}

TEST(ServerPool, AStoppedServerIsNotUsedAgain) {
    ServerPool pool;
    EXPECT_FALSE(is_used_again(pool, [](TestingServer& server) { server.kill(); }));
}

TEST(ServerPool, OptionsTellServersApart) {
    ServerPool pool;
    ServerOptions options{.tick_time = std::chrono::milliseconds(100)};
    options.properties = {{"maxSessionTimeout", "4321"}, {"minSessionTimeout", "1234"}};
    options.java_options = {"-Dznode.container.checkIntervalMs=50"};
    const auto server = pool.take(line_of(options));
    EXPECT_NE(server->four_letter_word("conf").find("maxSessionTimeout=4321"), std::string::npos);
    EXPECT_NE(server->four_letter_word("conf").find("minSessionTimeout=1234"), std::string::npos);
    EXPECT_NE(line_of(options), usual);
    EXPECT_EQ(options_in(line_of(options)).java_options, options.java_options);
}
