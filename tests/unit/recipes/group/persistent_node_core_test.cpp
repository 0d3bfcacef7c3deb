// SPDX-License-Identifier: Apache-2.0
#include "client/data/data_codec.hpp"
#include "group/persistent_node_core.hpp"
#include "views.hpp"
#include "world_test.hpp"

#include <docent/recipes/group_member.hpp>
#include <docent/recipes/persistent_node.hpp>

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

class PersistentNodeCoreTest : public WorldTest {
protected:
    explicit PersistentNodeCoreTest(std::size_t clients = 1) : WorldTest(clients) {}
    std::shared_ptr<PersistentNodeCore> keep(const std::string& path, PersistentNodeOptions options = {}) {
        return std::make_shared<PersistentNodeCore>(world.share(0), path, std::move(options), options.data);
    }
    /// Begins to keep /n.
    std::shared_ptr<PersistentNodeCore> begun(PersistentNodeOptions options = {}) {
        settle();
        auto core = keep("/n", std::move(options));
        EXPECT_EQ(core->start(), error_code{});
        return core;
    }
    /// Keeps /n, which exists.
    std::shared_ptr<PersistentNodeCore> made(PersistentNodeOptions options = {}) {
        auto core = begun(std::move(options));
        run_until([&] { return core->node_path() == "/n"; });
        settle();
        return core;
    }
    /// Closes the object, and waits for the end of this call.
    void close(const std::shared_ptr<PersistentNodeCore>& core) { wait_for(begin_close(core)); }
    using Count = std::shared_ptr<int>;
    static Count begin_close(const std::shared_ptr<PersistentNodeCore>& core) {
        auto closed = std::make_shared<int>(0);
        core->close([closed] { ++*closed; });
        return closed;
    }
    void wait_for(const Count& closed) {
        run_until([&] { return *closed > 0; });
        settle();
        EXPECT_EQ(*closed, 1);
    }
    const TreeNode* node(const std::string& path) { return truth().find(path); }
    std::string data() { return node("/n") ? node("/n")->data : "nothing"; }
    void settle() {
        run_until([&] { return client.linked() && world.all_idle(); });
    }
    void step(int steps) {
        for (int n = 0; n < steps; ++n) world.step();
    }
    /// One of the requests under way reaches the leader, and the connection breaks.
    void break_link_behind_a_request() {
        lose_replies(0);
        while (client.can_apply_stray()) client.apply_stray();
    }

    FakeClient& client = world.client(0);
};

TEST_F(PersistentNodeCoreTest, NothingGoesOnBehindTheEndOfItsClient) {
    for (int steps = 0; steps < 12; ++steps) {
        SCOPED_TRACE(steps);
        FakeWorld short_lived{1, 1, "/lock"};
        ASSERT_TRUE(short_lived.run_until([&] { return short_lived.client(0).linked() && short_lived.all_idle(); }));
        const auto core = std::make_shared<PersistentNodeCore>(short_lived.share(0), "/n", PersistentNodeOptions{}, "");
        ASSERT_EQ(core->start(), error_code{});
        for (int n = 0; n < steps; ++n) short_lived.step();
        short_lived.client(0).close();
        ASSERT_TRUE(short_lived.run_until([&] { return short_lived.all_idle(); }));
        EXPECT_FALSE(short_lived.client(0).next_timer()) << "an executor would never run out of work";
        EXPECT_EQ(core->node_path(), "");
        EXPECT_EQ(core->start(), error::closed);
    }
}

TEST_F(PersistentNodeCoreTest, CloseWaitsForACreateUnderWay) {
    for (int steps = 0; steps < 20; ++steps) {
        SCOPED_TRACE(steps);
        const auto core = begun();
        step(steps);
        const auto closed = begin_close(core);
        run_until([&] { return *closed > 0; });
        EXPECT_FALSE(node("/n"));
        wait_for(closed);
        EXPECT_FALSE(node("/n")) << "nor is it made later";
    }
}

TEST_F(PersistentNodeCoreTest, CloseLeavesNoNodeOfACreateWhoseReplyWasLost) {
    for (int steps = 0; steps < 20; ++steps) {
        SCOPED_TRACE(steps);
        const auto core = begun();
        step(steps);
        lose_replies(0);
        core->close([] {});
        settle();
        run_until([&] { return !client.can_apply_stray() && !client.next_timer(); }); // the create has been tried again
        settle();
        EXPECT_FALSE(node("/n"));
    }
}

TEST_F(PersistentNodeCoreTest, WaitersHearThatItIsClosed) {
    client.unreachable = true;
    const auto core = keep("/n");
    int answers = 0;
    error_code answer;
    const auto waiting = core->when_settled([&](error_code ec) {
        ++answers;
        answer = ec;
    });
    const auto closed = begin_close(core);
    EXPECT_EQ(answers, 1);
    EXPECT_EQ(answer, error::closed);
    EXPECT_EQ(*closed, 1) << "without a connection there is nothing to wait for";
}

TEST_F(PersistentNodeCoreTest, AWaitForTheNodeEndsIfNoServerIsReachedInTime) {
    client.unreachable = true;
    const auto core = keep("/n");
    ASSERT_EQ(core->start(), error_code{});
    const auto waiting = answer_of(
        [&](auto handler) { initiate_await_node(core, {}, [handler](error_code ec, const std::string&) { handler(ec); }); });
    expect(waiting, error::not_connected);
    client.unreachable = false;
    run_until([&] { return core->node_path() == "/n"; });
    close(core);
}

TEST_F(PersistentNodeCoreTest, CloseDuringAnOutageDoesNotWaitForItsEnd) {
    const auto core = made();
    client.unreachable = true;
    client.break_link({});
    const auto closed = begin_close(core);
    EXPECT_EQ(*closed, 1);
    client.unreachable = false;
    wait_for(closed);
    EXPECT_FALSE(node("/n")) << "it goes with the next connection";
}

TEST_F(PersistentNodeCoreTest, AnObjectThatIsDroppedDuringAnOutageRemovesItsNodeAfterwards) {
    auto core = made({.mode = CreateMode::persistent}); // an ephemeral node goes with its session
    client.unreachable = true;
    client.break_link({});
    core->close([] {});
    core.reset();
    client.unreachable = false;
    settle();
    EXPECT_FALSE(node("/n"));
}

TEST_F(PersistentNodeCoreTest, CloseRemovesTheNodeAfterAServerHasRefusedManyRequests) {
    const auto core = made({.mode = CreateMode::persistent});
    const auto before = client.requests_throttled();
    world.on_step = [this](const FakeStep&) { client.throttle_next = client.has_requests(); };
    core->close([] {});
    run_until([&] { return client.requests_throttled() - before > 20; });
    world.on_step = nullptr;
    client.throttle_next = false;
    run_until([&] { return !node("/n"); });
    settle();
}

TEST_F(PersistentNodeCoreTest, CloseLeavesNoWatchAndNoObject) {
    const auto view = std::make_shared<ForgettingView>(world.share(0));
    auto core = std::make_shared<PersistentNodeCore>(view, "/n", PersistentNodeOptions{}, "");
    core->start();
    run_until([&] { return core->node_path() == "/n"; });
    settle();
    core->close([] {});
    settle();
    EXPECT_EQ((view->forgotten[{"/n", zk::WatchKind::exists}]), 1);
    const std::weak_ptr<PersistentNodeCore> weak = core;
    core.reset();
    EXPECT_TRUE(weak.expired());
}

TEST_F(PersistentNodeCoreTest, AnObstacleIsReportedOnce) {
    settle();
    const auto others = servers().open_session(client.boot_now());
    servers().apply(others, zk::CreateRequest{.path = "/n", .mode = CreateMode::ephemeral});
    const auto core = keep("/n");
    std::vector<PersistentNodeEvent> events;
    const auto listening = core->listen([&events](const PersistentNodeEvent& event) { events.push_back(event); });
    core->start();
    run_until([&] { return !events.empty(); });
    for (int n = 0; n < 3; ++n) {
        servers().touch(others, client.boot_now());
        servers().change_node("/n"); // the object looks again
        run_for(std::chrono::milliseconds{500});
    }
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events.front().change, PersistentNodeChange::not_made);
    EXPECT_EQ(events.front().reason, server_error::node_exists);
    core->close([] {});
    settle();
}

TEST_F(PersistentNodeCoreTest, AnObstacleThatComesAgainIsToldAgain) {
    settle();
    const auto obstruct = [&] {
        const auto others = servers().open_session(client.boot_now());
        servers().apply(others, zk::CreateRequest{.path = "/n", .mode = CreateMode::ephemeral});
    };
    obstruct();
    const auto core = keep("/n");
    std::vector<PersistentNodeChange> changes;
    const auto listening = core->listen([&changes](const PersistentNodeEvent& event) { changes.push_back(event.change); });
    core->start();
    run_until([&] { return changes.size() == 1; });
    servers().delete_node("/n");
    run_until([&] { return core->node_path() == "/n"; });
    settle();
    servers().delete_node("/n");
    obstruct();
    run_until([&] { return changes.size() == 4; });
    using enum PersistentNodeChange;
    EXPECT_EQ(changes, (std::vector{not_made, made, gone, not_made}));
    core->close([] {});
    settle();
}

/// Replies are lost until each create gives up. Then both objects of this client doubt whether they made a node, and one node
/// exists.
TEST_F(PersistentNodeCoreTest, ANodeInDoubtBelongsToOneOfTwoObjectsOfTheClient) {
    settle();
    const std::vector both{keep("/n"), keep("/n")};
    std::size_t failures = 0;
    std::vector<Registration> listening;
    for (const auto& core : both) {
        listening.push_back(core->listen([&failures](const PersistentNodeEvent& event) {
            if (event.change == PersistentNodeChange::not_made) ++failures;
        }));
        core->start();
    }
    while (failures < both.size()) {
        run_until([&] { return client.has_requests() || failures == both.size(); });
        while (client.has_requests()) client.serve();
        if (failures < both.size()) client.break_link({});
    }
    const auto owners = [&] {
        return std::count_if(both.begin(), both.end(), [](const auto& core) { return core->node_path() == "/n"; });
    };
    run_until([&] { return owners() > 0; });
    run_for(std::chrono::seconds{3}); // the other object looks, too
    EXPECT_EQ(owners(), 1);
    for (const auto& core : both) core->close([] {});
    settle();
    EXPECT_FALSE(node("/n"));
}

/// The stop token of the call has fired before it begins.
TEST_F(PersistentNodeCoreTest, CallsThatAreCancelledBeforeTheyBeginHaveTheirEffect) {
    std::stop_source stopped;
    stopped.request_stop();
    const auto core = keep("/n", {.data = "one"});
    error_code ec;
    const auto note = [&ec](error_code result) { ec = result; };
    initiate_node_set(core, "two", {.stop = stopped.get_token()}, note);
    run_until([&] { return node("/n") != nullptr; });
    settle();
    EXPECT_EQ(ec, asio::error::operation_aborted);
    EXPECT_EQ(node("/n")->data, "two");
    ec = {};
    initiate_node_close(core, {.stop = stopped.get_token()}, note);
    run_until([&] { return !node("/n"); });
    EXPECT_EQ(ec, asio::error::operation_aborted);
    EXPECT_EQ(core->start(), error::closed);
    settle();
}

/// One client keeps a node; another client replaces it by a node of the same name.
class ReplacedNode : public PersistentNodeCoreTest {
protected:
    ReplacedNode() : PersistentNodeCoreTest(2) {}
    void SetUp() override { connect(); }
    /// Creates the other client's node, with the version of a new node. No client knows it yet.
    void put_theirs() {
        servers().apply(world.client(1).session().session_id,
                        zk::CreateRequest{.path = "/n", .data = "new", .mode = CreateMode::ephemeral});
    }
    /// Replaces the node by one with another version.
    void replace() {
        servers().delete_node("/n");
        put_theirs();
        servers().change_node("/n", "theirs");
    }
};

TEST_F(ReplacedNode, IsNotWrittenToBeforeItIsHeardOf) {
    for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
        const auto core = made({.mode = mode, .data = "ours"});
        replace();
        core->set_data("more", "more");
        settle();
        EXPECT_EQ(data(), "theirs");
        servers().delete_node("/n");
        ASSERT_TRUE(world.run_until([&] { return core->node_path() == "/n" && world.all_idle(); }));
        EXPECT_EQ(data(), "more");
        core->close([] {});
        settle();
        EXPECT_EQ(data(), "nothing");
    }
}

/// Also if the other client's node may not be read.
TEST_F(ReplacedNode, IsNotRemovedBeforeItIsHeardOf) {
    for (const bool is_hidden : {false, true}) {
        for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
            const auto core = made({.mode = mode, .data = "ours"});
            replace();
            if (is_hidden) servers().hide_node("/n");
            close(core);
            EXPECT_EQ(data(), "theirs");
            servers().delete_node("/n");
            settle();
        }
    }
}

/// The new node has the same version. Both nodes may be read, or neither.
TEST_F(ReplacedNode, IsNotRemovedByARemovalWhoseReplyWasLost) {
    for (const bool is_hidden : {false, true}) {
        int replaced = 0;
        for (int steps = 0; steps < 12; ++steps) {
            SCOPED_TRACE(std::to_string(steps) + (is_hidden ? ", hidden" : ""));
            const auto core = made({.data = "ours"});
            if (is_hidden) servers().hide_node("/n");
            const auto closed = begin_close(core);
            step(steps);
            break_link_behind_a_request();
            const bool had_gone = data() == "nothing";
            if (had_gone) {
                ++replaced;
                put_theirs();
                if (is_hidden) servers().hide_node("/n");
            }
            wait_for(closed);
            if (had_gone) EXPECT_EQ(data(), "new");
            else EXPECT_TRUE(is_hidden || data() == "nothing") << data();
            if (node("/n")) servers().delete_node("/n");
            settle();
        }
        EXPECT_GT(replaced, 0);
    }
}

/// After the outage, the client comes to a server that does not know the removal and the new node yet.
TEST_F(ReplacedNode, IsNotRemovedByAClientWhoseServerLagsBehind) {
    const auto core = made({.data = "ours"});
    core->close([] {});
    break_link_behind_a_request();
    ASSERT_EQ(data(), "nothing");
    put_theirs();
    client.connect(1);
    ASSERT_TRUE(servers().lags(1));
    while (client.can_run_posted() || client.can_serve() || client.can_deliver()) {
        if (client.can_run_posted()) client.run_posted();
        else if (client.can_serve()) client.serve();
        else client.deliver();
    }
    EXPECT_EQ(data(), "new");
    settle();
    EXPECT_EQ(data(), "new");
}

TEST_F(ReplacedNode, AnOutageOfAnyLengthLeavesNothingBehindTheEnd) {
    for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
        const auto core = made({.mode = mode, .data = "ours"});
        client.unreachable = true;
        client.break_link({});
        core->close([] {});
        run_for(client.connection_timeout() + std::chrono::seconds{5});
        client.unreachable = false;
        settle();
        EXPECT_EQ(data(), "nothing");
    }
}

TEST_F(ReplacedNode, IsNotTakenForItsOwnThoughItMayNotBeRead) {
    const auto core = made({.data = "ours"});
    servers().delete_node("/n");
    put_theirs();
    servers().hide_node("/n");
    servers().learn_all(client.server().value()); // the event of the deletion is on its way
    run_until([&] { return core->node_path().empty(); });
    run_for(std::chrono::seconds{3});
    EXPECT_EQ(core->node_path(), "");
    core->close([] {});
    settle();
    EXPECT_EQ(data(), "new");
}

// ---- the members of a group

TEST_F(PersistentNodeCoreTest, MembersThatLeaveBeforeTheyAreReadAreLeftOut) {
    settle();
    const auto others = servers().open_session(client.boot_now());
    servers().apply(others, zk::CreateRequest{.path = "/group"});
    for (const std::string id : {"one", "two"}) {
        servers().apply(others, zk::CreateRequest{.path = "/group/" + id, .data = id, .mode = CreateMode::ephemeral});
    }
    servers().learn_all(client.server().value());
    int answers = 0;
    error_code ec;
    Members members;
    initiate_members(keep("/group/three"), {}, [&](error_code result, Members found) {
        ++answers;
        ec = result;
        members = std::move(found);
    });
    run_until([&] { return client.next_request().starts_with("read"); });
    servers().delete_node("/group/two");
    servers().learn_all(client.server().value());
    run_until([&] { return answers == 1; });
    EXPECT_EQ(ec, error_code{});
    EXPECT_EQ(members, (Members{{"one", "one"}}));
}

TEST_F(PersistentNodeCoreTest, DataOfMembersIsUnpackedAndDamagedDataIsAnError) {
    settle();
    const auto others = servers().open_session(client.boot_now());
    servers().apply(others, zk::CreateRequest{.path = "/group"});
    servers().apply(others, zk::CreateRequest{.path = "/group/one", .data = gzip("1")});
    servers().learn_all(client.server().value());
    const auto core = std::make_shared<PersistentNodeCore>(std::make_shared<CompressingView>(world.share(0)), "/group/two",
                                                           PersistentNodeOptions{}, "");
    Members members;
    const auto read = [&] {
        return answer_of([&](auto handler) {
            initiate_members(core, {}, [&members, handler](error_code ec, Members found) {
                members = std::move(found);
                handler(ec);
            });
        });
    };
    expect(read());
    EXPECT_EQ(members, (Members{{"one", "1"}}));
    servers().change_node("/group/one", "no gzip");
    servers().learn_all(client.server().value());
    expect(read(), error::corrupt_data);
}

// ---- nodes that may not be read

TEST_F(PersistentNodeCoreTest, ANodeThatItMayNotReadIsMadeAndMadeAgain) {
    const auto core = made();
    servers().hide_node("/n");
    client.break_link({});
    settle();
    EXPECT_EQ(core->node_path(), "/n") << "it is there, and may not be read";
    const auto before = node("/n")->stat.czxid;
    servers().delete_node("/n");
    run_until([&] { return node("/n") && node("/n")->stat.czxid != before; });
    close(core);
    EXPECT_FALSE(node("/n"));
}

TEST_F(PersistentNodeCoreTest, CloseAtAnyMomentRemovesANodeThatItMayNotRead) {
    for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
        for (int steps = 0; steps < 20; ++steps) {
            SCOPED_TRACE(steps);
            const auto core = made({.mode = mode});
            servers().hide_node("/n");
            client.break_link({}); // it looks again on the next connection
            step(steps);
            close(core);
            EXPECT_FALSE(node("/n"));
        }
    }
}

/// The connection breaks again when the object looks, or removes the node, so many steps after the end of the outage.
TEST_F(PersistentNodeCoreTest, AnOutageOfAnyLengthLeavesNoNodeThatItMayNotRead) {
    for (int steps = 0; steps < 12; ++steps) {
        SCOPED_TRACE(steps);
        const auto core = made({.mode = CreateMode::persistent}); // an ephemeral node goes with its session
        servers().hide_node("/n");
        client.unreachable = true;
        client.break_link({});
        core->close([] {});
        run_for(client.connection_timeout() + std::chrono::seconds{5}); // no removal was sent
        client.unreachable = false;
        run_until([&] { return client.linked(); });
        step(steps);
        break_link_behind_a_request();
        run_until([&] { return client.linked() && world.all_idle() && !client.next_timer(); });
        EXPECT_FALSE(node("/n"));
    }
}

TEST_F(PersistentNodeCoreTest, DataForAChangedNodeThatItMayNotReadIsWrittenWhenItMayReadIt) {
    const auto core = made({.data = "one"});
    servers().hide_node("/n");
    servers().change_node("/n", "theirs");
    const auto set = answer_of([&](auto handler) { initiate_node_set(core, "two", {}, std::move(handler)); });
    expect(set, server_error::no_auth);
    const auto before = client.requests_sent();
    run_for(std::chrono::seconds{10});
    EXPECT_LT(client.requests_sent() - before, 100U) << "it pauses before it looks again";
    EXPECT_EQ(node("/n")->data, "theirs");
    servers().set_acl("/n", open_acl());
    run_until([&] { return data() == "two"; });
    close(core);
    EXPECT_FALSE(node("/n"));
}

} // namespace
} // namespace docent::detail
