// SPDX-License-Identifier: Apache-2.0
#include "semaphore_fixture.hpp"
#include "session_watcher.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <thread>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;
using docent::test::eventually;

class SemaphoreMutexTest : public SemaphoreTest {
protected:
    InterProcessSemaphoreMutex lock{client, "/s"};
    InterProcessSemaphoreMutex contender{other, "/s"};
};

TEST_F(SemaphoreMutexTest, AnyThreadMayUnlock) {
    EXPECT_THROW(lock.unlock(), Error);
    lock.lock();
    EXPECT_TRUE(lock.is_locked());
    EXPECT_GT(lock.fencing_token(), 0);
    EXPECT_FALSE(lock.try_lock()) << "not reentrant";
    EXPECT_FALSE(contender.try_lock_for(1ms));
    std::thread([&] { lock.unlock(); }).join();
    EXPECT_FALSE(lock.is_locked());
    EXPECT_THROW(lock.fencing_token(), Error);
    EXPECT_TRUE(contender.try_lock_for(generous));
    contender.unlock();
    EXPECT_TRUE(reaches(0, 0));
}

TEST_F(SemaphoreMutexTest, IsATimedLockable) {
    {
        const std::unique_lock hold(lock, 30s);
        EXPECT_TRUE(hold.owns_lock());
        EXPECT_FALSE(contender.try_acquire());
    }
    EXPECT_TRUE(contender.try_lock_until(std::chrono::system_clock::now() + generous));
    auto next = lock.async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 2));
    contender.unlock();
    EXPECT_TRUE(next.get().owns());
}

TEST_F(SemaphoreMutexTest, ThreadsOfOneObjectTakeTurns) {
    constexpr int turns = 50;
    std::atomic<int> inside = 0;
    std::atomic<int> overlaps = 0;
    const auto take_turns = [&] {
        for (int turn = 0; turn < turns; ++turn) {
            lock.lock();
            if (++inside != 1) ++overlaps;
            --inside;
            EXPECT_NO_THROW(lock.unlock());
        }
    };
    std::array<std::thread, 4> threads;
    for (auto& thread : threads) thread = std::thread(take_turns);
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(overlaps, 0);
    EXPECT_FALSE(lock.is_locked());
    EXPECT_TRUE(reaches(0, 0));
}

/// A thread that has lost the lock and unlocks late must not unlock it for the present holder (CURATOR-376).
TEST_F(SemaphoreMutexTest, ALateUnlockOfALostHoldSparesTheNextHolder) {
    lock.lock();
    client.renew_session();
    ASSERT_TRUE(eventually([&] { return !lock.is_locked(); }));
    std::latch has_it(1);
    std::latch may_go(1);
    std::thread second([&] {
        lock.lock();
        has_it.count_down();
        may_go.wait();
        lock.unlock();
    });
    has_it.wait();
    lock.unlock(); // unlocks the lost hold
    EXPECT_TRUE(lock.is_locked());
    EXPECT_FALSE(contender.try_lock());
    may_go.count_down();
    second.join();
    EXPECT_FALSE(lock.is_locked());
    EXPECT_TRUE(contender.try_lock_for(generous));
    contender.unlock();
}

} // namespace
} // namespace docent
