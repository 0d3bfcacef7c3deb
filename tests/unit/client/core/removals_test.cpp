// SPDX-License-Identifier: Apache-2.0
#include "client/core/removals/removals.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace docent::detail {
namespace {

/// Answers the requests of Removals in their order.
class RemovalsTest : public ::testing::Test {
protected:
    struct Sent {
        zk::Request request;
        zk::ReplyHandler handler;
    };
    std::deque<Sent> sent;
    int done = 0;
    error_code refused;
    std::vector<std::string> gone; // GUIDs
    Removals removals{[this](zk::Request request, zk::ReplyHandler handler) {
                          sent.push_back({std::move(request), std::move(handler)});
                      },
                      [this](const std::string&, const std::string& guid) { gone.push_back(guid); }};

    void add(RemovalOrder order, bool connected = true) {
        removals.add(std::move(order), connected, [this](error_code ec) {
            ++done;
            refused = ec;
        });
    }
    /// Checks the kind and the path of the oldest request, then answers it.
    template <typename Request> void answer(const std::string& path, zk::Reply reply) {
        ASSERT_FALSE(sent.empty());
        Sent oldest = std::move(sent.front());
        sent.pop_front();
        ASSERT_TRUE(std::holds_alternative<Request>(oldest.request)) << path;
        EXPECT_EQ(zk::path_of(oldest.request), path);
        oldest.handler(std::move(reply));
    }
    /// Searches for a GUID and finds two nodes, whose removals end with these errors.
    void find_and_remove_two(error_code first, error_code second) {
        answer<zk::SyncRequest>("/p", {});
        answer<zk::ChildrenRequest>("/p", {.children = {"_c_g1-lock-0000000002", "_c_g1-lock-0000000003"}});
        answer<zk::RemoveRequest>("/p/_c_g1-lock-0000000002", {.ec = first});
        answer<zk::RemoveRequest>("/p/_c_g1-lock-0000000003", {.ec = second});
    }
};

TEST_F(RemovalsTest, RemovesANode) {
    add({"/a"});
    answer<zk::RemoveRequest>("/a", {});
    EXPECT_EQ(done, 1);
    EXPECT_EQ(removals.pending(), 0u);
}

TEST_F(RemovalsTest, TriesAgainAfterALostReplyWhenConnected) {
    add({"/a"});
    answer<zk::RemoveRequest>("/a", {.ec = server_error::connection_loss});
    EXPECT_EQ(done, 1); // the caller need not wait for the rest
    EXPECT_EQ(removals.pending(), 1u);
    EXPECT_TRUE(sent.empty());
    removals.retry();
    answer<zk::RemoveRequest>("/a", {.ec = server_error::no_node});
    EXPECT_EQ(removals.pending(), 0u);
    EXPECT_EQ(done, 1);
}

TEST_F(RemovalsTest, ReportsThatTheServerRefusesForGood) {
    add({"/a"});
    answer<zk::RemoveRequest>("/a", {.ec = server_error::no_auth});
    EXPECT_EQ(done, 1);
    EXPECT_EQ(refused, server_error::no_auth);
    EXPECT_EQ(removals.pending(), 0u);
}

TEST_F(RemovalsTest, WaitsForAConnection) {
    add({"/a"}, false);
    EXPECT_EQ(done, 1);
    EXPECT_TRUE(sent.empty());
    removals.retry();
    EXPECT_EQ(sent.size(), 1u);
    removals.retry(); // the removal is under way already
    EXPECT_EQ(sent.size(), 1u);
}

TEST_F(RemovalsTest, GivesUpARefusedRemoval) {
    for (const auto refusal : {server_error::not_empty, server_error::no_auth}) {
        add({"/a"});
        answer<zk::RemoveRequest>("/a", {.ec = refusal});
        EXPECT_EQ(removals.pending(), 0u);
    }
}

TEST_F(RemovalsTest, OverloadedServerIsAskedAgainWithTheNextHeartbeat) {
    add({"/a"});
    answer<zk::RemoveRequest>("/a", {.ec = server_error::throttled});
    removals.retry();
    answer<zk::RemoveRequest>("/a", {});
    EXPECT_EQ(removals.pending(), 0u);
}

TEST_F(RemovalsTest, AnUnsentRemovalIsTriedAgainWithTheNextHeartbeat) {
    for (const auto refusal : {server_error::system_error, server_error::marshalling_error}) {
        add({"/a"});
        answer<zk::RemoveRequest>("/a", {.ec = refusal});
        EXPECT_EQ(removals.pending(), 1u);
        removals.retry();
        answer<zk::RemoveRequest>("/a", {});
        EXPECT_EQ(removals.pending(), 0u);
    }
}

TEST_F(RemovalsTest, FindsByGuidAfterASync) {
    add({"/p", "g1"});
    answer<zk::SyncRequest>("/p", {});
    answer<zk::ChildrenRequest>("/p",
                                {.children = {"_c_g0-lock-0000000001", "_c_g1-lock-0000000002", "_c_g1-lock-0000000003"}});
    answer<zk::RemoveRequest>("/p/_c_g1-lock-0000000002", {});
    EXPECT_EQ(removals.pending(), 1u);
    answer<zk::RemoveRequest>("/p/_c_g1-lock-0000000003", {.ec = server_error::no_node});
    EXPECT_EQ(removals.pending(), 0u);
    EXPECT_EQ(done, 1);
    EXPECT_EQ(gone, std::vector<std::string>{"g1"});
}

/// The node exists, so its GUID is not forgotten.
TEST_F(RemovalsTest, ReportsThatTheServerRefusesToRemoveWhatItFindsByGuid) {
    add({"/p", "g1"});
    find_and_remove_two(server_error::no_auth, {});
    EXPECT_EQ(removals.pending(), 0u);
    EXPECT_EQ(done, 1);
    EXPECT_EQ(refused, server_error::no_auth);
    EXPECT_EQ(gone, std::vector<std::string>());
}

TEST_F(RemovalsTest, SearchesAgainWhenPartOfItWasRefusedAndPartLost) {
    add({"/p", "g1"});
    find_and_remove_two(server_error::connection_loss, server_error::no_auth);
    EXPECT_EQ(removals.pending(), 1u);
    removals.retry();
    find_and_remove_two(server_error::no_auth, server_error::connection_loss);
    EXPECT_EQ(removals.pending(), 1u);
}

TEST_F(RemovalsTest, FindsNothingByGuid) {
    add({"/p", "g1"});
    answer<zk::SyncRequest>("/p", {});
    answer<zk::ChildrenRequest>("/p", {.ec = server_error::no_node});
    EXPECT_EQ(removals.pending(), 0u);
}

/// Without the sync, a server that lags behind may not know the node yet.
TEST_F(RemovalsTest, FindsNothingByGuidOnlyAfterASyncThatWasDone) {
    add({"/p", "g1"});
    answer<zk::SyncRequest>("/p", {.ec = server_error::throttled});
    answer<zk::ChildrenRequest>("/p", {.ec = server_error::no_node});
    EXPECT_EQ(removals.pending(), 1u);
    removals.retry();
    answer<zk::SyncRequest>("/p", {});
    answer<zk::ChildrenRequest>("/p", {.children = {"_c_g1-lock-0000000002"}});
    answer<zk::RemoveRequest>("/p/_c_g1-lock-0000000002", {});
    EXPECT_EQ(removals.pending(), 0u);
}

TEST_F(RemovalsTest, SearchesAgainWhenPartOfItWasLost) {
    add({"/p", "g1"});
    find_and_remove_two(server_error::connection_loss, server_error::connection_loss);
    removals.retry();
    answer<zk::SyncRequest>("/p", {});
    answer<zk::ChildrenRequest>("/p", {});
    EXPECT_EQ(removals.pending(), 0u);
}

TEST_F(RemovalsTest, CloseReleasesWaiters) {
    add({"/a"});
    removals.on_closed();
    EXPECT_EQ(done, 1);
    answer<zk::RemoveRequest>("/a", {.ec = error::closed}); // this answer comes too late to matter
}

} // namespace
} // namespace docent::detail
