// SPDX-License-Identifier: Apache-2.0

// The events of leases that a tracer receives.

#include "client/core/access.hpp"
#include "fake_mutex.hpp"
#include "fake_recipes/fake_latch.hpp"
#include "fake_semaphore.hpp"
#include "read_write/read_write_core.hpp"

#include <docent/tracing/tracer.hpp>

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

class LeaseRecorder final : public Tracer {
public:
    void on_lease(const LeaseTrace& trace) override {
        story += std::string(story.empty() ? "" : ", ") + std::string(to_string(trace.kind)) + ' ' +
                 std::string(to_string(trace.event));
        names = std::string(trace.label) + " at " + std::string(trace.path);
        last = trace;
        last.label = last.path = {};
    }
    std::string story;
    std::string names;
    LeaseTrace last;
};

/// One lock and two clients. The first client has a tracer.
class LeaseSpanTest : public FakeMutexTest {
protected:
    LeaseSpanTest() { client(0).set_tracer(tracer); }

    OutcomePtr start_with(LeaseTerms terms, AcquireWait wait = {}, CallOptions call = {}) {
        terms.label = "nightly";
        return start_on(std::make_shared<MutexCore>(world.share(0), "/lock", boot_now(0), std::move(terms)), wait,
                        std::move(call));
    }
    Lease acquire_with(const LeaseTerms& terms = {}) {
        const auto outcome = start_with(terms);
        wait_for(outcome);
        return std::move(outcome->lease);
    }
    /// The events since the last call.
    std::string heard() {
        settle();
        return std::exchange(tracer->story, {});
    }
    const LeaseTrace& last() const { return tracer->last; }

    std::shared_ptr<LeaseRecorder> tracer = std::make_shared<LeaseRecorder>();
};

TEST_F(LeaseSpanTest, AskedForHeldAndGivenBack) {
    Lease lease = acquire_with();
    EXPECT_EQ(heard(), "mutex requested, mutex granted");
    EXPECT_EQ(tracer->names, "nightly at /lock");
    EXPECT_GT(last().waited, nanoseconds{0});
    client(0).let_pass(milliseconds{300});
    const auto margin = lease.remaining();
    lease = Lease{};
    EXPECT_EQ(heard(), "mutex released");
    EXPECT_GE(last().held, milliseconds{300});
    EXPECT_GT(last().margin, nanoseconds{0});
    EXPECT_LE(last().margin, margin + milliseconds{5'000});
    EXPECT_EQ(last().ec, error_code{});
}

TEST_F(LeaseSpanTest, ATracerHearsOnlyOfItsClient) {
    std::ignore = acquire(1);
    EXPECT_EQ(heard(), "");
}

TEST_F(LeaseSpanTest, Refused) {
    Lease other = acquire(1);
    auto refused = start_with({}, {.kind = AcquireWait::Kind::not_at_all});
    wait_for(refused);
    EXPECT_EQ(heard(), "mutex requested, mutex refused");
    EXPECT_EQ(last().ec, error::not_acquired);

    std::stop_source stop;
    CallOptions call;
    call.stop = stop.get_token();
    refused = start_with({}, {}, call);
    run_until_parked(0);
    stop.request_stop();
    wait_for(refused);
    EXPECT_EQ(heard(), "mutex requested, mutex refused");
    EXPECT_EQ(last().ec, asio::error::operation_aborted);
    EXPECT_GT(last().waited, nanoseconds{0});
}

TEST_F(LeaseSpanTest, LostWithItsSession) {
    Lease lease = acquire_with();
    heard();
    world.inflict(Fault::end_session, 0);
    ASSERT_TRUE(world.run_until([&] { return !tracer->story.empty(); }));
    EXPECT_EQ(heard(), "mutex lost");
    EXPECT_EQ(last().ec, server_error::session_expired);
    EXPECT_EQ(last().margin, nanoseconds{0});
    lease = Lease{};
    EXPECT_EQ(heard(), "") << "it is over once";
}

TEST_F(LeaseSpanTest, LostWithItsNode) {
    const Lease lease = acquire_with();
    run_for(milliseconds{5'000}); // the lease's node is watched by then
    heard();
    world.surroundings().ensemble.delete_node(lease.node_path());
    ASSERT_TRUE(world.run_until([&] { return !tracer->story.empty(); }));
    EXPECT_EQ(heard(), "mutex lost");
    EXPECT_EQ(last().ec, server_error::no_node);
}

TEST_F(LeaseSpanTest, PresumedLossIsNoExpiry) {
    const Lease lease = acquire_with();
    const auto acquired = client(0).boot_now();
    heard();
    client(0).unreachable = true;
    world.inflict(Fault::cut_link, 0);
    ASSERT_TRUE(world.run_until([&] { return !tracer->story.empty(); }));
    EXPECT_EQ(client(0).session().reason, error::not_connected);
    EXPECT_EQ(last().ec, error::not_connected);
    EXPECT_LE(last().held, client(0).boot_now() - acquired);
}

TEST_F(LeaseSpanTest, PresumedLossThatTheHolderNoticesFirstIsNoExpiry) {
    const Lease lease = acquire_with();
    heard();
    client(0).let_pass(std::chrono::hours{1});
    EXPECT_FALSE(lease.owns());
    ASSERT_TRUE(world.run_until([&] { return !tracer->story.empty(); }));
    EXPECT_EQ(last().ec, error::not_connected);
}

TEST_F(LeaseSpanTest, NodeThatGoesWithItsSessionIsLostWithTheSession) {
    for (const bool kept : {false, true}) {
        const auto asked = client(0).boot_now();
        const Lease lease = acquire_with(kept ? LeaseTerms{.keep_for = std::chrono::seconds{60}} : LeaseTerms{});
        run_for(milliseconds{5'000}); // the lease's node is watched by then
        heard();
        world.inflict(Fault::end_session, 0); // the server reports the deletion and closes the connection
        ASSERT_TRUE(world.run_until([&] { return !lease.owns(); }));
        const auto lost = client(0).boot_now();
        ASSERT_TRUE(world.run_until([&] { return !tracer->story.empty(); }));
        EXPECT_EQ(heard(), "mutex lost");
        EXPECT_EQ(last().ec, server_error::session_expired) << (kept ? "kept" : "");
        EXPECT_LE(last().held, lost - asked) << "until the loss";
    }
}

TEST_F(LeaseSpanTest, LostWhenTheClientIsClosed) {
    const Lease lease = acquire_with();
    heard();
    client(0).close();
    ASSERT_TRUE(world.run_until([&] { return !tracer->story.empty(); }));
    EXPECT_EQ(heard(), "mutex lost");
    EXPECT_EQ(last().ec, error::closed);
}

TEST_F(LeaseSpanTest, Expired) {
    const Lease lease = acquire_with({.max_hold = milliseconds{500}});
    heard();
    ASSERT_TRUE(world.run_until([&] { return !tracer->story.empty(); }));
    EXPECT_EQ(heard(), "mutex expired");
    EXPECT_GE(last().held, milliseconds{500});
    EXPECT_EQ(last().ec, error_code{});
}

TEST_F(LeaseSpanTest, AskedForByOthersOnce) {
    const Lease lease = acquire_with();
    run_for(milliseconds{5'000});
    heard();
    for (int i = 0; i < 2; ++i) {
        world.surroundings().ensemble.change_node(lease.node_path(), "__REVOKE__");
        run_for(milliseconds{1'000});
    }
    EXPECT_EQ(heard(), "mutex revocation_request");
}

TEST_F(LeaseSpanTest, EachHoldOfANodeThatIsKept) {
    const LeaseTerms terms{.keep_for = std::chrono::seconds{60}};
    std::ignore = acquire_with(terms);
    EXPECT_EQ(heard(), "mutex requested, mutex granted, mutex released");
    Lease again = acquire_with(terms);
    EXPECT_EQ(heard(), "mutex requested, mutex granted");
    EXPECT_EQ(tracer->names, "nightly at /lock");
    const auto stop = again.stop_token();
    again.make_revocable([] {});
    world.surroundings().ensemble.change_node(again.node_path(), "__REVOKE__");
    run_for(milliseconds{1'000});
    EXPECT_EQ(heard(), "mutex revocation_request");
    world.surroundings().ensemble.delete_node(again.node_path());
    run_for(milliseconds{1'000});
    EXPECT_EQ(heard(), "mutex lost") << "whether its holder asks or not";
    EXPECT_EQ(last().ec, server_error::no_node);
    again = Lease{};
    EXPECT_EQ(heard(), "");
}

TEST_F(LeaseSpanTest, TheLastHoldOfANodeThatIsKept) {
    const Lease lease = acquire_with({.keep_for = std::chrono::seconds{60}});
    world.surroundings().ensemble.change_node(lease.node_path(), "__REVOKE__");
    run_for(milliseconds{1'000});
    EXPECT_EQ(heard(), "mutex requested, mutex granted, mutex revocation_request");
    const auto released = run([&](Handler<> handler) { initiate_release(Access::core(lease), {}, std::move(handler)); });
    EXPECT_FALSE(result_of(released));
    EXPECT_EQ(heard(), "mutex released") << "as without keep_for";
}

TEST_F(LeaseSpanTest, ADowngradeIsTheNextLease) {
    world.add_queue("/rw", read_write_names());
    const auto cores = make_read_write(world.share(0), "/rw", boot_now(0), LeaseTerms{.label = "table"});
    Lease write;
    initiate_acquire(cores.write, {}, {}, [&](error_code, Lease lease) { write = std::move(lease); });
    ASSERT_TRUE(world.run_until([&] { return static_cast<bool>(write); }));
    Lease read;
    initiate_downgrade(Access::core(write), {}, [&](error_code, Lease lease) { read = std::move(lease); });
    ASSERT_TRUE(world.run_until([&] { return static_cast<bool>(read); }));
    EXPECT_EQ(heard(), "write requested, write granted, read requested, read granted, write released");
    EXPECT_EQ(tracer->names, "table at /rw");
    EXPECT_EQ(last().waited, nanoseconds{0});
    read = Lease{};
    EXPECT_EQ(heard(), "read released");
    EXPECT_EQ(tracer->names, "table at /rw") << "the read lease has the same label";
}

TEST_F(LeaseSpanTest, EachPermit) {
    world.add_queue("/s/locks", mutex_names());
    const auto limit = fixed_limit(3);
    const auto taken = take_permits(world, 0, limit, 2, {}, {.label = "pool"});
    ASSERT_TRUE(world.run_until([&] { return taken->arrived(); }));
    EXPECT_EQ(heard(), "permit requested, permit requested, permit granted, permit granted");
    EXPECT_EQ(tracer->names, "pool at /s");
    take_permits(world, 0, limit, 2, {AcquireWait::Kind::not_at_all}, {.label = "pool"});
    EXPECT_EQ(heard(), "permit requested, permit requested, permit refused, permit refused");
    taken->leases.pop_back();
    EXPECT_EQ(heard(), "permit released");
    taken->leases.clear();
    EXPECT_EQ(heard(), "permit released");
}

TEST_F(LeaseSpanTest, ALead) {
    world.add_queue(election_path, latch_names());
    const auto latch = make_fake_latch(world, 0, "one");
    latch->start();
    ASSERT_TRUE(world.run_until([&] { return latch->leadership() != nullptr; }));
    EXPECT_EQ(heard(), "leadership requested, leadership granted");
    bool closed = false;
    latch->close(LatchClose::silently, *latch->view(), [&] { closed = true; });
    ASSERT_TRUE(world.run_until([&] { return closed; }));
    EXPECT_EQ(heard(), "leadership released");
}

} // namespace
} // namespace docent::detail
