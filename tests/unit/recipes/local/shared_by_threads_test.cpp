// SPDX-License-Identifier: Apache-2.0
#include "local/shared_by_threads.hpp"

#include "in_threads.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace docent::detail {
namespace {

TEST(SharedByThreads, NothingIsSharedAtFirst) {
    const auto other = std::make_shared<int>(8);
    EXPECT_EQ(SharedByThreads<int>{}.here_or(other), other);
}

TEST(SharedByThreads, AsManyThreadsAsThereAreKindsAreOneOfEach) {
    std::set<std::size_t> kinds;
    std::mutex mutex;
    test::in_threads(static_cast<int>(kinds_of_threads), [&](int) {
        const std::size_t kind = kind_of_this_thread();
        EXPECT_EQ(kind_of_this_thread(), kind);
        const std::lock_guard lock(mutex);
        kinds.insert(kind);
    });
    EXPECT_EQ(kinds.size(), kinds_of_threads);
}

TEST(SharedByThreads, AllThreadsShareOneObject) {
    const auto object = std::make_shared<int>(7);
    const SharedByThreads<int> shared(object);
    EXPECT_EQ(shared.here_or(nullptr), object);
    std::thread([&] { EXPECT_EQ(shared.here_or(nullptr), object); }).join();
}

TEST(SharedByThreads, AThreadsShareOutlivesTheObject) {
    auto object = std::make_shared<int>(7);
    const std::weak_ptr<int> life = object;
    SharedByThreads<int> shared(object);
    auto owned = shared.here_or(nullptr);
    shared.reset();
    object.reset();
    EXPECT_EQ(shared.here_or(nullptr), nullptr);
    ASSERT_FALSE(life.expired());
    EXPECT_EQ(*owned, 7);
    owned.reset();
    EXPECT_TRUE(life.expired());
}

TEST(SharedByThreads, CountsItsReferencesElsewhere) {
    const auto object = std::make_shared<int>(7);
    const auto apart = counted_apart(object);
    const auto count = object.use_count();
    const auto another = apart; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(object.use_count(), count);
    EXPECT_EQ(apart.use_count(), 2);
}

} // namespace
} // namespace docent::detail
