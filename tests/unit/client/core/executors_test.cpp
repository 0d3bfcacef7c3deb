// SPDX-License-Identifier: Apache-2.0
#include "client/core/completion/completion.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace docent::detail {
namespace {

bool in_pool(asio::thread_pool& pool, std::function<bool()> function) {
    bool answer = false;
    asio::post(pool, [&] { answer = function(); });
    pool.join();
    return answer;
}

TEST(Executors, KnowTheirThreadsThroughStrandsAndTrackedWork) {
    asio::thread_pool pool{1};
    const auto plain = pool.get_executor();
    asio::any_io_executor tracked = asio::require(plain, asio::execution::outstanding_work.tracked);
    const asio::any_io_executor strand = asio::make_strand(plain);
    const asio::any_io_executor erased = asio::make_strand(asio::any_io_executor(strand));
    for (const auto& executor : {asio::any_io_executor(plain), tracked, strand, erased}) {
        EXPECT_FALSE(runs_in_this_thread(executor));
    }
    EXPECT_TRUE(in_pool(pool, [&] {
        const bool knows = runs_in_this_thread(tracked);
        tracked = {}; // joins the pool
        return knows && runs_in_this_thread(plain) && runs_in_this_thread(strand) && runs_in_this_thread(erased);
    }));
}

TEST(Executors, LieBelowTheirStrands) {
    asio::io_context context;
    const asio::any_io_executor below = context.get_executor();
    EXPECT_EQ(below_strands(below), below);
    EXPECT_EQ(below_strands(asio::make_strand(context.get_executor())), below);
    EXPECT_EQ(below_strands(asio::make_strand(asio::any_io_executor(asio::make_strand(below)))), below);
}

TEST(Executors, AreKnownToQueueOrNot) {
    asio::io_context context;
    asio::thread_pool pool{1};
    EXPECT_TRUE(is_queue(asio::any_io_executor(context.get_executor())));
    EXPECT_TRUE(is_queue(pool.get_executor()));
    EXPECT_TRUE(is_queue(asio::make_strand(asio::any_io_executor(pool.get_executor()))));
    EXPECT_FALSE(is_queue(asio::system_executor()));
    EXPECT_FALSE(is_queue(asio::make_strand(asio::system_executor())));
}

} // namespace
} // namespace docent::detail
