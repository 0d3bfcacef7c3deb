// SPDX-License-Identifier: Apache-2.0
#include "forgetting_view.hpp"
#include "group/persistent_node_core.hpp"
#include "world_test.hpp"

#include <docent/recipes/group_member.hpp>
#include <docent/recipes/persistent_node.hpp>

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

class PersistentNodeCoreTest : public WorldTest {
protected:
    PersistentNodeCoreTest() : WorldTest(1) {}
    std::shared_ptr<PersistentNodeCore> keep(const std::string& path, PersistentNodeOptions options = {}) {
        return std::make_shared<PersistentNodeCore>(world.share(0), path, std::move(options), options.data);
    }
    const FakeNode* node(const std::string& path) { return truth().find(path); }
    void settle() {
        run_until([&] { return client.linked() && world.all_idle(); });
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
        settle();
        const auto core = keep("/n");
        ASSERT_EQ(core->start(), error_code{});
        for (int n = 0; n < steps; ++n) world.step();
        int closed = 0;
        core->close([&closed] { ++closed; });
        run_until([&] { return closed > 0; });
        EXPECT_FALSE(node("/n"));
        settle();
        EXPECT_FALSE(node("/n")) << "nor is it made later";
        EXPECT_EQ(closed, 1);
    }
}

TEST_F(PersistentNodeCoreTest, CloseLeavesNoNodeOfACreateWhoseReplyWasLost) {
    for (int steps = 0; steps < 20; ++steps) {
        SCOPED_TRACE(steps);
        settle();
        const auto core = keep("/n");
        ASSERT_EQ(core->start(), error_code{});
        for (int n = 0; n < steps; ++n) world.step();
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
    int closed = 0;
    core->close([&closed] { ++closed; });
    EXPECT_EQ(answers, 1);
    EXPECT_EQ(answer, error::closed);
    EXPECT_EQ(closed, 1) << "without a connection there is nothing to wait for";
}

TEST_F(PersistentNodeCoreTest, CloseDuringAnOutageDoesNotWaitForItsEnd) {
    const auto core = keep("/n");
    core->start();
    run_until([&] { return core->node_path() == "/n"; });
    settle();
    client.unreachable = true;
    client.break_link({});
    int closed = 0;
    core->close([&closed] { ++closed; });
    EXPECT_EQ(closed, 1);
    client.unreachable = false;
    settle();
    EXPECT_FALSE(node("/n")) << "it goes with the next connection";
    EXPECT_EQ(closed, 1);
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

/// Two objects of one client at one path: the node names only the session.
class TwoKeepers : public testing::Test {
protected:
    struct Keeper {
        std::shared_ptr<PersistentNodeCore> core;
        std::string data;
    };
    /// Both objects start, and so many steps later `injure` disturbs their connection. In the end one object has the node, with
    /// its data; when it closes, the other object has it.
    void expect_one_after_the_other(int steps, const std::function<void(FakeWorld&)>& injure) {
        FakeWorld world{static_cast<std::uint64_t>(steps), 1, "/lock"};
        auto& client = world.client(0);
        const auto settle = [&] {
            ASSERT_TRUE(world.run_until([&] { return client.linked() && world.all_idle() && !client.next_timer(); }));
        };
        const auto data = [&] {
            const FakeNode* node = world.surroundings().ensemble.truth().find("/n");
            return node ? node->data : "nothing";
        };
        ASSERT_NO_FATAL_FAILURE(settle());
        std::vector<Keeper> keepers;
        for (const std::string name : {"one", "two"}) {
            keepers.push_back(
                {std::make_shared<PersistentNodeCore>(world.share(0), "/n", PersistentNodeOptions{}, name), name});
            ASSERT_EQ(keepers.back().core->start(), error_code{});
        }
        for (int n = 0; n < steps; ++n) world.step();
        injure(world);
        ASSERT_NO_FATAL_FAILURE(settle());
        const auto has_it = [](const Keeper& one) { return !one.core->node_path().empty(); };
        ASSERT_EQ(std::count_if(keepers.begin(), keepers.end(), has_it), 1);
        if (!has_it(keepers.front())) std::swap(keepers.front(), keepers.back());
        EXPECT_EQ(data(), keepers.front().data);
        for (auto& one : keepers) {
            one.data += " later";
            one.core->set_data(one.data, one.data);
        }
        ASSERT_NO_FATAL_FAILURE(settle());
        EXPECT_EQ(data(), keepers.front().data);
        keepers.front().core->close([] {});
        ASSERT_NO_FATAL_FAILURE(settle());
        EXPECT_EQ(keepers.back().core->node_path(), "/n");
        EXPECT_EQ(data(), keepers.back().data);
        keepers.back().core->close([] {});
        ASSERT_NO_FATAL_FAILURE(settle());
        EXPECT_EQ(data(), "nothing");
    }
};

TEST_F(TwoKeepers, OneHasTheNodeWhenBothRepliesAreLost) {
    for (const bool reaches_leader : {false, true}) {
        for (const bool other_comes_first : {false, true}) { // the object whose request was not the first
            for (int steps = 0; steps < 30; ++steps) {
                SCOPED_TRACE(std::to_string(steps) + " steps" + (reaches_leader ? ", and one request more" : "") +
                             (other_comes_first ? ", the other comes first" : ""));
                expect_one_after_the_other(steps, [&](FakeWorld& world) {
                    auto& client = world.client(0);
                    if (client.linked()) client.break_link({.reached = reaches_leader && client.has_requests() ? 1u : 0u});
                    while (client.can_apply_stray()) client.apply_stray();
                    client.throttle_next = other_comes_first;
                });
            }
        }
    }
}

TEST_F(TwoKeepers, OneHasTheNodeInTheNextSession) {
    for (const bool other_comes_first : {false, true}) {
        for (int steps = 0; steps < 30; ++steps) {
            SCOPED_TRACE(std::to_string(steps) + " steps" + (other_comes_first ? ", the other comes first" : ""));
            expect_one_after_the_other(steps, [&](FakeWorld& world) {
                auto& client = world.client(0);
                const auto session = client.session().session_id;
                world.surroundings().ensemble.end_session(session);
                ASSERT_TRUE(world.run_until([&] { return client.linked() && client.session().session_id != session; }));
                client.throttle_next = other_comes_first;
            });
        }
    }
}

/// One client keeps a node; another client replaces it by a node of the same name.
class ReplacedNode : public WorldTest {
protected:
    ReplacedNode() : WorldTest(2) {}
    void SetUp() override { connect(); }
    void settle() {
        run_until([&] { return client(0).linked() && world.all_idle(); });
    }
    std::shared_ptr<PersistentNodeCore> settled(const PersistentNodeOptions& options) {
        const auto core = std::make_shared<PersistentNodeCore>(world.share(0), "/n", options, options.data);
        EXPECT_EQ(core->start(), error_code{});
        settle();
        return core;
    }
    /// Replaces the node. No client knows it yet.
    void replace() {
        servers().delete_node("/n");
        servers().apply(client(1).session().session_id,
                        zk::CreateRequest{.path = "/n", .data = "new", .mode = CreateMode::ephemeral});
        servers().change_node("/n", "theirs");
    }
    std::string data() {
        const FakeNode* node = truth().find("/n");
        return node ? node->data : "nothing";
    }
};

TEST_F(ReplacedNode, IsNotWrittenToBeforeItIsHeardOf) {
    for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
        const auto core = settled({.mode = mode, .data = "ours"});
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

TEST_F(ReplacedNode, IsNotRemovedBeforeItIsHeardOf) {
    for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
        const auto core = settled({.mode = mode, .data = "ours"});
        replace();
        int closed = 0;
        core->close([&closed] { ++closed; });
        ASSERT_TRUE(world.run_until([&] { return closed == 1; }));
        settle();
        EXPECT_EQ(data(), "theirs");
        servers().delete_node("/n");
        settle();
    }
}

TEST_F(ReplacedNode, IsNotRemovedByARemovalWhoseReplyWasLost) {
    for (int steps = 0; steps < 12; ++steps) {
        SCOPED_TRACE(steps);
        const auto core = settled({.data = "ours"});
        int closed = 0;
        core->close([&closed] { ++closed; });
        for (int n = 0; n < steps; ++n) world.step();
        lose_replies(0);
        while (client(0).can_apply_stray()) client(0).apply_stray();
        const bool had_gone = data() == "nothing";
        if (had_gone) {
            servers().apply(client(1).session().session_id,
                            zk::CreateRequest{.path = "/n",
                                              .data = "new",
                                              .mode = CreateMode::ephemeral}); // the new node has the same version
        }
        ASSERT_TRUE(world.run_until([&] { return closed == 1; }));
        settle();
        EXPECT_EQ(data(), had_gone ? "new" : "nothing");
        if (had_gone) servers().delete_node("/n");
        settle();
    }
}

/// After the outage, the client comes to a server that does not know the removal and the new node yet.
TEST_F(ReplacedNode, IsNotRemovedByAClientWhoseServerLagsBehind) {
    const auto core = settled({.data = "ours"});
    core->close([] {});
    lose_replies(0);
    while (client(0).can_apply_stray()) client(0).apply_stray();
    ASSERT_EQ(data(), "nothing");
    servers().apply(client(1).session().session_id,
                    zk::CreateRequest{.path = "/n", .data = "new", .mode = CreateMode::ephemeral}); // with the same version
    client(0).connect(1);
    ASSERT_TRUE(servers().lags(1));
    while (client(0).can_run_posted() || client(0).can_serve() || client(0).can_deliver()) {
        if (client(0).can_run_posted()) client(0).run_posted();
        else if (client(0).can_serve()) client(0).serve();
        else client(0).deliver();
    }
    EXPECT_EQ(data(), "new");
    settle();
    EXPECT_EQ(data(), "new");
}

TEST_F(ReplacedNode, AnOutageOfAnyLengthLeavesNothingBehindTheEnd) {
    for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
        const auto core = settled({.mode = mode, .data = "ours"});
        client(0).unreachable = true;
        client(0).break_link({});
        core->close([] {});
        const auto end = world.surroundings().now + client(0).connection_timeout() + std::chrono::seconds{5};
        ASSERT_TRUE(world.run_until([&] { return world.surroundings().now > end; }));
        client(0).unreachable = false;
        settle();
        EXPECT_EQ(data(), "nothing");
    }
}

/// The new node has the same version.
TEST_F(ReplacedNode, IsNotTakenForItsOwnThoughItMayNotBeRead) {
    const auto core = settled({.data = "ours"});
    servers().delete_node("/n");
    servers().apply(client(1).session().session_id,
                    zk::CreateRequest{.path = "/n", .data = "new", .mode = CreateMode::ephemeral});
    servers().hide_node("/n");
    servers().learn_all(client(0).server().value()); // the event of the deletion is on its way
    run_until([&] { return core->node_path().empty(); });
    run_for(std::chrono::seconds{3});
    EXPECT_EQ(core->node_path(), "");
    core->close([] {});
    settle();
    EXPECT_EQ(data(), "new");
}

TEST_F(ReplacedNode, IsNotRemovedThoughItMayNotBeRead) {
    for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
        const auto core = settled({.mode = mode, .data = "ours"});
        replace();
        servers().hide_node("/n");
        int closed = 0;
        core->close([&closed] { ++closed; });
        ASSERT_TRUE(world.run_until([&] { return closed == 1; }));
        settle();
        EXPECT_EQ(data(), "theirs");
        servers().delete_node("/n");
        settle();
    }
}

/// The first node may not be read, nor may the new node, which has the same version.
TEST_F(ReplacedNode, IsNotRemovedThoughItMayNotBeReadAndTheReplyToARemovalWasLost) {
    int replaced = 0;
    for (int steps = 0; steps < 12; ++steps) {
        SCOPED_TRACE(steps);
        const auto core = settled({.data = "ours"});
        servers().hide_node("/n");
        int closed = 0;
        core->close([&closed] { ++closed; });
        for (int n = 0; n < steps; ++n) world.step();
        lose_replies(0);
        while (client(0).can_apply_stray()) client(0).apply_stray();
        const bool had_gone = data() == "nothing";
        if (had_gone) {
            ++replaced;
            servers().apply(client(1).session().session_id,
                            zk::CreateRequest{.path = "/n", .data = "new", .mode = CreateMode::ephemeral});
            servers().hide_node("/n");
        }
        ASSERT_TRUE(world.run_until([&] { return closed == 1; }));
        settle();
        EXPECT_TRUE(!had_gone || data() == "new") << data();
        if (truth().find("/n")) servers().delete_node("/n");
        settle();
    }
    EXPECT_GT(replaced, 0);
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

// ---- nodes that may not be read

TEST_F(PersistentNodeCoreTest, ANodeThatItMayNotReadIsMadeAndMadeAgain) {
    const auto core = keep("/n");
    ASSERT_EQ(core->start(), error_code{});
    run_until([&] { return core->node_path() == "/n"; });
    settle();
    servers().hide_node("/n");
    client.break_link({});
    settle();
    EXPECT_EQ(core->node_path(), "/n") << "it is there, and may not be read";
    const auto before = node("/n")->stat.czxid;
    servers().delete_node("/n");
    run_until([&] { return node("/n") && node("/n")->stat.czxid != before; });
    int closed = 0;
    core->close([&closed] { ++closed; });
    run_until([&] { return closed == 1; });
    EXPECT_FALSE(node("/n"));
}

TEST_F(PersistentNodeCoreTest, CloseAtAnyMomentRemovesANodeThatItMayNotRead) {
    for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
        for (int steps = 0; steps < 20; ++steps) {
            SCOPED_TRACE(steps);
            settle();
            const auto core = keep("/n", {.mode = mode});
            ASSERT_EQ(core->start(), error_code{});
            run_until([&] { return core->node_path() == "/n"; });
            settle();
            servers().hide_node("/n");
            client.break_link({}); // it looks again on the next connection
            for (int n = 0; n < steps; ++n) world.step();
            int closed = 0;
            core->close([&closed] { ++closed; });
            run_until([&] { return closed == 1; });
            settle();
            EXPECT_FALSE(node("/n"));
        }
    }
}

/// The connection breaks again when the object looks, or removes the node, so many steps after the end of the outage.
TEST_F(PersistentNodeCoreTest, AnOutageOfAnyLengthLeavesNoNodeThatItMayNotRead) {
    for (int steps = 0; steps < 12; ++steps) {
        SCOPED_TRACE(steps);
        settle();
        const auto core = keep("/n", {.mode = CreateMode::persistent}); // an ephemeral node goes with its session
        ASSERT_EQ(core->start(), error_code{});
        run_until([&] { return core->node_path() == "/n"; });
        settle();
        servers().hide_node("/n");
        client.unreachable = true;
        client.break_link({});
        core->close([] {});
        run_for(client.connection_timeout() + std::chrono::seconds{5}); // no removal was sent
        client.unreachable = false;
        run_until([&] { return client.linked(); });
        for (int n = 0; n < steps; ++n) world.step();
        lose_replies(0);
        while (client.can_apply_stray()) client.apply_stray();
        run_until([&] { return client.linked() && world.all_idle() && !client.next_timer(); });
        EXPECT_FALSE(node("/n"));
    }
}

TEST_F(PersistentNodeCoreTest, DataForAChangedNodeThatItMayNotReadIsWrittenWhenItMayReadIt) {
    const auto core = keep("/n", {.data = "one"});
    ASSERT_EQ(core->start(), error_code{});
    run_until([&] { return core->node_path() == "/n"; });
    settle();
    servers().hide_node("/n");
    servers().change_node("/n", "theirs");
    const auto set = answer_of([&](auto handler) { initiate_node_set(core, "two", {}, std::move(handler)); });
    expect(set, server_error::no_auth);
    const auto before = client.requests_sent();
    run_for(std::chrono::seconds{10});
    EXPECT_LT(client.requests_sent() - before, 100U) << "it pauses before it looks again";
    EXPECT_EQ(node("/n")->data, "theirs");
    servers().set_acl("/n", open_acl());
    run_until([&] { return node("/n")->data == "two"; });
    int closed = 0;
    core->close([&closed] { ++closed; });
    run_until([&] { return closed == 1; });
    EXPECT_FALSE(node("/n"));
}

} // namespace
} // namespace docent::detail
