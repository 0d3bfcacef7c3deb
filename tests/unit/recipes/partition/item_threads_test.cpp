// SPDX-License-Identifier: Apache-2.0
#include "partition/item_threads.hpp"

#include "eventually.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <set>
#include <thread>
#include <utility>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

std::thread::id thread_of_next_work(ItemThreads& threads) {
    std::promise<std::thread::id> thread;
    threads.run([&] { thread.set_value(std::this_thread::get_id()); });
    return thread.get_future().get();
}

TEST(ItemThreads, WorkThatWaitsForOtherWorkDoesNotHoldItUp) {
    constexpr int count = 8;
    ItemThreads threads;
    std::latch all(count);
    std::latch ended(count);
    for (int n = 0; n < count; ++n) {
        threads.run([&] {
            all.arrive_and_wait();
            ended.count_down();
        });
    }
    ended.wait();
}

TEST(ItemThreads, AnIdleThreadIsUsedAgain) {
    ItemThreads threads{1h};
    std::set<std::thread::id> used; // the thread is idle a moment after its work has ended
    EXPECT_TRUE(test::eventually([&] { return !used.insert(thread_of_next_work(threads)).second; }));
}

TEST(ItemThreads, TheDestructorDoesNotWaitForTheWork) {
    std::promise<void> let_go;
    std::promise<void> ended;
    {
        ItemThreads threads;
        threads.run([&, released = let_go.get_future().share()] {
            released.wait();
            ended.set_value();
        });
    }
    let_go.set_value();
    ended.get_future().wait();
}

TEST(ItemThreads, WorkIsDestroyedOnceItHasEnded) {
    ItemThreads threads{1h};
    auto owned = std::make_shared<int>();
    const std::weak_ptr<int> weak = owned;
    threads.run([owned = std::move(owned)] {});
    EXPECT_TRUE(test::eventually([&] { return weak.expired(); }));
}

} // namespace
} // namespace docent::detail
