// SPDX-License-Identifier: Apache-2.0

// Which node a create whose reply was lost takes for its own, and which effects a failed call may have had: on servers in
// memory.

#include "client/operations/create_operation.hpp"
#include "client/operations/request_operation.hpp"
#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

class CreateOperationTest : public testing::Test {
protected:
    struct Outcome {
        int times = 0;
        error_code ec;
    };
    using OutcomePtr = std::shared_ptr<Outcome>;

    void SetUp() override { settle(); }
    OutcomePtr create_ephemeral(const std::string& path) {
        const auto outcome = std::make_shared<Outcome>();
        std::make_shared<CreateOperation>(world.share(0),
                                          zk::CreateRequest{.path = path, .data = {}, .mode = CreateMode::ephemeral},
                                          CreateOptions{.mode = CreateMode::ephemeral},
                                          [outcome](error_code ec, const Created&) {
                                              ++outcome->times;
                                              outcome->ec = ec;
                                          })
            ->begin();
        return outcome;
    }
    /// The server answers all requests under way, and all the replies are lost.
    void lose_replies() {
        ASSERT_TRUE(world.run_until([&] { return client.has_requests(); }));
        while (client.has_requests()) client.serve();
        client.break_link({});
    }
    void wait_for(const OutcomePtr& outcome) {
        ASSERT_TRUE(world.run_until([&] { return outcome->times > 0 && world.all_idle(); }));
        EXPECT_EQ(outcome->times, 1);
    }
    void settle() {
        ASSERT_TRUE(world.run_until([&] { return client.linked() && world.all_idle(); }));
    }

    FakeWorld world{1, 1, "/lock"};
    FakeClient& client = world.client(0);
};

TEST_F(CreateOperationTest, AfterALostReplyItsOwnNodeIsFound) {
    const auto outcome = create_ephemeral("/e");
    lose_replies();
    wait_for(outcome);
    EXPECT_FALSE(outcome->ec) << outcome->ec.message();
}

TEST_F(CreateOperationTest, AfterALostReplyTheNodeOfAnEarlierCreateOfTheSessionIsNotItsOwn) {
    const auto first = create_ephemeral("/e");
    wait_for(first);
    ASSERT_FALSE(first->ec) << first->ec.message();
    const auto second = create_ephemeral("/e");
    lose_replies();
    wait_for(second);
    EXPECT_EQ(second->ec, server_error::node_exists) << second->ec.message();
}

TEST_F(CreateOperationTest, OneOfTwoCreatesWithLostRepliesHasTheNode) {
    const auto first = create_ephemeral("/e");
    const auto second = create_ephemeral("/e");
    lose_replies();
    wait_for(first);
    wait_for(second);
    EXPECT_NE(first->ec == error_code{}, second->ec == error_code{});
}

/// The first create may have made the node, whatever the result of the later look at it.
TEST_F(CreateOperationTest, TheDoubtOfALostReplyRemainsWhileTheExistingNodeIsLookedAt) {
    const auto outcome = std::make_shared<Outcome>();
    std::make_shared<CreateOrOperation>(world.share(0), zk::CreateRequest{.path = "/n"},
                                        CreateOptions{.if_exists = IfExists::accept},
                                        [outcome](error_code ec, const Created&) {
                                            ++outcome->times;
                                            outcome->ec = ec;
                                        })
        ->begin();
    lose_replies();
    ASSERT_TRUE(world.run_until([&] { return client.next_request().starts_with("look for /n"); }));
    client.throttle_next = true; // if the reply of the look were lost, the look itself would be in doubt
    while (client.has_requests()) client.serve();
    while (client.can_deliver()) client.deliver();
    client.unreachable = true;
    client.break_link({});
    ASSERT_TRUE(world.run_until([&] { return outcome->times > 0; }));
    EXPECT_EQ(outcome->ec, server_error::operation_timeout) << outcome->ec.message();
}

TEST_F(CreateOperationTest, AReconfigurationThatWasSentMayHaveHadItsEffect) {
    const auto operation =
        std::make_shared<ReconfigureOperation>(world.share(0), zk::ReconfigRequest{}, [](error_code, NodeData) {});
    EXPECT_FALSE(operation->may_have_effects());
    operation->begin();
    ASSERT_TRUE(world.run_until([&] { return operation->may_have_effects(); }));
    EXPECT_EQ(operation->awaited(), Awaited::effect);
}

} // namespace
} // namespace docent::detail
