// SPDX-License-Identifier: Apache-2.0
#include "fake_server/fake_rules.hpp"
#include "fake_world.hpp"
#include "shared/shared_value_core.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace docent::detail {
namespace {

TEST(SharedValueCore, NodeThatIsMadeBetweenTheReadAndTheWatchIsRead) {
    FakeWorld world{1, 1, "/lock"};
    FakeClient& client = world.client(0);
    FakeEnsemble& ensemble = world.surroundings().ensemble;
    ASSERT_TRUE(world.run_until([&] { return client.linked() && world.all_idle(); }));
    const auto shared = std::make_shared<SharedValueCore>(world.share(0), "/value", "seed");
    shared->follow([](error_code) {});
    ASSERT_TRUE(world.run_until([&] { return client.next_request().starts_with("look for /value"); }));
    ensemble.apply(client.session().session_id, with_open_acls(zk::CreateRequest{"/value", "made"}));
    ensemble.learn_all(*client.server());
    ASSERT_TRUE(world.run_until([&] { return world.all_idle(); }));
    EXPECT_EQ(shared->value().value, "made");
    shared->stop();
}

} // namespace
} // namespace docent::detail
