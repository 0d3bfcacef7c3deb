// SPDX-License-Identifier: Apache-2.0
// Two objects of one client that keep a node at the same path.
#include "fake_client.hpp"
#include "fake_world.hpp"
#include "group/persistent_node_core.hpp"

#include <docent/recipes/persistent_node.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

/// The owner of an ephemeral node is a session. So the node does not show which of two objects of a client made it.
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
            const TreeNode* node = world.surroundings().ensemble.truth().find("/n");
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
        for (const bool other_comes_first : {false, true}) { // a throttled first request lets the other object be first
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

} // namespace
} // namespace docent::detail
