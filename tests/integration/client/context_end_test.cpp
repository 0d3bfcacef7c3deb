// SPDX-License-Identifier: Apache-2.0

// Operations when the context of the client's executor is destroyed.

#include "clients.hpp"
#include "eventually.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>
#include <docent/recipes/leader_latch.hpp>

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <memory>
#include <optional>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::AnyServer;
using docent::test::eventually;

/// Runs the context until `condition()` holds.
template <typename Condition> bool run_until(asio::io_context& context, Condition condition) {
    return eventually([&] {
        context.restart();
        context.run_for(5ms);
        return condition();
    });
}

class ContextEnd : public ::testing::Test {
protected:
    AnyServer server;
    ClientConfig config{.connect_string = server.connect_string(), .session_timeout = 10s};
    std::shared_ptr<int> owned = std::make_shared<int>(0); // each handler has a copy

    /// A handler that must not be called.
    auto never() {
        return [owned = owned](auto&&...) { ADD_FAILURE() << "called after its context"; };
    }
    /// Expects that no handler is left.
    void expect_destroyed() { EXPECT_EQ(owned.use_count(), 1) << "handlers, and what they belong to, are left"; }
};

TEST_F(ContextEnd, DestroysTheHandlerOfAWaitForALoss) {
    {
        asio::io_context context;
        Client client{context.get_executor(), config};
        client.start();
        InterProcessMutex mutex(client, "/lock");
        std::optional<Lease> lease;
        mutex.async_acquire([&](error_code, Lease granted) { lease = std::move(granted); });
        ASSERT_TRUE(run_until(context, [&] { return lease.has_value(); }));
        lease->async_wait_lost(never());
        context.restart();
        context.run_for(20ms);
    }
    expect_destroyed();
}

TEST_F(ContextEnd, DestroysTheHandlersOfWaitingCalls) {
    Client holder = started(config);
    const Lease held = InterProcessMutex(holder, "/lock").acquire();
    const Lease permit = InterProcessSemaphore(holder, "/permits", 1).acquire();
    LeaderLatch leader(holder, "/latch");
    leader.start();
    leader.await_leadership();
    holder.create("/n");
    {
        asio::io_context context;
        Client client{context.get_executor(), config};
        client.start();
        InterProcessMutex(client, "/lock").async_acquire(never());
        InterProcessSemaphore(client, "/permits", 1).async_acquire(never());
        LeaderLatch latch(client, "/latch");
        latch.start();
        latch.async_await_leadership(never());
        auto events = client.session_events();
        std::optional<Watch> watch;
        client.async_get_watched("/n", [&](error_code, Watched<NodeData> seen) {
            watch = std::move(seen.watch);
            watch->async_wait(never());
        });
        ASSERT_TRUE(run_until(context, [&] { return watch && holder.children("/lock").names.size() == 2; }));
        client.async_get("/n", never());
    }
    expect_destroyed();
    EXPECT_TRUE(eventually([&] { return holder.children("/lock").names.size() == 1; })) << "the session has ended with it";
}

TEST_F(ContextEnd, DestroysTheHandlersOfAClientThatIsNotConnected) {
    {
        asio::io_context context;
        Client client{context.get_executor(), {.connect_string = "127.0.0.1:1"}};
        client.async_get("/n", never()); // the client is not started
        context.run_for(5ms);
        client.start();
        client.async_create("/n", never());
        InterProcessMutex(client, "/lock").async_acquire(never());
        context.restart();
        context.run_for(20ms);
        client.async_get("/n", never()); // the call has not begun
    }
    expect_destroyed();
}

TEST_F(ContextEnd, DestroysTheHandlersOfAThreadPool) {
    {
        asio::thread_pool pool(2);
        Client client{pool.get_executor(), config};
        client.start();
        InterProcessMutex mutex(client, "/lock");
        const Lease lease = mutex.acquire();
        lease.async_wait_lost(never());
        mutex.async_acquire(never());
        client.get("/");
        pool.stop();
        pool.join();
    }
    expect_destroyed();
}

} // namespace
} // namespace docent
