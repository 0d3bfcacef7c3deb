// SPDX-License-Identifier: Apache-2.0

// After a lost reply: which node a create takes for its own, and which effects a failed call may have had. Also nodes that may
// not be read. On servers in memory.

#include "client/operations/create_operation.hpp"
#include "client/operations/request_operation.hpp"
#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace docent::detail {
namespace {

class CreateOperationTest : public testing::Test {
protected:
    struct Outcome : Answer {
        Created created;
    };
    using OutcomePtr = std::shared_ptr<Outcome>;

    void SetUp() override { settle(); }
    OutcomePtr create_ephemeral(const std::string& path, Acl acl = {}) {
        const auto outcome = std::make_shared<Outcome>();
        zk::CreateRequest request{.path = path, .data = {}, .mode = CreateMode::ephemeral, .acl = std::move(acl)};
        std::make_shared<CreateOperation>(world.share(0), std::move(request), CreateOptions{.mode = CreateMode::ephemeral},
                                          into(outcome, &Outcome::created))
            ->begin();
        return outcome;
    }
    OutcomePtr create_or(IfExists if_exists, const std::string& path) {
        const auto outcome = std::make_shared<Outcome>();
        std::make_shared<CreateOrOperation>(world.share(0), zk::CreateRequest{.path = path},
                                            CreateOptions{.if_exists = if_exists}, into(outcome, &Outcome::created))
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

    static Acl without_read(Permission permissions = Permission::write) { return {{permissions, "world", "anyone"}}; }
    const Stat& stat_of(const std::string& path) const { return ensemble.truth().find(path)->stat; }

    FakeWorld world{1, 1, "/lock"};
    FakeClient& client = world.client(0);
    FakeEnsemble& ensemble = world.surroundings().ensemble;
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
    const auto outcome = create_or(IfExists::accept, "/n");
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

/// The node is deleted after the set, so the call creates it again, and has no connection for that.
TEST_F(CreateOperationTest, TheDoubtOfALostReplyOfTheSetRemainsWhileTheNodeIsCreatedAgain) {
    ensemble.number_next_child("/n", 0);
    const auto outcome = create_or(IfExists::set_data, "/n");
    ASSERT_TRUE(world.run_until([&] { return client.next_request().starts_with("set /n"); }));
    lose_replies();
    ensemble.delete_node("/n");
    ASSERT_TRUE(world.run_until([&] { return client.next_request().starts_with("set /n"); }));
    while (client.has_requests()) client.serve();
    while (client.can_deliver()) client.deliver();
    ASSERT_TRUE(client.next_request().starts_with("create /n")) << client.next_request();
    client.unreachable = true;
    client.break_link({.ec = error::not_connected}); // the create was not sent
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

TEST_F(CreateOperationTest, ACreateWithoutAnAnswerMayHaveHadItsEffect) {
    const auto operation = std::make_shared<CreateOperation>(world.share(0), zk::CreateRequest{.path = "/n"}, CreateOptions{},
                                                             [](error_code, Created) {});
    EXPECT_EQ(operation->awaited(), Awaited::answer);
    operation->begin();
    ASSERT_TRUE(world.run_until([&] { return client.has_requests(); }));
    EXPECT_EQ(operation->awaited(), Awaited::effect);
    client.break_link({.ec = error::not_connected}); // it was not sent
    EXPECT_EQ(operation->awaited(), Awaited::answer);
    operation->abort(asio::error::operation_aborted);
}

TEST_F(CreateOperationTest, TheProtectedNodeOfACancelledCreateIsRemoved) {
    const auto outcome = std::make_shared<Outcome>();
    const auto operation = std::make_shared<CreateOperation>(world.share(0), zk::CreateRequest{.path = "/parent/p"},
                                                             CreateOptions{.protection = Protection::protected_},
                                                             into(outcome, &Outcome::created));
    ensemble.number_next_child("/parent", 0);
    operation->begin();
    ASSERT_TRUE(world.run_until([&] { return client.has_requests(); }));
    while (client.has_requests()) client.serve();
    ASSERT_EQ(ensemble.truth().children("/parent").size(), 1U);
    operation->abort(server_error::operation_timeout);
    EXPECT_EQ(outcome->times, 1);
    ASSERT_TRUE(world.run_until([&] { return world.all_idle() && client.open_removals() == 0; }));
    EXPECT_EQ(ensemble.truth().children("/parent").size(), 0U);
}

// ---- nodes that may not be read

/// With ADMIN, the client may read the ACL, and the owner of the node with it.
TEST_F(CreateOperationTest, AfterALostReplyItsOwnNodeIsFoundWithAdminOnly) {
    for (const auto needs : {ExistsNeeds::read, ExistsNeeds::nothing}) {
        ensemble.exists_needs = needs;
        const auto outcome = create_ephemeral("/e", without_read(Permission::write | Permission::admin));
        lose_replies();
        wait_for(outcome);
        EXPECT_FALSE(outcome->ec) << outcome->ec.message();
        EXPECT_EQ(outcome->created.path, "/e");
        EXPECT_EQ(outcome->created.stat, stat_of("/e"));
        ensemble.delete_node("/e");
    }
}

TEST_F(CreateOperationTest, AfterALostReplyANodeWhoseOwnerMayNotBeReadLeavesTheOutcomeUnknown) {
    for (const auto needs : {ExistsNeeds::read, ExistsNeeds::nothing}) {
        ensemble.exists_needs = needs;
        const auto outcome = create_ephemeral("/e", without_read());
        lose_replies();
        wait_for(outcome);
        EXPECT_EQ(outcome->ec, needs == ExistsNeeds::read ? server_error::connection_loss : error_code{})
            << outcome->ec.message();
        ensemble.delete_node("/e");
    }
}

TEST_F(CreateOperationTest, ANodeThatMayNotBeReadIsAcceptedUnlessItMustBeTheSame) {
    ensemble.number_next_child("/n", 0);
    ensemble.hide_node("/n");
    for (const auto needs : {ExistsNeeds::read, ExistsNeeds::nothing}) {
        ensemble.exists_needs = needs;
        const auto accepted = create_or(IfExists::accept, "/n");
        wait_for(accepted);
        EXPECT_FALSE(accepted->ec) << accepted->ec.message();
        EXPECT_EQ(accepted->created.path, "/n");
        EXPECT_EQ(accepted->created.stat, needs == ExistsNeeds::read ? Stat{} : stat_of("/n"));
        const auto compared = create_or(IfExists::accept_same, "/n");
        wait_for(compared);
        EXPECT_EQ(compared->ec, server_error::no_auth) << "its data cannot be compared";
    }
}

} // namespace
} // namespace docent::detail
