// SPDX-License-Identifier: Apache-2.0

// The parts of a cache around its machine: its listeners and its end, on a client in memory.

#include "cache/cache_core.hpp"
#include "client/data/data_codec.hpp"
#include "views.hpp"
#include "world_test.hpp"

#include <docent/recipes/cache/cache_base.hpp>

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

class CacheCoreTest : public WorldTest {
protected:
    CacheCoreTest() : WorldTest(1) {}
    void TearDown() override { core->close(); }

    FakeClient& client() { return WorldTest::client(0); }
    AnswerPtr start(CallOptions call = {}) {
        return answer_of([&](auto handler) { initiate_cache_start(core, std::move(call), std::move(handler)); });
    }
    void make(const std::string& path, const std::string& data) {
        servers().apply(servers().open_session(client().boot_now()), zk::CreateRequest{.path = path, .data = data});
    }
    bool is_whole() {
        return core->look([](const CacheView& shown) { return shown.whole(); });
    }

    std::shared_ptr<ForgettingView> view = std::make_shared<ForgettingView>(world.share(0));
    std::shared_ptr<CacheCore> core = std::make_shared<CacheCore>(view, CacheShape{.root = "/tree"}, nullptr);
};

TEST_F(CacheCoreTest, WaitersHearThatTheCacheIsClosed) {
    client().unreachable = true;
    const auto started = start();
    run_for(std::chrono::milliseconds{100});
    ASSERT_EQ(started->times, 0);
    core->close();
    expect(started, error::closed);
    const auto again = start();
    expect(again, error::closed);
}

TEST_F(CacheCoreTest, WaitersHearThatTheClientIsClosed) {
    connect();
    const auto started = start();
    run_until([&] { return client().has_requests(); });
    ASSERT_EQ(started->times, 0);
    client().close();
    expect(started, error::closed);
}

/// The stop token of the call has fired before it begins.
TEST_F(CacheCoreTest, ACancelledStartHasStartedTheCache) {
    make("/tree", "1");
    std::stop_source stopped;
    stopped.request_stop();
    const auto started = start({.stop = stopped.get_token()});
    expect(started, asio::error::operation_aborted);
    run_until([&] { return is_whole(); });
}

TEST_F(CacheCoreTest, AStartWithoutAServerEndsWithTheTimeOfAConnection) {
    client().unreachable = true;
    const auto before = world.surroundings().now;
    const auto started = start();
    expect(started, error::not_connected);
    EXPECT_GE(world.surroundings().now - before, client().connection_timeout());
    client().unreachable = false;
    ASSERT_TRUE(world.run_until([&] { return is_whole(); })) << "the cache goes on";
}

TEST_F(CacheCoreTest, AStartWhoseConnectionBreaksEndsWithTheTimeOfAConnection) {
    connect();
    const auto started = start();
    run_until([&] { return client().has_requests(); });
    client().unreachable = true;
    client().break_link({});
    const auto before = world.surroundings().now;
    expect(started, error::not_connected);
    EXPECT_GE(world.surroundings().now - before, client().connection_timeout());
    client().unreachable = false;
    ASSERT_TRUE(world.run_until([&] { return is_whole(); })) << "the cache goes on";
}

TEST_F(CacheCoreTest, WithoutAConnectionItIsNotWhole) {
    make("/tree", "1");
    start();
    run_until([&] { return is_whole(); });
    client().unreachable = true;
    client().break_link({});
    run_until([&] { return !is_whole(); });
    client().unreachable = false;
    run_until([&] { return is_whole(); });
}

TEST_F(CacheCoreTest, ShowsNothingInAChildOfItsProcess) {
    make("/tree", "1");
    const auto forked = std::make_shared<ForkedView>(world.share(0));
    core = std::make_shared<CacheCore>(forked, CacheShape{.root = "/tree"}, nullptr);
    start();
    run_until([&] { return is_whole(); });
    const auto count = [&] { return core->look([](const CacheView& shown) { return shown.nodes().size(); }); };
    EXPECT_EQ(count(), 1U);
    forked->in_child = true;
    EXPECT_FALSE(is_whole());
    EXPECT_EQ(count(), 0U);
    forked->in_child = false; // the parent
    EXPECT_TRUE(is_whole());
}

TEST_F(CacheCoreTest, AReadThatAServerRefusesIsTriedAgain) {
    make("/tree", "1");
    connect();
    client().throttle_next = true;
    start();
    run_until([&] { return is_whole(); });
    EXPECT_FALSE(client().throttle_next);
}

TEST_F(CacheCoreTest, ARootIsAwaitedThoughAServerRefusesTheFirstLook) {
    connect();
    start();
    run_until([&] { return client().next_request().starts_with("look for"); });
    client().throttle_next = true;
    run_until([&] { return !client().throttle_next && client().idle(); });
    run_until([&] { return is_whole(); });
    make("/tree", "1");
    run_until([&] { return core->look([](const CacheView& shown) { return shown.find("/tree") != nullptr; }); });
}

TEST_F(CacheCoreTest, PausesGrowWhileAServerRefusesItsReads) {
    make("/tree", "1");
    connect();
    world.on_step = [this](const FakeStep&) { client().throttle_next = client().next_request().starts_with("read"); };
    const auto before = client().requests_throttled();
    start();
    run_for(std::chrono::seconds{25}); // the pauses: 1, 2, 4, 8, and 16 s
    EXPECT_LE(client().requests_throttled() - before, 6U);
    world.on_step = nullptr;
    client().throttle_next = false;
    run_until([&] { return is_whole(); });
}

TEST_F(CacheCoreTest, ShowsUnpackedDataAndRefusesDataThatIsNotPacked) {
    make("/tree", gzip("1"));
    make("/tree/damaged", "no gzip");
    core = std::make_shared<CacheCore>(std::make_shared<CompressingView>(view), CacheShape{.root = "/tree"}, nullptr);
    std::vector<std::string> refused;
    const auto listening = core->listen([&refused](const CacheEvent& event) {
        if (event.change == CacheChange::refused && event.reason == error::corrupt_data) refused.push_back(event.path);
    });
    start();
    run_until([&] { return is_whole(); });
    EXPECT_EQ(core->look([](const CacheView& shown) { return shown.find("/tree")->data; }), "1");
    EXPECT_EQ(core->look([](const CacheView& shown) { return shown.nodes().size(); }), 1U);
    EXPECT_EQ(refused, std::vector<std::string>{"/tree/damaged"});
}

TEST_F(CacheCoreTest, ALateListenerHearsOfEachNodeAndOfCompleteness) {
    make("/tree", "1");
    start();
    run_until([&] { return is_whole(); });
    std::vector<CacheChange> heard;
    const auto listening = core->listen([&heard](const CacheEvent& event) { heard.push_back(event.change); });
    EXPECT_EQ(heard, (std::vector{CacheChange::added, CacheChange::whole}));
}

TEST_F(CacheCoreTest, AListenerFindsTheNodeThatItHearsOf) {
    make("/tree", "1");
    bool found = false;
    const auto listening = core->listen([&](const CacheEvent& event) {
        if (event.change != CacheChange::added) return;
        found = core->look([&](const CacheView& shown) { return shown.find(event.path) == event.node; });
    });
    start();
    run_until([&] { return is_whole(); });
    EXPECT_TRUE(found);
}

TEST_F(CacheCoreTest, CloseGivesUpEachWatch) {
    make("/tree", "");
    make("/tree/child", "");
    start();
    run_until([&] { return is_whole(); });
    core->close();
    for (const std::string path : {"/tree", "/tree/child"}) {
        EXPECT_EQ((view->forgotten[{path, zk::WatchKind::data}]), 1) << path;
        EXPECT_EQ((view->forgotten[{path, zk::WatchKind::children}]), 1) << path;
    }
}

TEST_F(CacheCoreTest, CloseGivesUpTheWatchOnARootThatIsNotThere) {
    start();
    run_until([&] { return is_whole(); });
    core->close();
    EXPECT_EQ((view->forgotten[{"/tree", zk::WatchKind::exists}]), 1);
}

} // namespace
} // namespace docent::detail
