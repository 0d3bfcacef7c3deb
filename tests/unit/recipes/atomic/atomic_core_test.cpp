// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_core.hpp"
#include "fake_ensemble.hpp"
#include "views.hpp"
#include "world_test.hpp"

#include <docent/acl.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace docent::detail {
namespace {

// ---- the marker

using AnswerKind = WriteAnswer::Kind;
using Finding = AtomicMachine::Finding;

/// The requests of an AtomicMarker. A test sends them to a leader in any order, or loses them.
class AtomicMarkerTest : public testing::Test {
protected:
    zk::Reply send(const zk::Request& request) {
        const auto reply = ensemble.answer(0, session, request, {});
        ensemble.learn_all(0);
        return reply;
    }
    void SetUp() override {
        send(zk::CreateRequest{.path = "/value", .data = "a"});
        send(zk::CreateRequest{.path = "/markers"});
    }
    std::string value() { return ensemble.truth().find("/value")->data; }
    zk::Request write(const char* data, std::int32_t version) { return marker.write("/value", data, {data, version}); }
    void make_it() { marker.on_made(send(marker.make()).ec); }
    Finding find_out() {
        send(marker.fence());
        return marker.on_read(send(zk::GetRequest{"/markers/m"})).finding;
    }
    AnswerKind answer(const zk::Request& request) { return marker.on_written(send(request)).kind; }

    FakeEnsemble ensemble;
    std::int64_t session = ensemble.open_session({});
    AtomicMarker marker{"/markers/m"};
};

TEST_F(AtomicMarkerTest, IsWrittenWithTheValueOrNotAtAll) {
    make_it();
    EXPECT_EQ(answer(write("b", 0)), AnswerKind::applied);
    EXPECT_EQ(answer(write("c", 1)), AnswerKind::applied);
    const WriteAnswer late = marker.on_written(send(write("d", 1)));
    EXPECT_EQ(late.kind, AnswerKind::refused);
    EXPECT_EQ(late.ec, server_error::bad_version);
    EXPECT_EQ(answer(write("e", 2)), AnswerKind::applied) << "its version has not moved";
    EXPECT_EQ(value(), "e");
}

TEST_F(AtomicMarkerTest, MakesTheValueToo) {
    make_it();
    EXPECT_EQ(answer(marker.write("/new", "n", {"n", -1, true})), AnswerKind::applied);
    EXPECT_EQ(ensemble.truth().find("/new")->data, "n");
    EXPECT_EQ(marker.on_written(send(marker.write("/new", "n", {"n", -1, true}))).ec, server_error::node_exists);
}

TEST_F(AtomicMarkerTest, WithoutTheMarkerNothingIsWritten) {
    EXPECT_EQ(answer(write("b", 0)), AnswerKind::no_marker);
    EXPECT_EQ(value(), "a");
}

TEST_F(AtomicMarkerTest, TellsThatALostWriteWasApplied) {
    make_it();
    send(write("b", 0));
    EXPECT_EQ(find_out(), Finding::applied);
    EXPECT_EQ(answer(write("c", 1)), AnswerKind::applied) << "and goes on";
}

TEST_F(AtomicMarkerTest, TellsItThoughOthersHaveWrittenSince) {
    make_it();
    send(write("b", 0));
    for (const auto* other : {"java", "b", "a"}) ensemble.change_node("/value", other);
    EXPECT_EQ(find_out(), Finding::applied);
}

TEST_F(AtomicMarkerTest, ShowsThatTheWriteFailedAlthoughAnotherClientHasWrittenTheSame) {
    make_it();
    write("b", 0); // the request is lost
    ensemble.change_node("/value", "b");
    EXPECT_EQ(find_out(), Finding::not_applied);
}

TEST_F(AtomicMarkerTest, ALateWriteNeverContradictsAnEarlierFinding) {
    make_it();
    const auto late = write("b", 0);
    EXPECT_EQ(find_out(), Finding::not_applied);
    EXPECT_NE(send(late).ec, error_code{}) << "in whatever session, through whatever server";
    EXPECT_EQ(value(), "a");
    EXPECT_EQ(answer(write("c", 0)), AnswerKind::applied);
}

TEST_F(AtomicMarkerTest, IsMadeOnceAlsoIfThatIsLost) {
    marker.on_made(server_error::connection_loss);
    EXPECT_FALSE(marker.made());
    send(marker.make()); // its reply is lost
    make_it();
    EXPECT_TRUE(marker.made());
    EXPECT_EQ(answer(write("b", 0)), AnswerKind::applied);
}

TEST_F(AtomicMarkerTest, ALostQuestionIsAskedAgain) {
    make_it();
    send(write("b", 0));
    send(marker.fence()); // its reply is lost
    EXPECT_EQ(find_out(), Finding::applied);

    const auto late = write("c", 1);
    send(marker.fence());
    EXPECT_EQ(find_out(), Finding::not_applied);
    EXPECT_NE(send(late).ec, error_code{});
}

TEST_F(AtomicMarkerTest, AMarkerThatHasGoneTellsNothing) {
    make_it();
    EXPECT_EQ(answer(write("b", 0)), AnswerKind::applied);
    send(write("c", 1));
    ensemble.delete_node("/markers/m");
    EXPECT_EQ(find_out(), Finding::nothing);
}

TEST_F(AtomicMarkerTest, AQuestionThatWasNotTakenTellsNothing) {
    make_it();
    write("b", 0);
    marker.fence(); // a throttling server has refused it
    EXPECT_EQ(marker.on_read(send(zk::GetRequest{"/markers/m"})).finding, Finding::nothing);
    EXPECT_EQ(marker.on_read(send(zk::GetRequest{"/markers/m"}), server_error::throttled).ec, server_error::throttled);
}

// ---- calls

class AtomicOperationTest : public WorldTest {
protected:
    AtomicOperationTest() : WorldTest(2) {}
};

TEST_F(AtomicOperationTest, ATimeoutWhileItWaitsForTheMutexIsReported) {
    connect();
    const auto ignored = [](const zk::Reply&) {};
    client(1).submit(zk::CreateRequest{.path = "/lock"}, ignored);
    client(1).submit(zk::CreateRequest{.path = "/lock/lock-", .data = {}, .mode = CreateMode::ephemeral_sequential}, ignored);
    settle();

    const AtomicOptions options{.retry = RetryPolicy::none(), .promoted = PromotedToLock{"/lock"}};
    const auto core =
        std::make_shared<AtomicCore>(world.share(0), "/count", options, [view = world.share(0)] { return view->boot_now(); });
    const auto answer = answer_of([&](auto handler) { // the node does not exist yet
        initiate_atomic_force_set(core, "x", {.timeout = std::chrono::seconds(1)}, std::move(handler));
    });
    run_until([&] { return world.queue().size() == 2; });
    EXPECT_EQ(answer->times, 0);
    expect(answer, server_error::operation_timeout);
    settle();
    EXPECT_EQ(answer->times, 1);
    EXPECT_EQ(world.queue().size(), 1u) << "and waits no more";
    core->stop();
    settle();
}

// ---- a call that gives up in doubt leaves no marker

/// An object that has written /count once. So it has a marker.
class AtomicAbort : public WorldTest {
protected:
    AtomicAbort() : WorldTest(1) {}
    void SetUp() override {
        settle();
        core = std::make_shared<AtomicCore>(world.share(0), "/count", AtomicOptions{}, [this] { return client.boot_now(); });
        const auto first = begin();
        ASSERT_TRUE(world.run_until([&] { return answers == 1 && world.all_idle(); }));
        ASSERT_FALSE(answer) << answer.message();
        ASSERT_EQ(markers(), 1u);
    }
    std::shared_ptr<AtomicOperation> begin() {
        AtomicMachine::Plan plan{.change = [](const auto&) { return NewData{"x"}; }};
        const auto operation =
            std::make_shared<AtomicOperation>(world.share(0), core, std::move(plan), [this](error_code ec, const AtomicBytes&) {
                ++answers;
                answer = ec;
            });
        operation->begin();
        return operation;
    }
    /// Runs until the write is under way. If `answered`, the server has applied it and the reply is lost.
    void run_until_sent(bool answered) {
        const auto is_sent = [this] { return client.next_request().starts_with("all of:"); };
        for (int n = 0; n < 1000 && !is_sent(); ++n) {
            if (client.has_requests()) client.serve();
            else if (client.can_deliver()) client.deliver();
            else if (client.can_run_posted()) client.run_posted();
        }
        ASSERT_TRUE(is_sent());
        while (answered && client.has_requests()) client.serve();
    }
    void settle() {
        run_until([&] { return client.linked() && world.all_idle() && client.open_removals() == 0; });
    }
    /// Writes once with a new object, and stops it. The object removes markers without a write for `abandoned_after`.
    void write_once(std::chrono::milliseconds abandoned_after) {
        const int before = answers;
        core = std::make_shared<AtomicCore>(
            world.share(0), "/count", AtomicOptions{}, [this] { return client.boot_now(); }, abandoned_after);
        const auto write = begin();
        ASSERT_TRUE(world.run_until([&] { return answers == before + 1 && world.all_idle(); }));
        ASSERT_FALSE(answer) << answer.message();
        core->stop();
        settle();
    }
    std::size_t markers() { return truth().find("/docent/atomics") ? truth().children("/docent/atomics").size() : 0; }

    FakeClient& client = world.client(0);
    std::shared_ptr<AtomicCore> core;
    int answers = 0;
    error_code answer;
};

TEST_F(AtomicAbort, OfAWriteUnderWayRemovesTheMarker) {
    for (const bool answered : {true, false}) {
        const int before = answers;
        const auto operation = begin();
        run_until_sent(answered);
        operation->abort(server_error::operation_timeout);
        EXPECT_EQ(answers, before + 1);
        settle();
        EXPECT_EQ(markers(), 0u) << answered;
        const auto next = begin(); // with another marker
        ASSERT_TRUE(world.run_until([&] { return answers == before + 2 && world.all_idle(); }));
        EXPECT_FALSE(answer) << answer.message();
        EXPECT_EQ(markers(), 1u);
    }
}

TEST_F(AtomicAbort, AfterALostReplyRemovesTheMarker) {
    const auto operation = begin();
    run_until_sent(true);
    client.break_link({});
    operation->abort(server_error::operation_timeout);
    settle();
    EXPECT_EQ(markers(), 0u);
}

TEST_F(AtomicAbort, OfTheObjectRemovesTheMarkerBehindTheLastWrite) {
    const auto operation = begin();
    run_until_sent(false);
    core->stop();
    EXPECT_EQ(markers(), 1u) << "a write still needs it";
    ASSERT_TRUE(world.run_until([&] { return answers == 2; }));
    EXPECT_FALSE(answer) << answer.message();
    settle();
    EXPECT_EQ(markers(), 0u);
}

// ---- state that the calls on one object share

TEST_F(AtomicAbort, OfACallThatWaitsForItsTurnLetsTheNextOneIn) {
    const auto under_way = begin();
    const auto waiting = begin();
    waiting->abort(server_error::operation_timeout);
    EXPECT_EQ(answers, 2);
    EXPECT_EQ(answer, server_error::operation_timeout);
    const auto next = begin();
    ASSERT_TRUE(world.run_until([&] { return answers == 4 && world.all_idle(); }));
    EXPECT_FALSE(answer) << answer.message();
}

TEST_F(AtomicAbort, OfTheObjectGivesUpItsWatch) {
    const auto view = std::make_shared<ForgettingView>(world.share(0));
    core = std::make_shared<AtomicCore>(view, "/count", AtomicOptions{}, [this] { return client.boot_now(); });
    bool was_read = false;
    core->read(*view, [&](error_code, const SeenValue&) { was_read = true; });
    ASSERT_TRUE(world.run_until([&] { return was_read; }));
    core->stop();
    EXPECT_EQ((view->forgotten[{"/count", zk::WatchKind::data}]), 1);
    settle();
}

/// Markers of processes that have died. The clock of these servers stands still: all nodes have the same age.
TEST_F(AtomicAbort, OldMarkersAreRemovedByTheFirstWrite) {
    core->stop();
    settle();
    auto& ensemble = world.surroundings().ensemble;
    const auto others = ensemble.open_session(client.boot_now());
    for (const char* name : {"atomic-other", "precious"}) {
        ensemble.apply(others, zk::CreateRequest{.path = std::string("/docent/atomics/") + name});
    }
    write_once(std::chrono::milliseconds{1});
    EXPECT_EQ(markers(), 2u);
    write_once(std::chrono::milliseconds{0});
    EXPECT_EQ(markers(), 1u);
    EXPECT_NE(ensemble.truth().find("/docent/atomics/precious"), nullptr);
}

/// Servers have many other nodes in front of the marker, and each object examines only some of the nodes.
TEST_F(AtomicAbort, AnOldMarkerBehindManyNodesIsFoundByOneOfManyObjects) {
    core->stop();
    settle();
    const auto others = servers().open_session(client.boot_now());
    for (char name = 'a'; name <= 'p'; ++name) {
        servers().apply(others, zk::CreateRequest{.path = std::string("/docent/atomics/a") + name});
    }
    servers().apply(others, zk::CreateRequest{.path = "/docent/atomics/atomic-other"});
    for (int n = 0; n < 50 && truth().find("/docent/atomics/atomic-other"); ++n) write_once(std::chrono::milliseconds{0});
    EXPECT_FALSE(truth().find("/docent/atomics/atomic-other"));
    EXPECT_EQ(markers(), 16u);
}

TEST_F(AtomicAbort, ADeletedMarkerIsReplacedWithinTheCall) {
    const auto marker = "/docent/atomics/" + truth().children("/docent/atomics").front();
    servers().delete_node(marker);
    begin();
    ASSERT_TRUE(world.run_until([&] { return answers == 2 && world.all_idle(); }));
    EXPECT_FALSE(answer) << answer.message();
    EXPECT_EQ(markers(), 1u);
    EXPECT_FALSE(truth().find(marker));
}

class AtomicKnowledge : public AtomicAbort {};

/// The client may have missed events during the disconnection.
TEST_F(AtomicKnowledge, EndsWithTheConnection) {
    settle();
    ASSERT_TRUE(core->known());
    client.break_link({});
    EXPECT_FALSE(core->known());
}

TEST_F(AtomicKnowledge, IsNotTakenFromAReadThatALaterOneHasReplaced) {
    int read = 0;
    for (int n = 0; n < 2; ++n) core->read(client, [&](error_code, const SeenValue&) { ++read; });
    while (client.has_requests()) client.serve();
    while (read == 0 && client.can_deliver()) client.deliver();
    ASSERT_EQ(read, 1);
    EXPECT_FALSE(core->known());
    ASSERT_TRUE(world.run_until([&] { return read == 2; }));
    EXPECT_TRUE(core->known());
}

} // namespace
} // namespace docent::detail
