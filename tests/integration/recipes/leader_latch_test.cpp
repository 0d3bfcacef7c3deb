// SPDX-License-Identifier: Apache-2.0
#include "eventually.hpp"
#include "heard.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using test::eventually;

/// The events that a latch's listener has received.
class HeardOfALatch {
public:
    explicit HeardOfALatch(LeaderLatch& latch)
        : subscription_(latch.listen([heard = heard_](const LeadershipEvent& event) { heard.add(event.change); })) {}

    std::vector<LeadershipChange> all() const { return heard_.all(); }
    bool becomes(const std::vector<LeadershipChange>& changes) const {
        return eventually([&] { return all() == changes; });
    }

private:
    test::Heard<LeadershipChange> heard_;
    Subscription subscription_;
};

class LeaderLatchTest : public ProxiedTest {
protected:
    using enum LeadershipChange;

    explicit LeaderLatchTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    LeaderLatch first{client, "/election", {.id = "first"}};
    LeaderLatch second{other, "/election", {.id = "second"}};

    std::vector<std::string> ids() {
        other.sync("/");
        std::vector<std::string> all;
        for (const auto& each : second.participants()) all.push_back(each.data);
        return all;
    }
    bool queue_is(const std::vector<std::string>& wanted) {
        return eventually([&] { return ids() == wanted; });
    }
};

TEST_F(LeaderLatchTest, LeadsResignsAndStandsForElectionAgain) {
    EXPECT_THROW(LeaderLatch(client, "election"), Error);
    const HeardOfALatch heard(first);
    EXPECT_TRUE(ids().empty()) << "nobody has been there";
    EXPECT_FALSE(first.leader());
    EXPECT_EQ(first.state(), LatchState::latent);
    first.start();
    const Leadership leadership = first.await_leadership();
    EXPECT_TRUE(first.has_leadership());
    EXPECT_EQ(first.leadership(), leadership);
    second.start();
    ASSERT_TRUE(queue_is({"first", "second"}));
    EXPECT_FALSE(second.has_leadership());
    EXPECT_EQ(second.leadership(), nullptr);
    EXPECT_EQ(second.leader()->data, "first");
    EXPECT_EQ(second.leader()->fencing_token, leadership->fencing_token());

    auto next = second.async_await_leadership(asio::use_future);
    first.resign();
    EXPECT_FALSE(leadership->owns());
    EXPECT_EQ(leadership->state(), LeaseState::released);
    EXPECT_GT(next.get()->fencing_token(), leadership->fencing_token());
    EXPECT_TRUE(queue_is({"second", "first"}));
    EXPECT_TRUE(heard.becomes({gained, given_up}));
    second.async_close(LatchClose::silently, asio::use_future).get();
    EXPECT_TRUE(first.await_leadership()->owns());
    EXPECT_TRUE(heard.becomes({gained, given_up, gained}));
}

TEST_F(LeaderLatchTest, GuardsTransactions) {
    const Leadership leadership = first.await_leadership();
    client.create("/config", "");
    Transaction by_leader;
    by_leader.guard(*leadership).set_data("/config", "by the leader");
    client.commit(by_leader);
    other.remove(leadership->node_path());
    Transaction too_late;
    too_late.guard(*leadership).set_data("/config", "too late");
    EXPECT_THROW(client.commit(too_late), Error);
    EXPECT_EQ(other.get("/config").data, "by the leader");
}

struct CutOffLeaderLatchTest : LeaderLatchTest {
    CutOffLeaderLatchTest() : LeaderLatchTest(Sessions::soon_lost) {}
};

TEST_F(CutOffLeaderLatchTest, BehindABlackHoleItLeadsNoMoreBeforeTheNextOneDoes) {
    const Leadership leadership = first.await_leadership();
    std::promise<bool> both;
    second.async_await_leadership([&](error_code, const Leadership&) { both.set_value(first.has_leadership()); });
    ASSERT_TRUE(queue_is({"first", "second"}));
    proxy.black_hole();
    EXPECT_FALSE(both.get_future().get());
    EXPECT_TRUE(leadership->stop_token().stop_requested());
    EXPECT_EQ(leadership->state(), LeaseState::lost);
    proxy.heal();
    EXPECT_TRUE(queue_is({"second", "first"})) << "it enters again by itself";
}

TEST_F(LeaderLatchTest, CloseTellsTheListenersIfItIsToAndDestructionDoesNot) {
    asio::thread_pool pool{1};
    std::promise<Leadership> told;
    {
        LeaderLatch latch(client, "/election");
        const Subscription subscription = latch.listen(
            [&](const LeadershipEvent& event) {
                if (event.change == given_up) told.set_value(event.leadership);
            },
            pool.get_executor());
        const Leadership leadership = latch.await_leadership();
        latch.close(LatchClose::telling);
        EXPECT_EQ(told.get_future().get(), leadership);
        latch.close();
        EXPECT_EQ(latch.state(), LatchState::closed);
        EXPECT_THROW(latch.start(), Error);
        error_code ec;
        EXPECT_EQ(latch.await_leadership(ec), nullptr);
        EXPECT_EQ(ec, error::closed);
        EXPECT_TRUE(queue_is({}));
    }
    auto latch = std::make_unique<LeaderLatch>(client, "/election");
    const HeardOfALatch heard(*latch);
    const Leadership leadership = latch->await_leadership();
    ASSERT_TRUE(heard.becomes({gained}));
    latch.reset();
    EXPECT_TRUE(queue_is({}));
    EXPECT_EQ(leadership->state(), LeaseState::released);
    EXPECT_EQ(heard.all(), std::vector{gained});
}

} // namespace
} // namespace docent
