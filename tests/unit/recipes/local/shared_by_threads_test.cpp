// SPDX-License-Identifier: Apache-2.0
#include "local/shared_by_threads.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace docent::detail {
namespace {

TEST(SharedByThreads, NothingIsSharedAtFirst) {
    EXPECT_EQ(SharedByThreads<int>{}.here(), nullptr);
}

TEST(SharedByThreads, AllThreadsShareOneObject) {
    const auto object = std::make_shared<int>(7);
    SharedByThreads<int> shared;
    shared.share(object);
    EXPECT_EQ(shared.here(), object);
    std::thread([&] { EXPECT_EQ(shared.here(), object); }).join();
}

TEST(SharedByThreads, WhatAThreadOwnsOutlivesTheRest) {
    auto object = std::make_shared<int>(7);
    const std::weak_ptr<int> life = object;
    SharedByThreads<int> shared;
    shared.share(object);
    auto owned = shared.here();
    shared.reset();
    object.reset();
    EXPECT_EQ(shared.here(), nullptr);
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
