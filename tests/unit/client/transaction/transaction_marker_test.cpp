// SPDX-License-Identifier: Apache-2.0

// Transactions that must be applied exactly once, and their markers: on servers in memory.

#include "client/core/forwarding_view.hpp"
#include "client/core/name_space.hpp"
#include "client/transaction/transaction_operation.hpp"
#include "fake_world.hpp"

#include <docent/path.hpp>

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

constexpr const char* marker_parent = "/docent/transactions";

/// Records the requests that were sent.
class RecordingView final : public ForwardingView {
public:
    using ForwardingView::ForwardingView;
    void submit(zk::Request request, zk::ReplyHandler handler) override {
        sent.push_back(request);
        ForwardingView::submit(std::move(request), std::move(handler));
    }
    template <typename Kind> std::vector<zk::Request> all() const {
        std::vector<zk::Request> found;
        for (const zk::Request& request : sent) {
            if (std::holds_alternative<Kind>(request)) found.push_back(request);
        }
        return found;
    }
    std::vector<zk::Request> sent;
};

TEST(WriteMarker, AVersionThatNoWriteOfItsOwnLeftLeavesTheDoubt) {
    WriteMarker marker("/marker");
    zk::Reply read;
    read.data = marker.next().data;
    static_cast<void>(marker.fence());
    for (const std::int32_t version : {0, 2}) { // of an older state, or raised by another client
        read.stat.version = version;
        const auto answer = marker.on_read(read);
        EXPECT_EQ(answer.finding, WriteMarker::Finding::nothing) << version;
        EXPECT_FALSE(answer.ec) << answer.ec.message();
    }
    read.stat.version = 1;
    EXPECT_EQ(marker.on_read(read).finding, WriteMarker::Finding::applied);
}

class TransactionMarkerTest : public testing::Test {
protected:
    struct Outcome : Answer {
        TransactionResult result;
    };
    using OutcomePtr = std::shared_ptr<Outcome>;

    TransactionMarkerTest() {
        ensemble.number_next_child("/ledger", 0);
        for (std::size_t server = 0; server < FakeEnsemble::server_count; ++server) ensemble.learn_all(server);
        client.connect(0);
    }
    /// Commits a transaction that sets the ledger at any version.
    OutcomePtr commit(Transaction transaction = Transaction().set_data("/ledger", "written").exactly_once()) {
        const auto outcome = std::make_shared<Outcome>();
        const auto operation =
            std::make_shared<TransactionOperation>(view, std::move(transaction), into(outcome, &Outcome::result));
        operations.push_back(operation);
        operation->begin();
        return outcome;
    }
    void wait_for(const OutcomePtr& outcome) {
        ASSERT_TRUE(world.run_until([&] { return outcome->times > 0 && world.all_idle(); }));
        EXPECT_EQ(outcome->times, 1);
    }
    /// Runs until so many multis were sent.
    void run_until_sent(std::size_t multis) {
        for (int n = 0; n < 1000 && view->all<zk::MultiRequest>().size() < multis; ++n) {
            if (client.has_requests()) client.serve();
            else if (client.can_deliver()) client.deliver();
            else if (client.can_run_posted()) client.run_posted();
        }
        ASSERT_EQ(view->all<zk::MultiRequest>().size(), multis);
    }
    void commit_first() { // makes the marker
        const auto outcome = commit();
        wait_for(outcome);
        ASSERT_FALSE(outcome->ec) << outcome->ec.message();
    }
    std::vector<std::string> markers() const {
        const auto& truth = world.surroundings().ensemble.truth();
        return truth.find(marker_parent) ? truth.children(marker_parent) : std::vector<std::string>{};
    }
    std::int32_t version() const { return world.surroundings().ensemble.truth().find("/ledger")->stat.version; }
    void settle() {
        ASSERT_TRUE(world.run_until([&] { return world.all_idle(); }));
    }

    mutable FakeWorld world{1, 1, "/lock"};
    FakeClient& client = world.client(0);
    FakeEnsemble& ensemble = world.surroundings().ensemble;
    std::shared_ptr<RecordingView> view = std::make_shared<RecordingView>(world.share(0));
    std::vector<std::shared_ptr<Operation>> operations;
};

TEST_F(TransactionMarkerTest, OneRequestForEachTransactionButTheFirst) {
    commit_first();
    EXPECT_EQ(markers().size(), 1u);
    const auto before = client.requests_sent();
    const auto second = commit();
    wait_for(second);
    EXPECT_FALSE(second->ec);
    EXPECT_EQ(view->all<zk::MultiRequest>().size(), 2u);
    EXPECT_EQ(client.requests_sent() - before, 1u);
    EXPECT_EQ(markers().size(), 1u);
    EXPECT_GT(second->result.fencing_token, 0);
}

TEST_F(TransactionMarkerTest, LostReplyIsFoundOut) {
    commit_first();
    const auto outcome = commit();
    run_until_sent(2);
    while (client.has_requests()) client.serve();
    client.break_link({});
    wait_for(outcome);
    EXPECT_FALSE(outcome->ec) << outcome->ec.message();
    EXPECT_TRUE(outcome->result.recovered);
    EXPECT_EQ(outcome->result.fencing_token, ensemble.truth().find("/ledger")->stat.mzxid);
    EXPECT_EQ(version(), 2);
    EXPECT_EQ(markers().size(), 1u);
}

TEST_F(TransactionMarkerTest, LostRequestIsSentAgain) {
    commit_first();
    const auto outcome = commit();
    run_until_sent(2);
    client.break_link({});
    wait_for(outcome);
    EXPECT_FALSE(outcome->ec) << outcome->ec.message();
    EXPECT_FALSE(outcome->result.recovered);
    EXPECT_EQ(version(), 2);
}

TEST_F(TransactionMarkerTest, ServerThatStoodStillDoesNotApplyItAgain) {
    const auto outcome = commit();
    run_until_sent(1);
    client.break_link({});
    wait_for(outcome);
    EXPECT_FALSE(outcome->ec) << outcome->ec.message();
    EXPECT_EQ(version(), 1);
    const auto session = client.session().session_id;
    for (const zk::Request& late : view->all<zk::MultiRequest>()) {
        ensemble.apply(session, late);
        EXPECT_EQ(version(), 1);
    }
    // The same after the marker was deleted.
    for (const std::string& marker : markers()) ensemble.delete_node(join_path(marker_parent, marker));
    for (const zk::Request& late : view->all<zk::MultiRequest>()) ensemble.apply(session, late);
    EXPECT_EQ(version(), 1);
}

TEST_F(TransactionMarkerTest, ADeletedMarkerLeavesTheDoubt) {
    for (const bool is_applied : {true, false}) {
        commit_first();
        const auto before = version();
        const auto sent = view->all<zk::MultiRequest>().size();
        const auto outcome = commit();
        run_until_sent(sent + 1);
        while (is_applied && client.has_requests()) client.serve();
        ensemble.delete_node(std::string(marker_parent) + "/" + markers().front());
        client.break_link({});
        wait_for(outcome);
        EXPECT_EQ(outcome->ec, condition::outcome_unknown) << outcome->ec.message();
        EXPECT_TRUE(outcome->result.operations.empty());
        EXPECT_EQ(version(), before + (is_applied ? 1 : 0));
        EXPECT_TRUE(markers().empty());
    }
}

TEST_F(TransactionMarkerTest, MarkerThatWasRemovedBeforeIsReplaced) {
    commit_first();
    ensemble.delete_node(std::string(marker_parent) + "/" + markers().front());
    const auto outcome = commit();
    wait_for(outcome);
    EXPECT_FALSE(outcome->ec) << outcome->ec.message();
    EXPECT_EQ(version(), 2);
    EXPECT_EQ(markers().size(), 1u);
}

TEST_F(TransactionMarkerTest, BusyServerIsAskedAgain) {
    commit_first();
    const auto outcome = commit();
    run_until_sent(2);
    while (client.has_requests()) client.serve();
    client.break_link({});
    client.connect(2);
    while (!client.has_requests()) {
        if (client.can_run_posted()) client.run_posted();
        client.let_pass(client.next_timer().value_or(std::chrono::nanoseconds{0}));
        if (client.can_fire_timer()) client.fire_timer();
    }
    ASSERT_TRUE(ensemble.lags(2));
    client.throttle_next = true;
    while (client.has_requests()) client.serve();
    while (client.can_deliver()) client.deliver();
    wait_for(outcome);
    EXPECT_FALSE(outcome->ec) << outcome->ec.message();
    EXPECT_TRUE(outcome->result.recovered);
    EXPECT_EQ(version(), 2);
}

TEST_F(TransactionMarkerTest, SessionThatEndsMeanwhileLeavesTheDoubt) {
    commit_first();
    const auto outcome = commit();
    run_until_sent(2);
    while (client.has_requests()) client.serve();
    ensemble.end_session(client.session().session_id);
    client.break_link({});
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, server_error::session_expired) << outcome->ec.message();
    EXPECT_TRUE(markers().empty());
    commit_first(); // makes another marker
    EXPECT_EQ(version(), 3);
    EXPECT_EQ(markers().size(), 1u);
}

TEST_F(TransactionMarkerTest, FirstTransactionOfANewSessionMakesItsMarkerBeforeItIsSent) {
    commit_first();
    ensemble.end_session(client.session().session_id);
    ASSERT_TRUE(world.run_until([&] { return client.linked() && client.session().epoch == 2 && world.all_idle(); }));
    commit_first();
    EXPECT_EQ(view->all<zk::MultiRequest>().size(), 2u) << "no server refuses one for the marker of the ended session";
    EXPECT_EQ(markers().size(), 1u);
}

TEST_F(TransactionMarkerTest, RejectionKeepsTheMarker) {
    commit_first();
    const auto outcome = commit(Transaction().set_data("/ledger", "x", 99).exactly_once());
    wait_for(outcome);
    EXPECT_EQ(outcome->ec, server_error::bad_version);
    EXPECT_EQ(outcome->result.failed_operation, 0u);
    const auto before = client.requests_sent();
    wait_for(commit());
    EXPECT_EQ(client.requests_sent() - before, 1u);
    EXPECT_EQ(version(), 2);
}

TEST_F(TransactionMarkerTest, WithoutItsMarkerNothingIsAppliedAndEachResultSaysSo) {
    world.on_step = [this](const FakeStep&) { client.throttle_next = true; };
    const auto outcome = commit();
    ASSERT_TRUE(world.run_until([&] { return outcome->times > 0; }));
    world.on_step = nullptr;
    EXPECT_EQ(outcome->ec, server_error::throttled) << outcome->ec.message();
    ASSERT_EQ(outcome->result.operations.size(), 1u);
    EXPECT_EQ(outcome->result.operations[0].ec, error::not_applied);
    EXPECT_TRUE(view->all<zk::MultiRequest>().empty());
}

TEST_F(TransactionMarkerTest, EachNamespaceHasItsOwnMarker) {
    for (const std::string name : {"/a", "/b"}) {
        ensemble.number_next_child(name, 0);
        bool arrived = false;
        std::make_shared<TransactionOperation>(std::make_shared<NameSpace>(view, PathPrefix(name), NameSpace::Kind::name_space),
                                               Transaction().create("/t", "data").exactly_once("/"),
                                               [&](error_code ec, const TransactionResult&) {
                                                   arrived = true;
                                                   EXPECT_FALSE(ec) << ec.message();
                                               })
            ->begin();
        ASSERT_TRUE(world.run_until([&] { return arrived && world.all_idle(); }));
        EXPECT_EQ(ensemble.truth().children(name).size(), 2u) << "the node and the marker";
    }
    EXPECT_EQ(view->all<zk::MultiRequest>().size(), 2u) << "no transaction was refused because its marker is elsewhere";
}

TEST_F(TransactionMarkerTest, AsManyMarkersAsTransactionsAtOnceAndFewStay) {
    std::vector<OutcomePtr> outcomes;
    for (int n = 0; n < 30; ++n) outcomes.push_back(commit());
    for (const auto& outcome : outcomes) {
        wait_for(outcome);
        EXPECT_FALSE(outcome->ec) << outcome->ec.message();
    }
    EXPECT_EQ(version(), 30);
    settle();
    EXPECT_EQ(markers().size(), MarkerPool::most_idle);
    client.kept<MarkerPool>().clear(client, marker_parent);
    settle();
    EXPECT_TRUE(markers().empty());
}

// ---- a call that gives up leaves no orphaned marker

TEST_F(TransactionMarkerTest, AbortOfATransactionUnderWayRemovesItsMarker) {
    for (const bool is_applied : {true, false}) {
        commit_first();
        const auto sent = view->all<zk::MultiRequest>().size();
        const auto outcome = commit();
        run_until_sent(sent + 1);
        while (is_applied && client.has_requests()) client.serve();
        operations.back()->abort(asio::error::operation_aborted);
        EXPECT_EQ(outcome->ec, asio::error::operation_aborted);
        EXPECT_TRUE(outcome->result.operations.empty()) << "nobody knows what became of them";
        settle();
        EXPECT_TRUE(markers().empty()) << is_applied;
    }
}

TEST_F(TransactionMarkerTest, AbortAfterALostReplyRemovesItsMarker) {
    commit_first();
    const auto outcome = commit();
    run_until_sent(2);
    client.break_link({});
    operations.back()->abort(server_error::operation_timeout);
    EXPECT_EQ(outcome->times, 1);
    settle();
    ASSERT_TRUE(world.run_until([&] { return client.linked() && world.all_idle() && client.open_removals() == 0; }));
    EXPECT_TRUE(markers().empty());
}

TEST_F(TransactionMarkerTest, AbortWhileTheMarkerIsMadeRemovesIt) {
    for (const bool is_made : {true, false}) {
        const auto outcome = commit();
        for (int n = 0; n < 1000 && (is_made ? markers().empty() : !client.has_requests()); ++n) {
            if (client.has_requests()) client.serve();
            else if (client.can_deliver()) client.deliver();
            else if (client.can_run_posted()) client.run_posted();
        }
        EXPECT_EQ(markers().size(), is_made ? 1u : 0u);
        operations.back()->abort(asio::error::operation_aborted);
        EXPECT_EQ(outcome->result.operations.at(0).ec, error::not_applied) << "it was never sent";
        settle();
        ASSERT_TRUE(world.run_until([&] { return client.open_removals() == 0; }));
        EXPECT_TRUE(markers().empty()) << is_made;
    }
    EXPECT_EQ(version(), 0);
}

TEST_F(TransactionMarkerTest, AbortInAPauseKeepsTheMarkerForTheNextOne) {
    commit_first();
    const auto outcome = commit();
    run_until_sent(2);
    client.throttle_next = true;
    while (client.has_requests()) client.serve();
    while (client.can_deliver()) client.deliver();
    EXPECT_EQ(outcome->times, 0);
    operations.back()->abort(asio::error::operation_aborted);
    EXPECT_EQ(outcome->result.operations.at(0).ec, error::not_applied) << "it was refused";
    settle();
    EXPECT_EQ(markers().size(), 1u);
    EXPECT_EQ(version(), 1);
}

class TransactionRollback : public testing::Test {
protected:
    void commit(const std::string& path) {
        bool done = false;
        std::make_shared<TransactionOperation>(world.share(0), Transaction().create(path, "data").exactly_once("/"),
                                               [&](error_code ec, const TransactionResult&) {
                                                   EXPECT_FALSE(ec) << ec.message();
                                                   done = true;
                                               })
            ->begin();
        ASSERT_TRUE(world.run_until([&] { return done && world.all_idle(); }));
    }
    std::ptrdiff_t markers() const {
        const auto names = ensemble.truth().children("/");
        return std::count_if(names.begin(), names.end(), [](const auto& name) { return name.starts_with("_c_"); });
    }

    FakeWorld world{1, 1, "/lock"};
    FakeEnsemble& ensemble = world.surroundings().ensemble;
};

TEST_F(TransactionRollback, MarkerThatWasRemovedIsRemovedAgain) {
    commit("/t");
    const auto past = ensemble.past();
    ASSERT_EQ(markers(), 1);
    world.client(0).kept<MarkerPool>().clear(world.client(0), "/");
    ASSERT_TRUE(world.run_until([&] { return markers() == 0 && world.all_idle(); }));

    world.go_back_to(past);
    ASSERT_EQ(markers(), 1);
    ASSERT_TRUE(world.run_until([&] { return markers() == 0; }));
    EXPECT_EQ(world.client(0).session().epoch, 1u) << "not by its session's end";
    EXPECT_NE(ensemble.truth().find("/t"), nullptr);
}

TEST_F(TransactionRollback, MarkerThatIsKeptMayBeOlderOrMissing) {
    commit("/first");
    const auto past = ensemble.past();
    commit("/second");
    bool is_back = false;
    const auto listening = world.client(0).listen(
        [&is_back](const SessionEvent& event) { is_back = is_back || event.state == SessionState::connected; });
    world.go_back_to(past); // now the marker has an older version
    ASSERT_TRUE(world.run_until([&] { return is_back && world.all_idle(); }));
    ASSERT_EQ(ensemble.truth().find("/second"), nullptr);
    commit("/second");
    EXPECT_NE(ensemble.truth().find("/second"), nullptr);
    EXPECT_EQ(markers(), 1) << "the older one has been removed";
}

} // namespace
} // namespace docent::detail
