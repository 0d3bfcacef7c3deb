// SPDX-License-Identifier: Apache-2.0
#include "fake_world.hpp"
#include "group/persistent_node_core.hpp"

#include <gtest/gtest.h>

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
        core->close(client, [&closed] { ++closed; });
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
        core->close(client, [] {});
        settle();
        run_until([&] { return !client.can_apply_stray() && !client.next_timer(); }); // it has been tried again
        settle();
        EXPECT_FALSE(node("/n"));
    }
}

} // namespace
} // namespace docent::detail
