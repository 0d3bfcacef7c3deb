// SPDX-License-Identifier: Apache-2.0

// A protected create ends with exactly one node, under the path that was reported, wherever the connection breaks.

#include "servers/pooled_server.hpp"
#include "session_watcher.hpp"

#include <docent/client.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::PooledServer;
using docent::testing::FaultProxy;
using docent::testing::Opcode;

class LostReply : public ::testing::Test {
protected:
    PooledServer server;
    FaultProxy proxy{server.port()};
    Client client{{.connect_string = proxy.connect_string(), .retry_policy = RetryPolicy::n_times(10, 10ms)}};
    Client direct{{.connect_string = server.connect_string()}};

    void SetUp() override {
        client.start();
        direct.start();
        direct.create("/p");
        client.wait_connected();
    }

    Created create_protected() {
        return client.create("/p/n-", "d", {.mode = CreateMode::ephemeral_sequential, .protection = Protection::protected_});
    }

    void expect_exactly(const Created& made) {
        direct.sync("/p");
        const Children children = direct.children("/p");
        ASSERT_EQ(children.names.size(), 1u);
        EXPECT_EQ("/p/" + children.names.front(), made.path);
        EXPECT_EQ(direct.get(made.path).stat.czxid, made.stat.czxid);
    }
};

TEST_F(LostReply, LostBeforeItWasSent) {
    proxy.cut_before_request(Opcode::create2);
    const Created made = create_protected();
    EXPECT_TRUE(proxy.wait_cuts(1, 0ms));
    expect_exactly(made);
}

TEST_F(LostReply, LostAfterItWasApplied) {
    proxy.cut_before_reply(Opcode::create2);
    const Created made = create_protected();
    EXPECT_TRUE(proxy.wait_cuts(1, 0ms));
    expect_exactly(made);
}

TEST_F(LostReply, LostAgainDuringTheRecovery) {
    for (const Opcode search : {Opcode::sync, Opcode::children2}) {
        proxy.cut_before_reply(Opcode::create2);
        proxy.cut_before_reply(search);
        const Created made = create_protected();
        EXPECT_TRUE(proxy.wait_cuts(2, 0ms));
        expect_exactly(made);
        direct.remove(made.path);
        proxy.heal();
    }
}

TEST_F(LostReply, LostThreeTimesInARow) {
    proxy.cut_before_request(Opcode::create2);
    proxy.cut_before_request(Opcode::children2);
    proxy.cut_before_reply(Opcode::exists);
    const Created made = create_protected();
    expect_exactly(made);
}

TEST_F(LostReply, ACallerThatGivesUpLeavesNoNode) {
    auto none_left = [&] {
        for (;;) {
            auto watched = direct.children_watched("/p");
            if (watched.value.names.empty()) return true;
            error_code ec;
            watched.watch.wait(ec, {.timeout = generous});
            if (ec) return false;
        }
    };
    proxy.black_hole(docent::testing::Direction::to_client);
    error_code ec;
    client.create("/p/n-", "", {.mode = CreateMode::ephemeral_sequential, .protection = Protection::protected_}, ec,
                  {.timeout = 100ms});
    EXPECT_EQ(ec, server_error::operation_timeout);
    proxy.heal();
    EXPECT_TRUE(none_left());
}

TEST_F(LostReply, UnprotectedSequentialCreateReportsDoubt) {
    proxy.cut_before_reply(Opcode::create2);
    error_code ec;
    client.create("/p/n-", "", {.mode = CreateMode::ephemeral_sequential}, ec);
    EXPECT_EQ(ec, condition::outcome_unknown) << ec.message();
    direct.sync("/p");
    EXPECT_EQ(direct.children("/p").names.size(), 1u) << "not repeated";
}

TEST_F(LostReply, RemoveSucceedsThoughItsReplyWasLost) {
    direct.create("/p/x");
    proxy.cut_before_reply(Opcode::remove);
    client.remove("/p/x");
    EXPECT_FALSE(direct.exists("/p/x"));
}

TEST_F(LostReply, EphemeralCreateKnowsItsOwnNode) {
    proxy.cut_before_reply(Opcode::create2);
    EXPECT_EQ(client.create("/p/e", "", {.mode = CreateMode::ephemeral}).path, "/p/e");
}

TEST_F(LostReply, ReadsAreRepeated) {
    proxy.cut_before_reply(Opcode::get);
    EXPECT_EQ(client.get("/p").stat.num_children, 0);
    proxy.cut_before_request(Opcode::exists);
    EXPECT_TRUE(client.exists("/p"));
}

TEST_F(LostReply, GuaranteedRemovalSurvivesTheLossOfItsRequest) {
    direct.create("/p/x");
    auto watched = direct.exists_watched("/p/x");
    proxy.cut_before_request(Opcode::remove);
    client.remove_guaranteed("/p/x");
    EXPECT_EQ(watched.watch.wait({.timeout = generous}).type, WatchEventType::deleted);
}

} // namespace
} // namespace docent
