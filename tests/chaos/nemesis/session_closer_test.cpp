// SPDX-License-Identifier: Apache-2.0
#include "nemesis/session_closer.hpp"

#include "eventually.hpp"

#include <docent/client.hpp>
#include <docent/testing/testing_server.hpp>

#include <gtest/gtest.h>

namespace docent::chaos {
namespace {

TEST(SessionCloser, EndsTheSessionOfAnotherClient) {
    const testing::TestingServer server;
    Client watcher({.connect_string = server.connect_string()});
    watcher.start();
    Client victim({.connect_string = server.connect_string()});
    victim.start();
    victim.create("/its-node", "", {.mode = CreateMode::ephemeral});
    const std::int64_t session = watcher.exists("/its-node")->ephemeral_owner;
    EXPECT_FALSE(close_session(server.port(), session + 1000));
    EXPECT_TRUE(watcher.exists("/its-node"));
    EXPECT_TRUE(test::eventually([&] { // on a busy machine, the answer may be late
        close_session(server.port(), session);
        return !watcher.exists("/its-node");
    }));
}

} // namespace
} // namespace docent::chaos
