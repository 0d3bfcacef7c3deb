// SPDX-License-Identifier: Apache-2.0
#include "fake_mutex.hpp"
#include "local/local_acquire.hpp"
#include "names/node_name.hpp"
#include "views.hpp"

#include <docent/tracing/tracer.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;
using Kind = AcquireWait::Kind;

using MutexCoreTest = FakeMutexTest;

TEST_F(MutexCoreTest, MayOutliveTheContextOfItsHandlersExecutor) { // AddressSanitizer reports a strand that does
    const auto core = mutex(0);
    {
        asio::io_context context;
        core->set_revocation_handler([](const std::string&) {}, context.get_executor());
        EXPECT_TRUE(acquire_on(core).owns());
        settle();
    }
}

TEST_F(MutexCoreTest, TheHandlerIsCalledForOneLeaseAfterTheOther) {
    asio::io_context context;
    int inside = 0;
    int calls = 0;
    const auto core = mutex(0);
    const auto handler = [&](const std::string&) {
        EXPECT_EQ(++inside, 1);
        ++calls;
        context.poll(); // would call the handler for the other lease
        --inside;
    };
    core->set_revocation_handler(handler, context.get_executor());
    world.add_queue("/other");
    const Lease one = acquire_on(mutex(0));
    const Lease other = acquire_on(std::make_shared<MutexCore>(world.share(0), "/other", boot_now(0)));
    for (const Lease* lease : {&one, &other}) {
        core->on_granted(*lease);
        world.surroundings().ensemble.change_node(lease->node_path(), "__REVOKE__");
    }
    settle();
    run_for(milliseconds{500});
    context.run();
    EXPECT_EQ(calls, 2);
}

TEST_F(MutexCoreTest, ANewHandlerIsForTheLeasesThatFollow) {
    asio::io_context context;
    int before = 0;
    int now = 0;
    const auto core = mutex(0);
    core->set_revocation_handler([&](const std::string&) { ++before; }, context.get_executor());
    const Lease first = acquire_on(core);
    core->set_revocation_handler([&](const std::string&) { ++now; }, context.get_executor());
    world.add_queue("/other");
    const Lease next = acquire_on(std::make_shared<MutexCore>(world.share(0), "/other", boot_now(0)));
    core->on_granted(next);
    servers().change_node(next.node_path(), "__REVOKE__");
    settle();
    run_for(milliseconds{500});
    context.run();
    EXPECT_EQ(now, 1);
    EXPECT_EQ(before, 0) << "the first lease, which keeps the handler of its time, is not asked for";
}

TEST_F(MutexCoreTest, WarnsOnceOfLocksOfAnotherKind) {
    class Warned final : public Tracer {
    public:
        void on_warning(std::string_view) override { ++times; }
        int times = 0;
    };
    const auto warned = std::make_shared<Warned>();
    client(0).set_tracer(warned);
    std::ignore = acquire(1); // makes the parent
    const auto session = servers().open_session(client(1).boot_now());
    servers().apply(session, zk::CreateRequest{.path = "/lock/" + std::string(write_token.text) + "0000000001"});
    const auto core = mutex(0);
    for (int n = 0; n < 2; ++n) {
        std::ignore = acquire_on(core);
        settle();
        EXPECT_EQ(warned->times, 1);
    }
}

TEST_F(MutexCoreTest, ItsNodeIsAsCuratorExpects) {
    const Lease lease = acquire(0);
    EXPECT_TRUE(std::regex_match(lease.node_path(), std::regex("/lock/_c_.+-lock-[0-9]{10}"))) << lease.node_path();
    const TreeNode* node = world.surroundings().ensemble.truth().find(lease.node_path());
    ASSERT_TRUE(node);
    EXPECT_EQ(node->mode, CreateMode::ephemeral_sequential);
    EXPECT_EQ(node->data, client(0).default_data());
    EXPECT_EQ(node->stat.czxid, lease.fencing_token());
    EXPECT_EQ(world.surroundings().ensemble.truth().find("/lock")->mode, CreateMode::container);
}

TEST_F(MutexCoreTest, AFreeLockTakesTwoRequestsAndOneRoundTrip) {
    std::ignore = acquire(0); // makes the parent
    settle();
    const auto before = client(0).requests_sent();
    const Lease lease = acquire(0);
    EXPECT_LE(client(0).requests_sent() - before, 3u); // one request may be a heartbeat
}

TEST_F(MutexCoreTest, AHandOffTakesNoRequestOfTheNextOne) {
    Lease first = acquire(0);
    const auto next = start(1);
    run_until_parked(1);
    first = Lease{};
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 1; }));
    const auto before = client(1).requests_sent();
    wait_for(next);
    EXPECT_LE(client(1).requests_sent() - before, 1u); // a heartbeat
    EXPECT_TRUE(next->lease.owns());
}

TEST_F(MutexCoreTest, TryingOnceFailsWhenItIsHeldAndLeavesNothing) {
    const Lease lease = acquire(0);
    const auto outcome = start(1, {Kind::not_at_all});
    EXPECT_EQ(result_of(outcome), error::not_acquired);
    settle();
    EXPECT_EQ(world.queue(), std::vector{lease.node_path()});
}

TEST_F(MutexCoreTest, ATimeThatPassesBeforeItBeginsIsOver) {
    ASSERT_TRUE(world.run_until([&] { return client(0).linked(); }));
    cut_off(0);
    error_code ec;
    const auto operation = std::make_shared<AcquireOperation>(
        world.share(0), nullptr, mutex(0)->place(), AcquireWait{Kind::until, client(0).now() + milliseconds{50}},
        [this] { return client(0).boot_now(); }, [&ec](error_code result, const Lease&) { ec = result; });
    run_for(milliseconds{100}); // the strand is busy
    const auto began = client(0).now();
    operation->begin();
    ASSERT_TRUE(world.run_until([&] { return static_cast<bool>(ec); }));
    EXPECT_EQ(ec, error::not_connected);
    EXPECT_LT(client(0).now() - began, milliseconds{1000}) << "it does not wait for a connection";
}

TEST_F(MutexCoreTest, ADeadlineThatHasPassedIsATry) {
    const auto outcome = start(0, {Kind::until, client(0).now()});
    EXPECT_EQ(result_of(outcome), error_code{});
    EXPECT_TRUE(outcome->lease.owns());
}

TEST_F(MutexCoreTest, ADeadlineEndsTheWait) {
    const Lease lease = acquire(0);
    const auto started = client(1).now();
    const auto outcome = start(1, {Kind::until, started + milliseconds{500}});
    EXPECT_EQ(result_of(outcome), error::not_acquired);
    EXPECT_GE(client(1).now() - started, milliseconds{500});
    EXPECT_LT(client(1).now() - started, milliseconds{700});
    settle();
    EXPECT_EQ(world.queue(), std::vector{lease.node_path()});
}

TEST_F(MutexCoreTest, AWaiterThatGivesUpGivesUpItsWatchOnTheNodeAhead) {
    const Lease lease = acquire(0);
    const auto view = std::make_shared<ForgettingView>(world.share(1));
    const auto outcome =
        start_on(std::make_shared<MutexCore>(view, "/lock", boot_now(1)), {Kind::until, client(1).now() + milliseconds{500}});
    EXPECT_EQ(result_of(outcome), error::not_acquired);
    EXPECT_EQ((view->forgotten[{lease.node_path(), zk::WatchKind::data}]), 1);
}

TEST_F(MutexCoreTest, AStopRequestFromBeforeSendsNothing) {
    std::stop_source stop;
    stop.request_stop();
    const auto outcome = start(0, {}, {.stop = stop.get_token()});
    EXPECT_EQ(result_of(outcome), asio::error::operation_aborted);
    settle();
    EXPECT_TRUE(world.queue().empty());
}

TEST_F(MutexCoreTest, ALeaseWithoutATakerIsReleased) { // as after a cancellation at the moment of the grant
    auto outcome = start(0);
    wait_for(outcome);
    outcome->lease = Lease{};
    outcome.reset();
    settle();
    EXPECT_TRUE(world.queue().empty());
}

TEST_F(MutexCoreTest, WithoutAServerItGivesUpAfterTheConnectionTimeout) {
    ASSERT_TRUE(world.run_until([&] { return client(0).linked(); }));
    cut_off(0);
    const auto started = client(0).now();
    const auto outcome = start(0);
    EXPECT_EQ(result_of(outcome), error::not_connected);
    EXPECT_GE(client(0).now() - started, client(0).connection_timeout());
}

TEST_F(MutexCoreTest, AWaiterKeepsItsPlaceThroughADisconnection) {
    Lease first = acquire(0);
    const auto next = start(1);
    run_until_parked(1);
    const auto queue = world.queue();
    client(1).break_link();
    settle();
    EXPECT_EQ(world.queue(), queue);
    first = Lease{};
    wait_for(next);
    EXPECT_EQ(next->lease.node_path(), queue.back());
}

TEST_F(MutexCoreTest, ADeletedWaiterIsTold) {
    const Lease first = acquire(0);
    const auto next = start(1);
    run_until_parked(1);
    world.surroundings().ensemble.delete_node(world.queue().back());
    EXPECT_EQ(result_of(next), error::lock_node_deleted);
}

TEST_F(MutexCoreTest, AWaiterThatMayNotReadItsNodeIsToldAndLeavesNoNode) {
    const Lease first = acquire(0);
    const auto next = start(1);
    run_until([&] { return world.queue().size() == 2; });
    servers().hide_node(world.queue().back());
    servers().learn_all(client(1).server().value());
    EXPECT_EQ(result_of(next), server_error::no_auth);
    settle();
    EXPECT_EQ(world.queue(), std::vector{first.node_path()});
}

} // namespace
} // namespace docent::detail
