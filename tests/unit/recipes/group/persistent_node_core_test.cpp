// SPDX-License-Identifier: Apache-2.0
#include "fake_world.hpp"
#include "group/persistent_node_core.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace docent::detail {
namespace {

class PersistentNodeCoreTest : public testing::Test {
protected:
    std::shared_ptr<PersistentNodeCore> keep(const std::string& path, PersistentNodeOptions options = {}) {
        return std::make_shared<PersistentNodeCore>(world.share(0), path, std::move(options), options.data);
    }
    const FakeNode* node(const std::string& path) { return world.surroundings().ensemble.truth().find(path); }
    template <typename Condition> void run_until(Condition condition) {
        ASSERT_TRUE(world.run_until(condition)) << "never came";
    }
    void settle() {
        run_until([&] { return client.linked() && world.all_idle(); });
    }

    FakeWorld world{1, 1, "/lock"};
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

TEST_F(PersistentNodeCoreTest, CloseWaitsForTheEndOfWhatIsBeingMade) {
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

TEST_F(PersistentNodeCoreTest, CloseLeavesNothingOfAMakeWhoseReplyWasLost) {
    for (int steps = 0; steps < 20; ++steps) {
        SCOPED_TRACE(steps);
        settle();
        const auto core = keep("/n");
        ASSERT_EQ(core->start(), error_code{});
        for (int n = 0; n < steps; ++n) world.step();
        if (client.linked()) client.break_link({.reached = client.has_requests() ? 1u : 0u});
        core->close([] {});
        settle();
        run_until([&] { return !client.can_apply_stray() && !client.next_timer(); }); // it has been tried again
        settle();
        EXPECT_FALSE(node("/n"));
    }
}

/// Two clients: one keeps a node, the other puts one of its own in its place.
class ReplacedNode : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(world.run_until([&] { return world.client(0).linked() && world.client(1).linked() && world.all_idle(); }));
    }
    void settle() {
        ASSERT_TRUE(world.run_until([&] { return world.client(0).linked() && world.all_idle(); }));
    }
    std::shared_ptr<PersistentNodeCore> settled(const PersistentNodeOptions& options) {
        const auto core = std::make_shared<PersistentNodeCore>(world.share(0), "/n", options, options.data);
        EXPECT_EQ(core->start(), error_code{});
        settle();
        return core;
    }
    /// Nobody has heard of it yet.
    void replace() {
        auto& ensemble = world.surroundings().ensemble;
        ensemble.delete_node("/n");
        ensemble.apply(world.client(1).session().session_id,
                       zk::CreateRequest{.path = "/n", .data = "new", .mode = CreateMode::ephemeral});
        ensemble.change_node("/n", "theirs");
    }
    std::string data() {
        const FakeNode* node = world.surroundings().ensemble.truth().find("/n");
        return node ? node->data : "nothing";
    }

    FakeWorld world{1, 2, "/lock"};
};

TEST_F(ReplacedNode, IsNotWrittenToBeforeItIsHeardOf) {
    for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
        const auto core = settled({.mode = mode, .data = "ours"});
        replace();
        core->set_data("more", "more");
        settle();
        EXPECT_EQ(data(), "theirs");
        world.surroundings().ensemble.delete_node("/n");
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
        world.surroundings().ensemble.delete_node("/n");
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
        auto& client = world.client(0);
        if (client.linked()) client.break_link({.reached = client.has_requests() ? 1u : 0u});
        while (client.can_apply_stray()) client.apply_stray();
        const bool had_gone = data() == "nothing";
        if (had_gone) {
            world.surroundings().ensemble.apply(
                world.client(1).session().session_id,
                zk::CreateRequest{.path = "/n", .data = "new", .mode = CreateMode::ephemeral}); // of the same version
        }
        ASSERT_TRUE(world.run_until([&] { return closed == 1; }));
        settle();
        EXPECT_EQ(data(), had_gone ? "new" : "nothing");
        if (had_gone) world.surroundings().ensemble.delete_node("/n");
        settle();
    }
}

TEST_F(ReplacedNode, AnOutageOfAnyLengthLeavesNothingBehindTheEnd) {
    for (const CreateMode mode : {CreateMode::ephemeral, CreateMode::persistent}) {
        const auto core = settled({.mode = mode, .data = "ours"});
        world.client(0).unreachable = true;
        world.client(0).break_link({});
        core->close([] {});
        const auto end = world.surroundings().now + world.client(0).connection_timeout() + std::chrono::seconds{5};
        ASSERT_TRUE(world.run_until([&] { return world.surroundings().now > end; }));
        world.client(0).unreachable = false;
        settle();
        EXPECT_EQ(data(), "nothing");
    }
}

} // namespace
} // namespace docent::detail
