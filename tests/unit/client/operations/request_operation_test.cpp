// SPDX-License-Identifier: Apache-2.0

// A request that is sent again until it is answered, and calls that consist of such requests: on servers in memory.

#include "client/operations/request_operation.hpp"
#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace docent::detail {
namespace {

/// A removal of /n, which exists.
class RequestOperationTest : public ::testing::Test {
protected:
    void SetUp() override {
        ensemble.number_next_child("/n", 0);
        ASSERT_TRUE(world.run_until([&] { return client.linked() && world.all_idle(); }));
    }

    FakeWorld world{1, 1, "/lock"};
    FakeClient& client = world.client(0);
    FakeEnsemble& ensemble = world.surroundings().ensemble;
    int times = 0;
    error_code ec;
    const std::shared_ptr<RequestOperation> operation =
        std::make_shared<RequestOperation>(world.share(0), zk::RemoveRequest{"/n"}, [&](error_code result, const zk::Reply&) {
            ++times;
            ec = result;
        });
};

/// The first try removes the node, and its reply is lost. An overloaded server refuses the second try.
TEST_F(RequestOperationTest, RemoveWhoseReplyWasLostSucceedsAlsoAfterARefusedTry) {
    const auto is_next = [this] { return client.next_request().starts_with("remove /n"); };
    operation->begin();
    ASSERT_TRUE(world.run_until(is_next));
    client.serve();
    ASSERT_EQ(ensemble.truth().find("/n"), nullptr);
    client.break_link({});
    ASSERT_TRUE(world.run_until(is_next));
    client.throttle_next = true;
    client.serve();
    while (client.can_deliver()) client.deliver();
    EXPECT_EQ(times, 0);
    EXPECT_TRUE(operation->in_doubt()) << "the first try may have been applied";
    ASSERT_TRUE(world.run_until([&] { return times > 0; }));
    EXPECT_FALSE(ec) << ec.message();
}

/// The first try sets the data, and its reply is lost. An overloaded server refuses all later tries.
TEST_F(RequestOperationTest, AChangeWithALostReplyStaysInDoubtIfLaterTriesAreRefused) {
    const auto is_next = [this] { return client.next_request().starts_with("set /n"); };
    const auto set = std::make_shared<RequestOperation>(world.share(0), zk::SetRequest{"/n", "new", -1},
                                                        [this](error_code result, const zk::Reply&) {
                                                            ++times;
                                                            ec = result;
                                                        });
    set->begin();
    ASSERT_TRUE(world.run_until(is_next));
    client.serve();
    client.break_link({});
    while (times == 0) {
        ASSERT_TRUE(world.run_until([&] { return times > 0 || is_next(); }));
        client.throttle_next = true;
        if (times == 0) client.serve();
    }
    EXPECT_EQ(ec, condition::outcome_unknown) << ec.message();
}

TEST_F(RequestOperationTest, IsNotSentAgainAfterTheServerHasRefusedTheCredentials) {
    operation->begin();
    ASSERT_TRUE(world.run_until([&] { return client.has_requests(); }));
    client.break_link({.ec = server_error::auth_failed});
    ASSERT_TRUE(world.run_until([&] { return times > 0 && client.linked() && world.all_idle(); }));
    EXPECT_EQ(ec, server_error::auth_failed) << ec.message();
    EXPECT_NE(ensemble.truth().find("/n"), nullptr);
}

/// The session may be presumed lost while the connection is still up. A server may process the request later.
TEST_F(RequestOperationTest, AChangeWithoutAnAnswerMayHaveHadItsEffect) {
    EXPECT_EQ(operation->awaited(), Awaited::answer);
    operation->begin();
    ASSERT_TRUE(world.run_until([&] { return client.has_requests(); }));
    EXPECT_EQ(operation->awaited(), Awaited::effect);
    client.throttle_next = true; // the server refuses to process it
    client.serve();
    while (client.can_deliver()) client.deliver();
    EXPECT_EQ(operation->awaited(), Awaited::answer);
    operation->abort(asio::error::operation_aborted);
}

TEST_F(RequestOperationTest, AReadWithALostReplyHasNoEffect) {
    const auto read =
        std::make_shared<RequestOperation>(world.share(0), zk::GetRequest{"/n"}, [](error_code, const zk::Reply&) {});
    read->begin();
    ASSERT_TRUE(world.run_until([&] { return client.has_requests(); }));
    EXPECT_EQ(read->awaited(), Awaited::answer);
    client.break_link({});
    EXPECT_FALSE(read->in_doubt());
    EXPECT_EQ(read->awaited(), Awaited::answer);
    read->abort(asio::error::operation_aborted);
}

TEST(RequestsOperation, SendsNothingAfterItsEnd) {
    FakeWorld world{1, 1, "/lock"};
    FakeClient& client = world.client(0);
    world.surroundings().ensemble.number_next_child("/n", 0);
    const auto is_connected = [&] { return client.linked() && world.all_idle(); };
    ASSERT_TRUE(world.run_until(is_connected));
    int reads = 0;
    world.on_step = [&](const FakeStep& step) {
        if (step.kind == FakeStep::Kind::serve && client.next_request().starts_with("read /n")) ++reads;
    };
    client.unreachable = true;
    client.break_link({});
    int times = 0;
    const auto operation = std::make_shared<RequestsOperation>(
        world.share(0), std::vector<zk::Request>{zk::GetRequest{"/n"}, zk::GetRequest{"/n"}}, std::vector<error_code>{},
        [&](error_code, const RequestsOperation::Replies&) { ++times; });
    operation->begin(); // the requests wait for a connection
    operation->abort(server_error::operation_timeout);
    EXPECT_EQ(times, 1);
    client.unreachable = false;
    ASSERT_TRUE(world.run_until(is_connected));
    EXPECT_EQ(reads, 0);
}

/// Replaces the ACL of the node at `/n`.
class SetAclOperationTest : public testing::Test {
protected:
    struct Outcome : Answer {
        Stat stat;
    };

    void SetUp() override {
        ensemble.number_next_child("/n", 0);
        ASSERT_TRUE(world.run_until([&] { return world.client(0).linked() && world.all_idle(); }));
    }
    Outcome set_acl(Permission permissions) {
        const auto outcome = std::make_shared<Outcome>();
        const auto operation = std::make_shared<SetAclOperation>(
            world.share(0), zk::SetAclRequest{"/n", {{permissions, "world", "anyone"}}}, into(outcome, &Outcome::stat));
        operation->begin();
        EXPECT_TRUE(world.run_until([&] { return outcome->arrived() && world.all_idle(); })) << "never completed";
        EXPECT_EQ(outcome->times, 1);
        return *outcome;
    }
    const TreeNode& node() const { return *ensemble.truth().find("/n"); }

    FakeWorld world{1, 1, "/lock"};
    FakeEnsemble& ensemble = world.surroundings().ensemble;
};

TEST_F(SetAclOperationTest, SucceedsThoughItTakesReadFromTheCaller) {
    for (const auto needs : {ExistsNeeds::read, ExistsNeeds::nothing}) {
        ensemble.exists_needs = needs;
        ensemble.set_acl("/n", open_acl());
        const Outcome outcome = set_acl(Permission::write);
        EXPECT_FALSE(outcome.ec) << outcome.ec.message();
        EXPECT_FALSE(allows(node().acl, Permission::read)) << "it was applied";
        EXPECT_EQ(outcome.stat, needs == ExistsNeeds::read ? Stat{} : node().stat);
    }
}

TEST_F(SetAclOperationTest, TakesTheStatFromTheAclIfTheCallerHasOnlyAdmin) {
    for (const auto needs : {ExistsNeeds::read, ExistsNeeds::nothing}) {
        ensemble.exists_needs = needs;
        ensemble.set_acl("/n", open_acl());
        const Outcome outcome = set_acl(Permission::write | Permission::admin);
        EXPECT_FALSE(outcome.ec) << outcome.ec.message();
        EXPECT_FALSE(allows(node().acl, Permission::read)) << "it was applied";
        EXPECT_EQ(outcome.stat, node().stat);
    }
}

} // namespace
} // namespace docent::detail
