// SPDX-License-Identifier: Apache-2.0
#include "fake_world.hpp"
#include "shared/shared_value_core.hpp"
#include "testing/memory/rules.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

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

/// A server refuses one kind of request until the client has used up its retries.
TEST(SharedValueCore, IsReadAgainAfterAPauseIfAServerRefusesARequest) {
    for (const std::string kind : {"read", "look for", "sync"}) {
        SCOPED_TRACE(kind);
        FakeWorld world{1, 1, "/lock"};
        FakeClient& client = world.client(0);
        FakeEnsemble& ensemble = world.surroundings().ensemble;
        const auto make = [&] {
            ensemble.apply(client.session().session_id, with_open_acls(zk::CreateRequest{"/value", "made"}));
            ensemble.learn_all(*client.server());
        };
        const auto settle = [&] { return client.linked() && world.all_idle() && !client.next_timer(); };
        ASSERT_TRUE(world.run_until(settle));
        if (kind != "look for") make();
        const auto shared = std::make_shared<SharedValueCore>(world.share(0), "/value", "seed");
        if (kind == "sync") { // for a read that shows an older value
            shared->learn_written("later", {.mzxid = 1'000'000});
        }
        world.on_step = [&](const FakeStep&) { client.throttle_next = client.next_request().starts_with(kind); };
        shared->follow([](error_code) {});
        ASSERT_TRUE(world.run_until([&] { return client.requests_throttled() > 4; }));
        ASSERT_TRUE(world.run_until([&] { return client.idle(); }));
        world.on_step = nullptr;
        client.throttle_next = false;
        if (kind == "look for") make();
        EXPECT_TRUE(world.run_until([&] { return shared->value().value == "made"; }));
        shared->stop();
    }
}

} // namespace
} // namespace docent::detail
