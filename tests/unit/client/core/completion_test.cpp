// SPDX-License-Identifier: Apache-2.0

// How handlers are called: with their associated executor, allocator and cancellation slot.

#include "client/core/completion/completion.hpp"
#include "client/core/launch.hpp"
#include "client/operations/request_operation.hpp"
#include "fake_world.hpp"

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <utility>

namespace docent::detail {
namespace {

/// Counts the blocks that are allocated and not freed.
class CountingResource : public std::pmr::memory_resource {
public:
    int taken = 0;
    int open = 0;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        ++taken;
        ++open;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        --open;
        std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

class CompletionTest : public ::testing::Test {
protected:
    FakeWorld world{1, 1, "/lock"};

    void read(Handler<> handler, zk::Request request = zk::ExistsRequest{"/a"}) {
        launch<>(world.share(0), {}, {}, std::move(handler), [&](const auto& view, Done<> done) {
            return std::make_shared<RequestOperation>(view, std::move(request),
                                                      [done](error_code ec, const zk::Reply&) { done(ec); });
        });
    }
};

TEST_F(CompletionTest, IsOnTheHandlersExecutor) {
    asio::io_context context;
    const auto strand = asio::make_strand(context);
    bool called = false;
    read(asio::bind_executor(strand, [&](error_code) { called = strand.running_in_this_thread(); }));
    EXPECT_TRUE(world.run_until([&] { return context.poll() > 0; }));
    EXPECT_TRUE(called);
}

TEST_F(CompletionTest, WaitsInMemoryOfTheHandlersAllocatorAndGivesItBackBeforeTheCall) {
    CountingResource memory;
    std::optional<int> open;
    const std::pmr::polymorphic_allocator<> allocator(&memory);
    read(asio::bind_allocator(allocator, [&](error_code) { open = memory.open; }));
    EXPECT_TRUE(world.run_until([&] { return open.has_value(); }));
    EXPECT_EQ(open, 0);
    EXPECT_GE(memory.taken, 1);
}

TEST_F(CompletionTest, LeavesNothingInTheCancellationSlot) {
    auto shared = std::make_unique<FakeWorld>(1, 1, "/lock");
    const std::weak_ptr<FakeClient> client = shared->share(0);
    asio::cancellation_signal signal;
    bool called = false;
    launch<>(client.lock(), {}, {}, Handler<>(asio::bind_cancellation_slot(signal.slot(), [&](error_code) { called = true; })),
             [](const auto& view, Done<> done) {
                 return std::make_shared<RequestOperation>(view, zk::ExistsRequest{"/a"},
                                                           [done](error_code ec, const zk::Reply&) { done(ec); });
             });
    EXPECT_TRUE(shared->run_until([&] { return called; }));
    shared.reset();
    EXPECT_TRUE(client.expired());
    signal.emit(asio::cancellation_type::terminal);
}

TEST_F(CompletionTest, TotalCancellationEndsOnlyCallsWithoutEffect) {
    const auto outcome = [this](zk::Request request, bool sent, asio::cancellation_type type) {
        asio::cancellation_signal signal;
        std::optional<error_code> ended;
        const auto requests = world.client(0).requests_sent();
        read(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec) { ended = ec; }), std::move(request));
        EXPECT_TRUE(!sent || world.run_until([&] { return world.client(0).requests_sent() > requests; }));
        signal.emit(type);
        while (world.client(0).can_run_posted()) world.client(0).run_posted(); // before the answer arrives
        EXPECT_TRUE(world.run_until([&] { return ended.has_value(); }));
        return ended;
    };
    EXPECT_TRUE(world.run_until([&] { return world.client(0).linked(); }));
    const error_code aborted = asio::error::operation_aborted;
    const zk::RemoveRequest write{"/nothing"};
    EXPECT_EQ(outcome(write, true, asio::cancellation_type::total), server_error::no_node);
    EXPECT_EQ(outcome(write, true, asio::cancellation_type::partial), aborted);
    EXPECT_EQ(outcome(write, true, asio::cancellation_type::all), aborted);
    EXPECT_EQ(outcome(zk::ExistsRequest{"/nothing"}, true, asio::cancellation_type::total), aborted);
    world.client(0).unreachable = true;
    world.client(0).break_link();
    EXPECT_EQ(outcome(write, false, asio::cancellation_type::total), aborted) << "it waits for a connection";
}

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
