// SPDX-License-Identifier: Apache-2.0
#include "client/core/forwarding_view.hpp"
#include "fake_world.hpp"
#include "shared/shared_value_core.hpp"
#include "testing/memory/rules.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace docent::detail {
namespace {

/// A connected client, and the node of a value.
class SharedValueCoreTest : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(world.run_until([&] { return client.linked() && world.all_idle(); }));
    }
    void make() {
        ensemble.apply(client.session().session_id, with_open_acls(zk::CreateRequest{"/value", "made"}));
        ensemble.learn_all(*client.server());
    }

    FakeWorld world{1, 1, "/lock"};
    FakeClient& client = world.client(0);
    FakeEnsemble& ensemble = world.surroundings().ensemble;
};

TEST_F(SharedValueCoreTest, NodeThatIsMadeBetweenTheReadAndTheWatchIsRead) {
    const auto shared = std::make_shared<SharedValueCore>(world.share(0), "/value", "seed");
    shared->follow([](error_code) {});
    ASSERT_TRUE(world.run_until([&] { return client.next_request().starts_with("look for /value"); }));
    make();
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
        if (kind == "sync") { // the read shows an older value, so a sync follows
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

/// A client whose reads end with an error for a while.
class FailingReads final : public ForwardingView {
public:
    using ForwardingView::ForwardingView;

    void submit(zk::Request request, zk::ReplyHandler handler) override {
        if (!fail || !std::holds_alternative<zk::GetRequest>(request))
            return ForwardingView::submit(std::move(request), std::move(handler));
        ++failed;
        post([handler = std::move(handler)] { handler({.ec = error::reply_too_large}); });
    }

    bool fail = false;
    int failed = 0;
};

/// The watch has fired, so no event follows.
TEST_F(SharedValueCoreTest, IsReadAgainAfterAPauseIfTheNewValueDidNotArrive) {
    make();
    const auto view = std::make_shared<FailingReads>(world.share(0));
    const auto shared = std::make_shared<SharedValueCore>(view, "/value", "seed");
    shared->follow([](error_code) {});
    ASSERT_TRUE(world.run_until([&] { return shared->value().value == "made" && world.all_idle(); }));
    view->fail = true;
    ensemble.change_node("/value", "later");
    ASSERT_TRUE(world.run_until([&] { return view->failed > 0; }));
    view->fail = false;
    EXPECT_TRUE(world.run_until([&] { return shared->value().value == "later"; }));
    shared->stop();
}

TEST_F(SharedValueCoreTest, PausesGrowUntilAReadSucceeds) {
    make();
    const auto view = std::make_shared<FailingReads>(world.share(0));
    view->fail = true;
    const auto shared = std::make_shared<SharedValueCore>(view, "/value", "seed");
    shared->follow([](error_code) {});
    std::chrono::nanoseconds last{};
    for (int failures = 1; failures <= 5; ++failures) {
        ASSERT_TRUE(world.run_until([&] { return view->failed == failures; }));
        const auto pause = world.surroundings().now - last;
        if (failures > 1) {
            EXPECT_NEAR(std::chrono::duration<double>(pause).count(), 1 << (failures - 2), 0.5) << failures;
        }
        last = world.surroundings().now;
    }
    view->fail = false;
    EXPECT_TRUE(world.run_until([&] { return shared->value().value == "made"; }));
    shared->stop();
}

TEST_F(SharedValueCoreTest, ACallDuringALookForAMissingNodeIsAnswered) {
    const auto shared = std::make_shared<SharedValueCore>(world.share(0), "/value", "seed");
    shared->follow([](error_code) {});
    ASSERT_TRUE(world.run_until([&] { return client.next_request().starts_with("look for /value"); }));
    int answers = 0;
    shared->refresh([&](error_code) { ++answers; });
    ASSERT_TRUE(world.run_until([&] { return world.all_idle(); }));
    EXPECT_EQ(answers, 1);
    shared->stop();
}

TEST_F(SharedValueCoreTest, ItsEndAnswersACallThatWaitsForASync) {
    make();
    const auto shared = std::make_shared<SharedValueCore>(world.share(0), "/value", "seed");
    shared->learn_written("later", {.mzxid = 1'000'000}); // the read shows an older value, so a sync follows
    int answers = 0;
    shared->follow([&](error_code) { ++answers; });
    ASSERT_TRUE(world.run_until([&] { return client.next_request().starts_with("sync"); }));
    shared->stop();
    ASSERT_TRUE(world.run_until([&] { return world.all_idle(); }));
    EXPECT_EQ(answers, 1);
}

} // namespace
} // namespace docent::detail
