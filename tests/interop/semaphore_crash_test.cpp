// SPDX-License-Identifier: Apache-2.0

// A semaphore shared by docent and Curator: one side is killed, or the parent nodes are removed.

#include "integration/cli/docent_process.hpp"
#include "semaphore_fixture.hpp"

#include <signal.h>

#include <optional>

namespace docent::test {
namespace {

using asio::use_future;

/// A semaphore of two permits.
class SemaphoreCrash : public SemaphoreFixture {
protected:
    void SetUp() override {
        SemaphoreFixture::SetUp();
        open_curator("short", {"session-timeout=6000"});
    }
    DocentProcess::Setting docent_with(int count) const {
        return {.words = {"semaphore", "/lock", "--permits", "2", "--count", std::to_string(count), "--session-timeout", "6s",
                          "--", "sleep", "1000"},
                .connect = server.connect_string()};
    }
    std::int64_t only_holder() {
        const auto names = leases();
        EXPECT_FALSE(names.empty());
        return names.empty() ? 0 : owner_of("/lock/leases/" + names.front());
    }
    std::int64_t first_waiter() { return owner_of("/lock/locks/" + first_at_gate()); }

    InterProcessSemaphore& semaphore() {
        if (!semaphore_) semaphore_.emplace(*client, "/lock", 2);
        return *semaphore_;
    }

private:
    std::optional<InterProcessSemaphore> semaphore_;
};

TEST_F(SemaphoreCrash, CuratorKilledWhileItHolds) {
    ASSERT_EQ(curators("a", 2, "short").acquire(2).size(), 2U);
    const std::int64_t session = only_holder();
    ASSERT_TRUE(has_session(session));
    auto ours = semaphore().async_acquire(2, use_future);
    ASSERT_TRUE(reaches(1, 4));
    expect_waits_inside(ours);
    java.kill();
    EXPECT_EQ(granted(ours).size(), 2U);
    EXPECT_FALSE(has_session(session));
}

TEST_F(SemaphoreCrash, DocentKilledWhileItHolds) {
    DocentProcess holder(docent_with(2));
    ASSERT_TRUE(reaches(0, 2));
    const std::int64_t session = only_holder();
    ASSERT_TRUE(has_session(session));
    JavaSemaphore theirs = curators("a", 2);
    theirs.begin_acquire(2);
    ASSERT_TRUE(reaches(1, 3));
    EXPECT_TRUE(theirs.waits());
    holder.send(SIGKILL);
    EXPECT_EQ(theirs.get().size(), 2U);
    EXPECT_FALSE(has_session(session));
    EXPECT_TRUE(reaches(0, 2));
}

/// The permits that it has reserved go with its session, and the next contender comes to the gate.
TEST_F(SemaphoreCrash, CuratorKilledAtTheGate) {
    Permits held = semaphore().acquire(2);
    JavaSemaphore theirs = curators("a", 2, "short");
    theirs.begin_acquire();
    ASSERT_TRUE(reaches(1, 3));
    const std::int64_t session = first_waiter();
    ASSERT_TRUE(has_session(session));
    auto ours = semaphore().async_acquire(2, use_future);
    ASSERT_TRUE(reaches(2, 3));
    java.kill();
    ASSERT_TRUE(reaches(1, 4)) << "two are held, two reserved for us";
    EXPECT_FALSE(has_session(session));
    expect_waits_inside(ours);
    held.clear();
    EXPECT_EQ(granted(ours).size(), 2U);
}

TEST_F(SemaphoreCrash, DocentKilledAtTheGate) {
    Permits held = semaphore().acquire(2);
    DocentProcess next(docent_with(2));
    ASSERT_TRUE(reaches(1, 4));
    const std::int64_t session = first_waiter();
    ASSERT_TRUE(has_session(session));
    JavaSemaphore theirs = curators("a", 2);
    theirs.begin_acquire();
    ASSERT_TRUE(reaches(2, 4));
    next.send(SIGKILL);
    ASSERT_TRUE(reaches(1, 3)) << "two are held, one reserved for Curator";
    EXPECT_FALSE(has_session(session));
    EXPECT_TRUE(theirs.waits());
    held.pop_back();
    EXPECT_EQ(theirs.get().size(), 1U);
}

/// New containers start their numbers again, and neither side knows.
TEST_F(SemaphoreCrash, ContainersReapedInBetween) {
    JavaSemaphore theirs = curators("a", 2);
    for (int i = 0; i < 3; ++i) {
        Permits ours = semaphore().acquire(2);
        EXPECT_TRUE(ours.front().node_path().ends_with("-lease-0000000000")) << ours.front().node_path();
        EXPECT_FALSE(theirs.try_acquire());
        ours.clear();
        ASSERT_TRUE(is_reaped());
        const auto names = theirs.acquire(2);
        ASSERT_EQ(names.size(), 2U);
        EXPECT_TRUE(names.front().ends_with("-lease-0000000000")) << names.front();
        EXPECT_FALSE(semaphore().try_acquire());
        theirs.release();
        theirs.release();
        ASSERT_TRUE(is_reaped());
    }
}

/// Only the gate is removed while permits are held.
TEST_F(SemaphoreCrash, GateReapedInBetween) {
    JavaSemaphore theirs = curators("a", 2), others = curators("b", 2);
    const auto gate_is_reaped = [&] { return eventually([&] { return !observer->exists("/lock/locks"); }); };
    for (int i = 0; i < 3; ++i) {
        Lease ours = semaphore().acquire();
        ASSERT_TRUE(gate_is_reaped());
        ASSERT_EQ(theirs.acquire().size(), 1U);
        ASSERT_TRUE(gate_is_reaped());
        auto next = semaphore().async_acquire(use_future);
        ASSERT_TRUE(reaches(1, 3));
        EXPECT_TRUE(first_at_gate().ends_with("-lock-0000000000")) << first_at_gate();
        expect_waits_inside(next);
        theirs.release();
        Lease more = granted(next);
        ASSERT_TRUE(gate_is_reaped());
        others.begin_acquire();
        ASSERT_TRUE(reaches(1, 3));
        EXPECT_TRUE(others.waits());
        ours.release();
        EXPECT_EQ(others.get().size(), 1U);
        others.release();
    }
}

} // namespace
} // namespace docent::test
