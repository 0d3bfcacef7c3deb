// SPDX-License-Identifier: Apache-2.0
#include "fake_recipes/fake_latch.hpp"
#include "world_test.hpp"

#include <boost/asio/error.hpp>

#include <chrono>
#include <memory>
#include <regex>
#include <stop_token>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;

/// Two latches, each on its client, and the events of their listeners.
class LatchCoreTest : public WorldTest {
protected:
    using Changes = std::vector<LeadershipChange>;
    using enum LeadershipChange;

    struct LeadershipAnswer : Answer {
        Leadership leadership;
    };

    LatchCoreTest() : WorldTest(2, election_path, latch_names()) {}
    void TearDown() override {
        for (const auto& latch : latches) {
            if (latch->state() != LatchState::closed) latch->close(LatchClose::silently, *latch->view(), [] {});
        }
    }

    bool leads(std::size_t index) const { return latches[index]->leadership() != nullptr; }
    Changes changes(std::size_t index) const {
        Changes all;
        for (const auto& event : events[index]) all.push_back(event.change);
        return all;
    }

    /// There are never two leaders.
    void check() override {
        for (const auto& latch : latches) {
            const auto leadership = latch->leadership();
            // A leader whose node an administrator has deleted cannot know that yet.
            if (!leadership || world.was_taken(leadership->node_path())) continue;
            EXPECT_EQ(world.first(), leadership->node_path());
        }
    }
    void lead(std::size_t index) {
        ASSERT_EQ(latches[index]->start(), error_code{});
        run_until([&] { return leads(index); });
    }
    /// Runs until the latch waits behind the other one and its watches are set.
    void queue_up(std::size_t index) {
        const auto sent = client(index).requests_sent();
        ASSERT_EQ(latches[index]->start(), error_code{});
        run_until(
            [&] { return world.queue().size() == 2 && client(index).idle() && client(index).requests_sent() >= sent + 4; });
    }

    AnswerPtr read_participants(std::size_t index, std::vector<Participant>& found) {
        return answer_of([&](auto handler) {
            latches[index]->read_participants({}, [&found, handler](error_code ec, std::vector<Participant> participants) {
                found = std::move(participants);
                handler(ec);
            });
        });
    }

    /// Cuts the client off until it presumes the loss of its first leadership.
    void give_up_for_lost(std::size_t index) {
        client(index).unreachable = true;
        client(index).break_link({});
        run_until([&] { return changes(index) == Changes{gained, lost}; });
    }

    std::shared_ptr<LeadershipAnswer> wait(std::size_t index, CallOptions call = {}) {
        const auto answer = std::make_shared<LeadershipAnswer>();
        initiate_await_leadership(latches[index], std::move(call), into(answer, &LeadershipAnswer::leadership));
        return answer;
    }
    AnswerPtr resign(std::size_t index) {
        return answer_of([&](auto handler) { initiate_resign(latches[index], {}, std::move(handler)); });
    }
    AnswerPtr close(std::size_t index, LatchClose how = LatchClose::silently, CallOptions call = {}) {
        return answer_of([&](auto handler) { initiate_latch_close(latches[index], how, std::move(call), std::move(handler)); });
    }

    std::vector<std::shared_ptr<LatchCore>> latches{make_fake_latch(world, 0, "first"), make_fake_latch(world, 1, "second")};
    std::vector<LeadershipEvent> events[2];
    Registration listeners[2] = {latches[0]->listen([this](const LeadershipEvent& event) { events[0].push_back(event); }),
                                 latches[1]->listen([this](const LeadershipEvent& event) { events[1].push_back(event); })};
};

TEST_F(LatchCoreTest, ItsNodeIsWhatCuratorExpects) {
    lead(0);
    const auto leadership = latches[0]->leadership();
    EXPECT_TRUE(std::regex_match(leadership->node_path(), std::regex("/lead/_c_.+-latch-[0-9]{10}")));
    const TreeNode* node = truth().find(leadership->node_path());
    ASSERT_TRUE(node);
    EXPECT_EQ(node->mode, CreateMode::ephemeral_sequential);
    EXPECT_EQ(node->data, "first");
    EXPECT_EQ(node->stat.czxid, leadership->fencing_token());
    EXPECT_EQ(changes(0), Changes{gained});
    EXPECT_EQ(events[0][0].leadership, leadership);
}

TEST_F(LatchCoreTest, LearnsAtOnceThatTheNodeOfANewLeadIsDeleted) {
    lead(0);
    settle();
    const auto leadership = latches[0]->leadership();
    world.inflict(Fault::delete_node, 0);
    const auto before = world.surroundings().now;
    run_until([&] { return leadership->state() == LeaseState::lost; });
    EXPECT_LT(world.surroundings().now - before, FakeEnsemble::session_timeout / 32) << "before a heartbeat";
}

TEST_F(LatchCoreTest, ResigningGivesTheLeadToTheNextWithoutARequestOfItsOwnAndEntersBehindIt) {
    lead(0);
    queue_up(1);
    const auto ended = latches[0]->leadership();
    const auto resigned = resign(0);
    bool asked = false;
    run_until([&] {
        const auto request = client(1).next_request();
        asked = asked || (!leads(1) && (request.starts_with("list") || request.starts_with("read")));
        return leads(1);
    });
    ASSERT_TRUE(leads(1));
    EXPECT_FALSE(asked);
    EXPECT_GT(latches[1]->leadership()->fencing_token(), ended->fencing_token());
    run_until([&] { return resigned->times == 1 && world.queue().size() == 2; });
    EXPECT_EQ(resigned->ec, error_code{});
    EXPECT_EQ(ended->state(), LeaseState::released);
    EXPECT_FALSE(ended->stop_token().stop_requested());
    EXPECT_EQ(changes(0), (Changes{gained, given_up}));
    EXPECT_EQ(events[0][1].leadership, ended);
    EXPECT_EQ(world.first(), latches[1]->leadership()->node_path());
}

TEST_F(LatchCoreTest, ResigningAloneLeadsAgainAndWithoutTheLeadDoesNothing) {
    lead(0);
    const auto token = latches[0]->leadership()->fencing_token();
    resign(0);
    run_until([&] { return changes(0) == Changes{gained, given_up, gained}; });
    EXPECT_GT(latches[0]->leadership()->fencing_token(), token);
    queue_up(1);
    const auto place = world.queue();
    const auto resigned = resign(1);
    run_until([&] { return resigned->times == 1; });
    settle();
    EXPECT_EQ(world.queue(), place);
}

// ---- one leader at a time

TEST_F(LatchCoreTest, LeadsNoMoreWhenTheSessionMayHaveEndedThoughNobodyHasToldIt) {
    lead(0);
    const auto leadership = latches[0]->leadership();
    client(0).let_pass(FakeEnsemble::session_timeout); // no work runs on its strand meanwhile
    EXPECT_EQ(latches[0]->leadership(), nullptr);
    EXPECT_FALSE(leadership->owns());
    EXPECT_EQ(changes(0), Changes{gained});
    run_until([&] { return changes(0) == Changes{gained, lost, gained}; });
}

TEST_F(LatchCoreTest, ANodeThatOutlivesThePresumedLossDoesNotMakeItLeadAgain) {
    lead(0);
    queue_up(1);
    const auto ended = latches[0]->leadership();
    give_up_for_lost(0);
    EXPECT_TRUE(ended->stop_token().stop_requested());
    ASSERT_TRUE(truth().find(ended->node_path())) << "the session lives";
    EXPECT_FALSE(leads(1));
    client(0).unreachable = false; // it reconnects in time, and its node still exists
    run_until([&] { return leads(1); });
    EXPECT_EQ(ended->state(), LeaseState::lost);
    settle();
    ASSERT_EQ(world.queue().size(), 2u);
    EXPECT_EQ(world.first(), latches[1]->leadership()->node_path());
    EXPECT_EQ(changes(0), (Changes{gained, lost}));
}

// ---- entering again after a loss

TEST_F(LatchCoreTest, EntersAgainWhenSomebodyDeletesItsNode) {
    lead(0);
    queue_up(1);
    world.surroundings().ensemble.delete_node(world.queue().back()); // the waiter's node
    run_until([&] { return world.queue().size() == 2; });
    EXPECT_TRUE(events[1].empty());
    settle();
    world.inflict(Fault::delete_node, 0);
    run_until([&] { return leads(0) != leads(1) && world.queue().size() == 2; });
}

TEST_F(LatchCoreTest, SaysWhatKeepsItFromEnteringAndTriesAgain) {
    client(0).unreachable = true;
    const auto first = wait(0);
    run_until([&] { return first->times == 1; });
    EXPECT_EQ(first->ec, error::not_connected);
    EXPECT_EQ(changes(0), Changes{not_entered});
    EXPECT_EQ(events[0][0].reason, error::not_connected);
    const auto second = wait(0);
    client(0).unreachable = false;
    run_until([&] { return second->times == 1; });
    EXPECT_EQ(second->ec, error_code{});
    EXPECT_TRUE(leads(0));
}

// ---- participants

TEST_F(LatchCoreTest, ParticipantsAreTheNodesOfLatchesOnly) {
    lead(0);
    servers().apply(client(1).session().session_id,
                    zk::CreateRequest{.path = "/lead/lock-", .mode = CreateMode::ephemeral_sequential});
    servers().learn_all(client(0).server().value());
    std::vector<Participant> found;
    expect(read_participants(0, found));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().recipe, RecipeKind::leader_latch);
}

TEST_F(LatchCoreTest, ParticipantsOfWhomOneMayNotBeReadAreAnError) {
    connect();
    lead(0);
    servers().hide_node(latches[0]->leadership()->node_path());
    servers().learn_all(client(1).server().value());
    std::vector<Participant> found;
    expect(read_participants(1, found), server_error::no_auth);
}

// ---- waiting

TEST_F(LatchCoreTest, AllWhoWaitHearOfTheLead) {
    const auto one = wait(0); // starts the latch
    const auto two = wait(0);
    run_until([&] { return one->times == 1 && two->times == 1; });
    EXPECT_TRUE(one->leadership->owns());
    EXPECT_EQ(one->leadership, two->leadership);
    const auto later = wait(0);
    run_until([&] { return later->times == 1; });
    EXPECT_EQ(later->leadership, one->leadership);
}

TEST_F(LatchCoreTest, GivingUpTheWaitKeepsThePlace) {
    lead(1);
    const auto in_time = wait(0, {.timeout = milliseconds{300}});
    run_until([&] { return in_time->times == 1; });
    EXPECT_EQ(in_time->ec, error::not_acquired);
    std::stop_source stop;
    const auto stopped = wait(0, {.stop = stop.get_token()});
    run_for(milliseconds{100});
    stop.request_stop();
    run_until([&] { return stopped->times == 1; });
    EXPECT_EQ(stopped->ec, asio::error::operation_aborted);
    EXPECT_EQ(world.queue().size(), 2u);
    close(1);
    run_until([&] { return leads(0); });
    EXPECT_EQ(in_time->times + stopped->times, 2);
}

// ---- close

TEST_F(LatchCoreTest, CloseWhileLeadingIsSilentOrTold) {
    for (const auto how : {LatchClose::silently, LatchClose::telling}) {
        const std::size_t index = how == LatchClose::silently ? 0 : 1;
        lead(index);
        const auto leadership = latches[index]->leadership();
        const auto closed = close(index, how);
        run_until([&] { return closed->times == 1; });
        EXPECT_EQ(closed->ec, error_code{});
        EXPECT_EQ(truth().find(leadership->node_path()), nullptr) << "the server has confirmed it";
        EXPECT_EQ(leadership->state(), LeaseState::released);
        EXPECT_EQ(changes(index), how == LatchClose::silently ? Changes{gained} : (Changes{gained, given_up}));
        EXPECT_EQ(latches[index]->start(), error::closed);
    }
    settle();
    EXPECT_TRUE(world.queue().empty());
}

TEST_F(LatchCoreTest, CloseWhileWaitingLeavesNothing) {
    lead(0);
    const auto waiting = wait(1);
    queue_up(1);
    close(1);
    run_until([&] { return waiting->times == 1 && world.queue().size() == 1; });
    EXPECT_EQ(waiting->ec, error::closed);
    EXPECT_TRUE(events[1].empty());
    EXPECT_TRUE(leads(0));
}

TEST_F(LatchCoreTest, CloseRightAfterTheStartKeepsItOutOfTheQueue) {
    connect();
    const auto before = client(0).requests_sent();
    const auto waiting = wait(0); // starts the latch
    expect(close(0));
    expect(waiting, error::closed);
    settle();
    EXPECT_EQ(client(0).requests_sent(), before);
}

TEST_F(LatchCoreTest, AWaitAfterTheEndFails) {
    expect(close(0));
    expect(wait(0), error::closed);
}

TEST_F(LatchCoreTest, ACloseThatIsCancelledBeforeItBeginsClosesNevertheless) {
    lead(0);
    std::stop_source stop;
    stop.request_stop();
    const auto closed = close(0, LatchClose::silently, {.stop = stop.get_token()});
    run_until([&] { return closed->times == 1; });
    EXPECT_EQ(closed->ec, asio::error::operation_aborted);
    EXPECT_EQ(latches[0]->state(), LatchState::closed);
    run_until([&] { return world.queue().empty(); });
}

TEST_F(LatchCoreTest, CloseDuringThePauseBeforeTheNextAttemptLeavesNoTimer) {
    client(0).unreachable = true;
    latches[0]->start();
    run_until([&] { return changes(0) == Changes{not_entered}; });
    ASSERT_TRUE(client(0).next_timer());
    close(0);
    run_until([&] { return client(0).idle() && latches[0]->state() == LatchState::closed; });
    EXPECT_FALSE(client(0).next_timer());
}

TEST_F(LatchCoreTest, EndsWithItsClient) {
    lead(0);
    queue_up(1);
    const auto waiting = wait(1);
    run_for(milliseconds{50});
    client(1).close();
    run_until([&] { return waiting->times == 1; });
    EXPECT_EQ(waiting->ec, error::closed);
    EXPECT_EQ(latches[1]->state(), LatchState::closed);
    client(0).close();
    run_until([&] { return latches[0]->state() == LatchState::closed; });
    EXPECT_EQ(changes(0), (Changes{gained, lost}));
    EXPECT_FALSE(leads(0));
}

// ---- a node that is kept after a loss

/// The first latch keeps its node after the loss of its leadership.
class KeptLeadTest : public LatchCoreTest {
protected:
    void SetUp() override {
        latches[0] = make_fake_latch(world, 0, "keeps", WhenLost::keep_node);
        listeners[0] = latches[0]->listen([this](const LeadershipEvent& event) { events[0].push_back(event); });
        lead(0);
    }
    void lose_while_the_session_lives() {
        const auto node = latches[0]->leadership()->node_path();
        queue_up(1);
        give_up_for_lost(0);
        client(0).unreachable = false;
        settle();
        EXPECT_EQ(world.queue().size(), 2u);
        EXPECT_EQ(world.first(), node) << "what it did as the leader may not have ended";
        EXPECT_FALSE(leads(0) || leads(1));
    }
};

TEST_F(KeptLeadTest, KeepsItsNodeUntilItResigns) {
    lose_while_the_session_lives();
    const auto resigned = resign(0);
    run_until([&] { return resigned->times == 1 && leads(1); });
    EXPECT_EQ(resigned->ec, error_code{});
    settle();
    EXPECT_EQ(world.queue().size(), 2u);
    EXPECT_EQ(changes(0), (Changes{gained, lost}));
}

TEST_F(KeptLeadTest, KeepsItsNodeUntilItCloses) {
    lose_while_the_session_lives();
    const auto closed = close(0, LatchClose::telling);
    run_until([&] { return closed->times == 1 && leads(1); });
    settle();
    EXPECT_EQ(world.queue().size(), 1u);
    EXPECT_EQ(changes(0), (Changes{gained, lost}));
}

TEST_F(KeptLeadTest, ResigningBeforeALossEntersAgain) {
    expect(resign(0));
    run_until([&] { return changes(0) == Changes{gained, given_up, gained}; });
}

TEST_F(KeptLeadTest, EntersWithResignAloneAlsoAfterTheEndOfItsSession) {
    world.inflict(Fault::end_session, 0);
    run_until([&] { return changes(0) == Changes{gained, lost}; });
    const auto waiting = wait(0);
    run_for(milliseconds{3000});
    EXPECT_TRUE(world.queue().empty());
    EXPECT_EQ(waiting->times, 0);
    resign(0);
    run_until([&] { return waiting->times == 1; });
    EXPECT_EQ(waiting->ec, error_code{});
    EXPECT_TRUE(leads(0));
}

TEST_F(KeptLeadTest, TheEndOfTheClientEndsACallThatWaits) {
    world.inflict(Fault::end_session, 0);
    run_until([&] { return changes(0) == Changes{gained, lost}; });
    const auto waiting = wait(0);
    settle();
    EXPECT_EQ(waiting->times, 0);
    client(0).close();
    run_until([&] { return waiting->times == 1; });
    EXPECT_EQ(waiting->ec, error::closed);
    EXPECT_EQ(latches[0]->state(), LatchState::closed);
}

TEST_F(KeptLeadTest, AClientThatClosesEndsTheElection) {
    client(0).close();
    run_until([&] { return latches[0]->state() == LatchState::closed; });
    const auto waiting = wait(0);
    run_until([&] { return waiting->times == 1; });
    EXPECT_EQ(waiting->ec, error::closed);
}

} // namespace
} // namespace docent::detail
