// SPDX-License-Identifier: Apache-2.0

// InterProcessMutex: docent's and Curator's on one path.

#include "integration/cli/docent_process.hpp"
#include "locks_fixture.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <boost/asio/use_future.hpp>

#include <signal.h>

#include <algorithm>
#include <optional>
#include <stop_token>

namespace docent::test {
namespace {

using namespace std::chrono_literals;

class LocksMutex : public LocksFixture {
protected:
    std::optional<InterProcessMutex> mutex;

    void SetUp() override {
        LocksFixture::SetUp();
        mutex.emplace(*client, "/lock");
    }
    JavaLock curators(const std::string& thread) { return {java, thread, "mutex"}; }
    std::future<Lease> begin_acquire() { return mutex->async_acquire(asio::use_future); }
    std::vector<std::string> in_order() { return queue(detail::mutex_names()); }
};

TEST_F(LocksMutex, StrictOrderOfArrival) {
    Lease first = mutex->acquire();
    expect_strict_order([&](const std::string& thread) { return curators(thread); }, [&] { return begin_acquire(); },
                        [&](std::size_t waiting) { return queue_reaches(1 + waiting); }, [&] { first.release(); },
                        [](JavaLock& theirs, std::size_t) { return theirs.get(); });
    EXPECT_TRUE(queue_reaches(0));
}

TEST_F(LocksMutex, BothSeeTheSameParticipants) {
    JavaLock holder = curators("holder"), waiter = curators("waiter"), asking = curators("asking");
    ASSERT_TRUE(holder.acquire());
    auto ours = begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    waiter.begin_acquire();
    ASSERT_TRUE(queue_reaches(3));
    auto ours_too = begin_acquire();
    ASSERT_TRUE(queue_reaches(4));
    std::string names;
    for (const auto& name : in_order()) names += (names.empty() ? "" : ",") + name;
    EXPECT_EQ(asking.participants(), names);
    EXPECT_EQ(std::count(names.begin(), names.end(), ','), 3);
    holder.release();
    const Lease lease = granted(ours);
    EXPECT_EQ(lease.node_path(), "/lock/" + in_order().front());
    EXPECT_EQ(asking.participants(), names.substr(names.find(',') + 1));
}

TEST_F(LocksMutex, CuratorKilledWhileItHolds) {
    open_curator("short", {"session-timeout=6000"});
    ASSERT_TRUE(JavaLock(java, "a", "mutex", "short").acquire());
    auto ours = begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    const std::int64_t session = observer->get("/lock/" + in_order().front()).stat.ephemeral_owner;
    ASSERT_TRUE(has_session(session));
    java.kill();
    EXPECT_TRUE(granted(ours).owns());
    EXPECT_FALSE(has_session(session));
}

TEST_F(LocksMutex, DocentKilledWhileItHolds) {
    DocentProcess holder(
        {.words = {"lock", "/lock", "--session-timeout", "6s", "--", "sleep", "1000"}, .connect = server.connect_string()});
    ASSERT_TRUE(queue_reaches(1));
    JavaLock theirs = curators("a");
    theirs.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    EXPECT_TRUE(theirs.waits());
    const std::int64_t session = observer->get("/lock/" + in_order().front()).stat.ephemeral_owner;
    ASSERT_TRUE(has_session(session));
    holder.send(SIGKILL);
    EXPECT_TRUE(theirs.get());
    EXPECT_FALSE(has_session(session));
}

/// When Curator gets the lock, docent's client knows that it has lost it.
TEST_F(LocksMutex, DocentCutOffHoldsNothingWhenCuratorIsGranted) {
    docent::testing::FaultProxy proxy(server.port());
    Client cut_off{
        {.connect_string = proxy.connect_string(), .session_timeout = 6s, .ensemble_tracking = EnsembleTracking::off}};
    cut_off.start();
    InterProcessMutex far(cut_off, "/lock");
    Lease held = far.acquire();
    JavaLock theirs = curators("a");
    theirs.begin_acquire();
    ASSERT_TRUE(queue_reaches(2));
    std::promise<void> told;
    std::stop_callback on_stop(held.stop_token(), [&] { told.set_value(); });
    proxy.black_hole();
    EXPECT_TRUE(theirs.get());
    EXPECT_FALSE(held.owns()) << "also if its own thread has stood still until now";
    EXPECT_EQ(told.get_future().wait_for(generous), std::future_status::ready);
    EXPECT_GT(observer->get("/lock/" + in_order().front()).stat.czxid, held.fencing_token());
    proxy.heal();
}

/// A new container starts its numbers again, and neither side knows.
TEST_F(LocksMutex, ContainerReapedInBetween) {
    JavaLock theirs = curators("a");
    for (int i = 0; i < 3; ++i) {
        Lease ours = mutex->acquire();
        EXPECT_TRUE(ours.node_path().ends_with("-lock-0000000000")) << ours.node_path();
        EXPECT_FALSE(theirs.try_acquire());
        ours.release();
        ASSERT_TRUE(is_reaped());
        ASSERT_TRUE(theirs.acquire());
        EXPECT_TRUE(in_order().front().ends_with("-lock-0000000000")) << in_order().front();
        EXPECT_FALSE(mutex->try_acquire());
        theirs.release();
        ASSERT_TRUE(is_reaped());
    }
}

} // namespace
} // namespace docent::test
