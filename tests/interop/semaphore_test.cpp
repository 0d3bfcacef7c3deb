// SPDX-License-Identifier: Apache-2.0

// InterProcessSemaphore and InterProcessSemaphoreMutex: docent's and Curator's on one path.

#include "semaphore_fixture.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/inter_process_semaphore_mutex.hpp>

#include <algorithm>
#include <optional>
#include <regex>
#include <thread>
#include <tuple>

namespace docent::test {
namespace {

using asio::use_future;

/// A semaphore of three permits.
class Semaphore : public SemaphoreFixture {
protected:
    std::optional<InterProcessSemaphore> semaphore;

    void SetUp() override {
        SemaphoreFixture::SetUp();
        semaphore.emplace(*client, "/lock", 3);
    }
    JavaSemaphore curators(const std::string& thread) { return SemaphoreFixture::curators(thread, 3); }
};

TEST_F(Semaphore, LeasesOfBothTogetherAreNeverMore) {
    JavaSemaphore theirs = curators("a"), others = curators("b");
    const auto expect_none_free = [&] {
        EXPECT_FALSE(semaphore->try_acquire());
        EXPECT_FALSE(semaphore->try_acquire(2));
        EXPECT_FALSE(others.try_acquire());
        EXPECT_FALSE(others.try_acquire(2));
        EXPECT_TRUE(reaches(0, 3)) << "nobody has left anything";
    };
    auto ours = semaphore->try_acquire();
    ASSERT_TRUE(ours);
    ASSERT_TRUE(reaches(0, 1)) << "docent's node at the gate would turn Curator away";
    ASSERT_TRUE(theirs.try_acquire());
    auto more = semaphore->try_acquire();
    ASSERT_TRUE(more);
    expect_none_free();
    ours->release();
    EXPECT_FALSE(semaphore->try_acquire(2)) << "one is free";
    EXPECT_FALSE(others.try_acquire(2));
    ASSERT_TRUE(reaches(0, 2)) << "Curator gives back by and by what it got of the two";
    ASSERT_TRUE(theirs.try_acquire());
    expect_none_free();
    theirs.release();
    ours = semaphore->try_acquire();
    ASSERT_TRUE(ours);
    expect_none_free();
}

TEST_F(Semaphore, StrictOrderOfArrival) {
    Permits held = semaphore->acquire(3);
    expect_strict_order(
        [&](const std::string& thread) { return curators(thread); }, [&] { return semaphore->async_acquire(use_future); },
        [&](std::size_t waiting) { return reaches(waiting, 4); },
        [&] { held.pop_back(); }, // the permit passes to the next waiter
        [&](JavaSemaphore& theirs, std::size_t left) { return theirs.get().size() == 1 && reaches(left - 1, 4); });
    EXPECT_TRUE(reaches(0, 2));
}

/// Curator's contenders are not admitted before docent's, although permits are free.
TEST_F(Semaphore, DocentTakesSeveralTogether) {
    JavaSemaphore theirs = curators("a"), behind = curators("b");
    ASSERT_EQ(theirs.acquire().size(), 1U);
    EXPECT_FALSE(semaphore->try_acquire(3));
    auto ours = semaphore->async_acquire(3, use_future);
    ASSERT_TRUE(reaches(1, 4));
    expect_waits_inside(ours);
    behind.begin_acquire();
    ASSERT_TRUE(reaches(2, 4));
    EXPECT_TRUE(behind.waits());
    theirs.release();
    Permits permits = granted(ours);
    ASSERT_EQ(permits.size(), 3U);
    ASSERT_TRUE(reaches(1, 4));
    EXPECT_TRUE(behind.waits());
    permits.pop_back();
    EXPECT_EQ(behind.get().size(), 1U);
    EXPECT_TRUE(permits.front().owns() && permits.back().owns());
}

/// One permit after the other, each in a new turn at the gate.
TEST_F(Semaphore, CuratorTakesSeveralOneByOne) {
    JavaSemaphore theirs = curators("a");
    Permits held = semaphore->acquire(2);
    EXPECT_FALSE(theirs.try_acquire(3));
    EXPECT_TRUE(reaches(0, 2)) << "not even the one that it got";
    theirs.begin_acquire(3);
    ASSERT_TRUE(reaches(1, 4)) << "one taken, and one reserved";
    auto ours = semaphore->async_acquire(use_future);
    ASSERT_TRUE(reaches(2, 4));
    const auto at_gate = gate();
    ASSERT_EQ(at_gate.size(), 2U);
    held.pop_back(); // releases Curator's second permit; docent's contender is first at the gate
    ASSERT_TRUE(eventually([&] { return first_at_gate() == at_gate.back(); }));
    ASSERT_TRUE(reaches(2, 4));
    expect_waits_inside(ours);
    EXPECT_TRUE(theirs.waits());
    held.pop_back();
    Lease lease = granted(ours);
    ASSERT_TRUE(reaches(1, 4));
    EXPECT_TRUE(theirs.waits());
    lease.release();
    EXPECT_EQ(theirs.get().size(), 3U);
    EXPECT_TRUE(reaches(0, 3));
}

/// Curator takes several permits one by one: it holds some while it waits for others, and docent waits for those.
TEST_F(Semaphore, TwoContendersForAllPermitsMayWaitForEachOther) {
    JavaSemaphore theirs = curators("a");
    Permits held = semaphore->acquire(2);
    theirs.begin_acquire(3);
    ASSERT_TRUE(reaches(1, 4));
    std::stop_source give_up;
    auto ours = std::async(std::launch::async, [&] {
        error_code ec;
        std::ignore = semaphore->acquire(3, ec, {.stop = give_up.get_token()});
        return ec;
    });
    ASSERT_TRUE(reaches(2, 4));
    held.clear();
    ASSERT_TRUE(reaches(2, 5)) << "two are Curator's, three reserved for us";
    expect_waits_inside(ours);
    EXPECT_TRUE(theirs.waits());
    give_up.request_stop();
    EXPECT_EQ(theirs.get().size(), 3U);
    EXPECT_EQ(ours.get(), asio::error::operation_aborted);
    EXPECT_TRUE(reaches(0, 3));
}

TEST_F(Semaphore, BothMakeTheSameNodes) {
    const std::regex name("_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-lease-[0-9]{10}");
    JavaSemaphore theirs = curators("a");
    Lease ours = semaphore->acquire();
    const auto names = theirs.acquire();
    ASSERT_EQ(names.size(), 1U);
    const std::string our_name(node_name(ours.node_path()));
    EXPECT_TRUE(std::regex_match(our_name, name)) << our_name;
    EXPECT_TRUE(std::regex_match(names.front(), name)) << names.front();
    EXPECT_EQ(curator("protection", "/", {"of=" + ours.node_path()})["protected"], "true");
    EXPECT_EQ(curator("stat", ours.node_path())["owner"], std::to_string(client->session().session_id));
    for (const std::string parent : {"/lock", "/lock/leases"}) EXPECT_EQ(observer->get(parent).data, "");

    theirs.set_node_data("a worker of Curator's");
    EXPECT_EQ(observer->get("/lock/leases/" + theirs.acquire().front()).data, "a worker of Curator's");
    ours.release();
    ours = InterProcessSemaphore(*client, "/lock", 3, {.node_data = "a worker of docent's"}).acquire();
    EXPECT_EQ(curator("get", ours.node_path()).data(), "a worker of docent's");
}

TEST_F(Semaphore, BothSeeTheSameParticipants) {
    JavaSemaphore theirs = curators("a");
    theirs.set_node_data("Curator's");
    const Permits ours = InterProcessSemaphore(*client, "/lock", 3, {.node_data = "docent's"}).acquire(2);
    ASSERT_EQ(theirs.acquire().size(), 1U);
    auto next = semaphore->async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 4));
    JavaSemaphore last = curators("b");
    last.begin_acquire();
    ASSERT_TRUE(reaches(2, 4));

    EXPECT_EQ(curators("c").participants(), leases());
    EXPECT_EQ(semaphore->usage(), (PermitUsage{3, 4}));
    const Inspection seen = inspect(*observer, "/lock");
    EXPECT_TRUE(seen.strangers.empty());
    std::vector<std::string> names, data;
    for (const Participant& one : seen.participants) {
        EXPECT_EQ(one.recipe, RecipeKind::semaphore);
        if (one.kind == ParticipantKind::lease) names.emplace_back(node_name(one.node_path));
        data.push_back(one.data);
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, leases());
    ASSERT_EQ(data.size(), 6U);
    EXPECT_EQ(std::vector(data.begin(), data.begin() + 3), (std::vector<std::string>{"docent's", "docent's", "Curator's"}));
    const Participant &reserved = seen.participants[3], &first = seen.participants[4], &second = seen.participants[5];
    EXPECT_EQ(reserved.session_id, first.session_id);
    EXPECT_GT(reserved.fencing_token, first.fencing_token) << "made by who is first at the gate";
    EXPECT_EQ(first.session_id, client->session().session_id);
    EXPECT_EQ(second.session_id, seen.participants[2].session_id) << "Curator's";
    EXPECT_FALSE(first.holds || second.holds);
    theirs.release();
    EXPECT_EQ(granted(next).node_path(), reserved.node_path);
}

// ---- InterProcessSemaphoreMutex

class SemaphoreMutex : public SemaphoreFixture {
protected:
    std::optional<InterProcessSemaphoreMutex> mutex;

    void SetUp() override {
        SemaphoreFixture::SetUp();
        mutex.emplace(*client, "/lock");
    }
    JavaLock curators_mutex(const std::string& thread) { return {java, thread, "semaphore-mutex"}; }
};

TEST_F(SemaphoreMutex, DocentWaitsForCurator) {
    JavaLock theirs = curators_mutex("a"), on_another_thread = curators_mutex("b");
    ASSERT_TRUE(theirs.acquire());
    EXPECT_FALSE(mutex->try_lock());
    EXPECT_FALSE(mutex->try_acquire());
    EXPECT_FALSE(InterProcessSemaphore(*client, "/lock", 1).try_acquire()) << "it is a semaphore";
    auto ours = mutex->async_acquire(asio::use_future);
    ASSERT_TRUE(reaches(1, 2));
    expect_waits_inside(ours);
    on_another_thread.release();
    EXPECT_TRUE(granted(ours).owns());
}

TEST_F(SemaphoreMutex, CuratorWaitsForDocent) {
    JavaLock theirs = curators_mutex("a");
    mutex->lock();
    EXPECT_FALSE(theirs.try_acquire());
    EXPECT_FALSE(curators("b", 1).try_acquire());
    theirs.begin_acquire();
    ASSERT_TRUE(reaches(1, 2));
    EXPECT_TRUE(theirs.waits());
    EXPECT_TRUE(mutex->is_locked());
    std::thread([&] { mutex->unlock(); }).join();
    EXPECT_TRUE(theirs.get());
    EXPECT_FALSE(mutex->try_lock());
    theirs.release();
    EXPECT_TRUE(mutex->try_lock_for(generous));
}

} // namespace
} // namespace docent::test
