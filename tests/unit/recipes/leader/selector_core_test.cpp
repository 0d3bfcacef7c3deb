// SPDX-License-Identifier: Apache-2.0
#include "fake_recipes/fake_selector.hpp"
#include "world_test.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <regex>
#include <vector>

namespace docent::detail {
namespace {

/// Two selectors, each on its client.
class SelectorCoreTest : public WorldTest {
protected:
    SelectorCoreTest() : WorldTest(2, selection_path) {}
    void TearDown() override {
        for (auto* each : {&first, &second}) {
            each->end_work();
            each->core->close([] {});
        }
    }
    /// There are never two leaders.
    void check() override {
        for (const auto* each : {&first, &second}) {
            const auto leads = each->core->leadership();
            // A leader whose node an administrator has deleted cannot know that yet.
            if (!leads || world.was_taken(leads->node_path())) continue;
            EXPECT_EQ(world.first(), leads->node_path());
        }
    }
    void lead(FakeSelector& selector) {
        ASSERT_EQ(selector.core->start(), error_code{});
        run_until([&] { return selector.works(); });
    }
    /// Runs until the second selector waits behind the first and its watches are set.
    void queue_up_second() {
        const auto sent = client(1).requests_sent();
        ASSERT_EQ(second.core->start(), error_code{});
        run_until([&] { return world.queue().size() == 2 && client(1).idle() && client(1).requests_sent() >= sent + 4; });
    }
    bool requeue(FakeSelector& selector) {
        error_code ec;
        const bool queued = selector.core->requeue(ec);
        EXPECT_EQ(ec, error_code{});
        return queued;
    }
    AnswerPtr close(FakeSelector& selector, CallOptions call = {}) {
        return answer_of([&](auto handler) { initiate_selector_close(selector.core, std::move(call), std::move(handler)); });
    }

    FakeSelector first{world, 0, "first"};
    FakeSelector second{world, 1, "second"};
};

TEST_F(SelectorCoreTest, ItsNodeIsWhatCuratorExpects) {
    lead(first);
    const auto leads = first.core->leadership();
    EXPECT_TRUE(std::regex_match(leads->node_path(), std::regex("/lead/_c_.+-lock-[0-9]{10}")));
    const TreeNode* node = truth().find(leads->node_path());
    ASSERT_TRUE(node);
    EXPECT_EQ(node->mode, CreateMode::ephemeral_sequential);
    EXPECT_EQ(node->data, "first");
    EXPECT_EQ(node->stat.czxid, leads->fencing_token());
    EXPECT_EQ(first.term()->leadership(), leads);
}

TEST_F(SelectorCoreTest, TheEndOfTheWorkHandsTheLeadOnAndThatIsAll) {
    lead(first);
    queue_up_second();
    const auto ended = first.core->leadership();
    first.end_work();
    bool asked = false;
    run_until([&] {
        const auto request = client(1).next_request();
        asked = asked || (!second.works() && (request.starts_with("list") || request.starts_with("read")));
        return second.works();
    });
    EXPECT_FALSE(asked) << "one round trip";
    EXPECT_GT(second.core->leadership()->fencing_token(), ended->fencing_token());
    EXPECT_EQ(ended->state(), LeaseState::released);
    EXPECT_FALSE(ended->stop_token().stop_requested());
    settle();
    EXPECT_EQ(world.queue().size(), 1u);
    EXPECT_EQ(first.core->leadership(), nullptr);
    EXPECT_EQ(first.begun(), 1);
}

TEST_F(SelectorCoreTest, RequeuesByItselfIfItIsToldTo) {
    FakeSelector again(world, 0, "again", true);
    lead(again);
    queue_up_second();
    again.end_work();
    run_until([&] { return second.works() && world.queue().size() == 2; });
    second.end_work();
    run_until([&] { return again.works(); });
    EXPECT_EQ(again.begun(), 2);
    again.end_work();
    again.core->close([] {});
}

TEST_F(SelectorCoreTest, RequeueAsksForOneMoreLeadAndOnlyOne) {
    EXPECT_TRUE(requeue(first)) << "starts it";
    EXPECT_FALSE(requeue(first));
    run_until([&] { return first.works(); });
    queue_up_second();
    EXPECT_FALSE(requeue(second)) << "it is in the queue";
    EXPECT_TRUE(requeue(first)) << "after the present lead";
    EXPECT_FALSE(requeue(first));
    settle();
    EXPECT_EQ(world.queue().size(), 2u) << "behind those who come meanwhile";
    EXPECT_TRUE(first.works());
    first.end_work();
    run_until([&] { return second.works() && world.queue().size() == 2; });
    second.end_work();
    run_until([&] { return first.works(); });
    first.end_work();
    settle();
    EXPECT_TRUE(world.queue().empty());
    EXPECT_TRUE(requeue(second)) << "long after its lead";
    run_until([&] { return second.works(); });
    EXPECT_EQ(first.begun() + second.begun(), 4);
}

// ---- loss

TEST_F(SelectorCoreTest, ALossStopsTheWorkAndNobodyElseLeadsBeforeItHasEnded) {
    lead(first);
    const auto leads = first.core->leadership();
    queue_up_second();
    client(0).unreachable = true;
    client(0).break_link({});
    run_until([&] { return first.is_asked_to_stop(); });
    EXPECT_EQ(first.core->leadership(), nullptr);
    EXPECT_EQ(leads->state(), LeaseState::lost);
    client(0).unreachable = false; // reconnects in time: the session survives
    settle();
    EXPECT_EQ(world.first(), leads->node_path());
    EXPECT_FALSE(second.works());
    first.end_work();
    run_until([&] { return second.works(); });
    settle();
    EXPECT_EQ(world.queue().size(), 1u) << "its lead is over";
}

TEST_F(SelectorCoreTest, TheEndOfTheSessionWhileItLeadsStopsTheWorkAndTheNextBeginsWhenThatHasEnded) {
    FakeSelector again(world, 0, "again", true);
    lead(again);
    queue_up_second();
    world.inflict(Fault::end_session, 0);
    run_until([&] { return second.works() && again.is_asked_to_stop(); });
    second.end_work();
    settle();
    EXPECT_TRUE(world.queue().empty());
    EXPECT_EQ(again.begun(), 1) << "one at a time";
    again.end_work();
    run_until([&] { return again.works(); });
    EXPECT_EQ(again.begun(), 2);
    again.end_work();
    again.core->close([] {});
}

TEST_F(SelectorCoreTest, ALeadThatIsLostBeforeTheWorkBeginsDoesNotCount) {
    first.be_slow();
    first.core->start();
    run_until([&] { return first.term() != nullptr; });
    world.inflict(Fault::end_session, 0);
    run_until([&] { return first.is_asked_to_stop(); });
    EXPECT_FALSE(first.begin_work());
    first.end_work();
    run_until([&] { return first.term() != nullptr; });
    EXPECT_TRUE(first.begin_work());
    EXPECT_EQ(first.begun(), 1);
}

// ---- obstacles

TEST_F(SelectorCoreTest, ReportsObstaclesAndTriesAgain) {
    client(0).unreachable = true;
    first.core->start();
    run_until([&] { return !first.failures().empty(); });
    try {
        std::rethrow_exception(first.failures().front());
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), error::not_connected);
    }
    EXPECT_FALSE(requeue(first));
    client(0).unreachable = false;
    run_until([&] { return first.works(); });
    EXPECT_EQ(first.begun(), 1);
}

TEST_F(SelectorCoreTest, RequeuesAfterALeadThatFollowedAFailedAttempt) {
    client(0).unreachable = true;
    first.core->start();
    run_until([&] { return !first.failures().empty(); });
    client(0).unreachable = false;
    run_until([&] { return first.works(); });
    first.end_work();
    settle();
    EXPECT_TRUE(requeue(first));
    run_until([&] { return first.works(); });
    EXPECT_EQ(first.begun(), 2);
}

TEST_F(SelectorCoreTest, WorkThatCannotBeBegunIsReportedAndTriedAgainLater) {
    first.fail_to_begin();
    first.core->start();
    run_until([&] { return !first.failures().empty(); });
    settle();
    EXPECT_TRUE(world.queue().empty());
    EXPECT_THROW(std::rethrow_exception(first.failures().front()), std::runtime_error);
    const auto failed = world.surroundings().now;
    run_until([&] { return first.works(); });
    EXPECT_GE(world.surroundings().now - failed, std::chrono::milliseconds(900));
    first.end_work();
    run_for(std::chrono::milliseconds(3000));
    EXPECT_TRUE(world.queue().empty()) << "it has led";
    EXPECT_EQ(first.begun(), 1);
}

// ---- interrupt

TEST_F(SelectorCoreTest, InterruptingAsksTheWorkToStopWhichLeadsUntilItHasEnded) {
    lead(first);
    queue_up_second();
    EXPECT_FALSE(second.core->interrupt()) << "who waits is not disturbed";
    EXPECT_TRUE(first.core->interrupt());
    run_until([&] { return first.is_asked_to_stop(); });
    EXPECT_TRUE(first.core->leadership()) << "it has time to end its work";
    settle();
    EXPECT_EQ(world.queue().size(), 2u);
    first.end_work();
    run_until([&] { return second.works(); });
    EXPECT_FALSE(second.is_asked_to_stop());
    EXPECT_EQ(first.begun(), 1);
}

TEST_F(SelectorCoreTest, AnInterruptionThatComesLateDoesNotConcernTheNextLead) {
    lead(first);
    EXPECT_TRUE(requeue(first));
    EXPECT_TRUE(first.core->interrupt());
    first.end_work(); // before any listener was told
    run_until([&] { return first.begun() == 2; });
    settle();
    EXPECT_FALSE(first.is_asked_to_stop());
}

TEST_F(SelectorCoreTest, InterruptedBeforeTheWorkBeginsItIsNotBegun) {
    first.be_slow();
    first.core->start();
    run_until([&] { return first.term() != nullptr; });
    EXPECT_TRUE(first.core->interrupt());
    run_until([&] { return first.is_asked_to_stop(); });
    EXPECT_FALSE(first.begin_work());
    first.end_work();
    settle();
    EXPECT_TRUE(world.queue().empty()) << "that was its lead";
    EXPECT_EQ(first.begun(), 0);
}

TEST_F(SelectorCoreTest, WorkThatIsDroppedEndsTheLeadership) {
    first.be_slow();
    first.core->start();
    run_until([&] { return first.term() != nullptr; });
    first.end_work(); // the executor has ended and has dropped all posted work
    settle();
    EXPECT_TRUE(world.queue().empty());
    EXPECT_EQ(first.begun() + first.refused(), 0);
}

// ---- close

TEST_F(SelectorCoreTest, CloseStopsTheWorkAndWaitsForItsEndAndForTheServer) {
    FakeSelector again(world, 0, "again", true);
    lead(again);
    const auto node = again.core->leadership()->node_path();
    const auto closed = close(again);
    run_until([&] { return again.is_asked_to_stop(); });
    settle();
    EXPECT_EQ(closed->times, 0);
    EXPECT_TRUE(truth().find(node));
    again.end_work();
    const auto later = close(again);
    run_until([&] { return closed->times == 1 && later->times == 1; });
    EXPECT_EQ(truth().find(node), nullptr) << "the server has confirmed it";
    EXPECT_EQ(closed->ec, error_code{});
    settle();
    EXPECT_EQ(again.begun(), 1);
    EXPECT_EQ(again.core->start(), error::closed);
    error_code ec;
    EXPECT_FALSE(again.core->requeue(ec));
    EXPECT_EQ(ec, error::closed);
}

TEST_F(SelectorCoreTest, ACloseThatIsCancelledBeforeItBeginsClosesNevertheless) {
    lead(first);
    std::stop_source stop;
    stop.request_stop();
    const auto closed = close(first, {.stop = stop.get_token()});
    run_until([&] { return closed->times == 1; });
    EXPECT_EQ(closed->ec, asio::error::operation_aborted);
    EXPECT_TRUE(first.is_asked_to_stop());
    first.end_work();
    run_until([&] { return world.queue().empty(); });
}

TEST_F(SelectorCoreTest, TheLeaseOfALeadIsDestroyedBeforeTheClientHearsThatTheLeadHasEnded) {
    ASSERT_TRUE(client(0).idle());
    bool client_had_heard = true;
    Leadership leadership(static_cast<const Lease*>(nullptr), [&](const Lease*) { client_had_heard = !client(0).idle(); });
    bool ended = false;
    auto term = std::make_shared<LeaderTerm>(world.share(0), std::move(leadership), std::make_shared<WorkThreads>(),
                                             [&ended](bool) { ended = true; });
    term.reset();
    EXPECT_FALSE(client_had_heard) << "close() may return then, and the user may destroy the client's io_context";
    EXPECT_FALSE(client(0).idle());
    run_until([&] { return ended; });
}

TEST_F(SelectorCoreTest, AHandlerThatIsPostedAtItsEndClosesIt) {
    auto object = post_at_end(first.core->view(), [core = first.core] { core->close([] {}); });
    auto same = object; // as_default_on() makes such a copy
    lead(first);
    object.reset();
    settle();
    EXPECT_FALSE(first.is_asked_to_stop());
    same.reset();
    run_until([&] { return first.is_asked_to_stop(); });
    first.end_work();
    run_until([&] { return world.queue().empty(); });
}

TEST_F(SelectorCoreTest, EndsWithItsClient) {
    lead(first);
    queue_up_second();
    client(1).close();
    run_until([&] { return second.core->state() == LatchState::closed; });
    EXPECT_EQ(second.begun(), 0);
    client(0).close();
    run_until([&] { return first.is_asked_to_stop(); });
    const auto closed = close(first);
    first.end_work();
    run_until([&] { return closed->times == 1; });
}

} // namespace
} // namespace docent::detail
