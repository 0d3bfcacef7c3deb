// SPDX-License-Identifier: Apache-2.0

// Locks with kept nodes and local hand-over, on a server.

#include "../mutex/mutex_fixture.hpp"
#include "ended_waits.hpp"
#include "in_threads.hpp"

#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

namespace docent {
namespace {

namespace asio = boost::asio;

class KeptTest : public MutexTest {
protected:
    InterProcessMutex keeping{client, "/locks/job", {.keep_for = 1h}};
    InterProcessMutex handing_on{client, "/locks/job", {.max_local_handovers = 3}};
};

TEST_F(KeptTest, CoroutinesAndThreadsShareIt) {
    keeping.acquire().release();
    auto lease = keeping.async_acquire(asio::use_future).get();
    EXPECT_TRUE(lease.owns());
    EXPECT_FALSE(keeping.try_lock());
    lease = Lease{};
    EXPECT_TRUE(keeping.try_lock());
    keeping.unlock();
    EXPECT_EQ(nodes().size(), 1U);
}

TEST_F(KeptTest, ReportsNoErrorOfAnEarlierCall) {
    keeping.acquire().release();
    error_code ec = error::not_connected;
    EXPECT_TRUE(keeping.try_acquire(ec));
    EXPECT_FALSE(ec);
    ec = error::not_acquired;
    EXPECT_TRUE(keeping.try_acquire_for(1s, ec));
    EXPECT_FALSE(ec);
}

TEST_F(KeptTest, ClosingTheClientEndsIt) {
    keeping.acquire().release();
    client.close();
    error_code ec;
    std::ignore = keeping.acquire(ec);
    EXPECT_EQ(ec, error::closed);
    EXPECT_TRUE(contender.acquire().owns());
}

TEST_F(KeptTest, WaitersHearOfTheClientsClose) {
    const Lease ours = handing_on.acquire();
    std::promise<error_code> ended;
    std::thread waiter([&] {
        error_code ec;
        std::ignore = handing_on.acquire(ec);
        ended.set_value(ec);
    });
    auto task = handing_on.async_acquire(asio::use_future);
    client.close();
    EXPECT_EQ(ended.get_future().get(), error::closed);
    EXPECT_THROW(std::ignore = task.get(), boost::system::system_error);
    waiter.join();
    EXPECT_FALSE(ours.owns());
}

TEST_F(KeptTest, ALockInAnotherNamespaceHasItsOwnNode) {
    keeping.acquire().release();
    Client inside = client.in_namespace("locks");
    InterProcessMutex same{inside, "/job", {.keep_for = 1h}};
    const Lease held = same.acquire();
    EXPECT_TRUE(held.node_path().starts_with("/job/")) << held.node_path();
    EXPECT_TRUE(inside.exists(held.node_path()));
    EXPECT_FALSE(contender.try_acquire());
    EXPECT_FALSE(keeping.try_acquire());
}

TEST_F(KeptTest, ItGoesWithItsObjects) {
    std::optional<InterProcessMutex> mutex(std::in_place, client, "/locks/other", LockOptions{.keep_for = 1h});
    mutex->acquire().release();
    mutex.reset();
    InterProcessMutex theirs{other, "/locks/other"};
    EXPECT_TRUE(theirs.acquire().owns());
}

/// One holder at a time: threads by lock(), tasks by async_acquire(), and another process.
TEST_F(KeptTest, ExcludesThreadsAndOtherProcesses) {
    for (auto* mutex : {&keeping, &handing_on}) {
        int counter = 0; // the lock protects this
        std::atomic<bool> met{false};
        std::atomic<int> holders{0};
        const auto work = [&](InterProcessMutex& own, int turns) {
            for (int turn = 0; turn < turns; ++turn) {
                const std::lock_guard lock(own);
                if (++holders != 1) met = true;
                ++counter;
                --holders;
            }
        };
        test::in_threads(5, [&](int n) { n < 4 ? work(*mutex, 50) : work(contender, 20); });
        EXPECT_FALSE(met);
        EXPECT_EQ(counter, 220);
    }
}

TEST_F(KeptTest, AThreadThatIsInterruptedWhileItWaitsGetsNothing) {
    Lease ours = handing_on.acquire();
    EXPECT_TRUE(test::is_ended_by_interruption([this] { handing_on.lock(); }));
    ours.release();
    EXPECT_TRUE(handing_on.try_acquire());
}

/// Readers that come and go all the time, some with their own lock object and some with a shared one, and a writer of another
/// process that gets its turn each time.
TEST_F(KeptTest, ReadersThatKeepComingAreRecalledEachTime) {
    std::atomic<int> readers{0};
    std::atomic<bool> writes{false};
    std::atomic<bool> met{false};
    std::atomic<bool> ended{false};
    const auto read = [&] {
        ++readers;
        if (writes) met = true;
        --readers;
    };
    InterProcessReadWriteLock shared{client, "/locks/table", {.keep_for = 1h}};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            InterProcessReadWriteLock own{client, "/locks/table", {.keep_for = 1h}};
            while (!ended) {
                const Lease lease = own.read_lock().acquire();
                read();
            }
        });
        threads.emplace_back([&] {
            while (!ended) {
                const std::lock_guard lock(shared.read_lock());
                read();
            }
        });
    }
    InterProcessReadWriteLock theirs{other, "/locks/table"};
    for (int turn = 0; turn < 60; ++turn) {
        const Lease lease = theirs.write_lock().acquire();
        writes = true;
        if (readers > 0) met = true;
        writes = false;
    }
    ended = true;
    for (auto& thread : threads) thread.join();
    EXPECT_FALSE(met);
}

} // namespace
} // namespace docent
