// SPDX-License-Identifier: Apache-2.0

// InterProcessSemaphoreMutex: docent's and Curator's on one path.

#include "semaphore_fixture.hpp"

#include <docent/recipes/inter_process_semaphore_mutex.hpp>

#include <optional>
#include <thread>

namespace docent::test {
namespace {

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
