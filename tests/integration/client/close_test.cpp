// SPDX-License-Identifier: Apache-2.0

// The things that closing a client waits for, and those that it leaves.

#include "clients.hpp"
#include "eventually.hpp"
#include "names_in.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_multi_lock.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>
#include <docent/recipes/leader_latch.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::AnyServer;
using docent::test::eventually;
using docent::testing::Direction;
using docent::testing::FaultProxy;
using docent::testing::Opcode;

TEST(Close, BoundedWhenTheServerIsSilent) {
    AnyServer server({.tick_time = 100ms}); // grants sessions of 1 s
    Client client = started({.connect_string = server.connect_string(), .session_timeout = 2s});
    client.wait_connected();
    server.pause();
    const auto begin = std::chrono::steady_clock::now();
    client.close();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, generous); // the C client waits up to 4.5 s
    server.resume();
}

/// If answers were left unread, the kernel would reset the connection, and the request that ends the session could be lost.
TEST(Close, AwaitsAnswersSoThatTheServerHearsOfIt) {
    AnyServer server({.max_session_timeout = 300s});
    Client watcher = started({.connect_string = server.connect_string()});
    watcher.create("/n");
    constexpr int count = 200; // more than arrive at once, fewer than a busy server answers in a second
    std::atomic<int> completed = 0;
    std::atomic<int> made = 0;
    {
        Client client = started({.connect_string = server.connect_string(), .session_timeout = 200s});
        client.create("/e", "", {.mode = CreateMode::ephemeral});
        for (int i = 0; i < count; ++i) {
            client.async_create("/n/" + std::to_string(i), "", {}, [&](error_code ec, const Created&) {
                ++completed;
                if (!ec) ++made;
            });
        }
    }
    EXPECT_EQ(completed, count);
    watcher.sync();
    EXPECT_GE(watcher.children("/n").stat.num_children, made);
    if (made < count) return; // the server was too busy even for these: then the node stays until the session expires
    auto ephemeral = watcher.exists_watched("/e");
    if (!ephemeral.value) return;
    EXPECT_EQ(ephemeral.watch.wait({.timeout = generous}).type, WatchEventType::deleted);
}

/// This holds although a namespace view keeps the client's core alive for longer.
TEST(Close, EveryHandlerHasBeenCalledWhenAClientIsGoneOrAnotherOneTakesItsPlace) {
    AnyServer server;
    std::vector<Client> views;
    constexpr int count = 5000;
    std::atomic<int> completed = 0;
    const auto ask = [&](Client& client) {
        client.start();
        views.push_back(client.in_namespace("a"));
        for (int i = 0; i < count; ++i) client.async_exists("/n", {}, [&](error_code, const auto&) { ++completed; });
    };
    {
        Client client{{.connect_string = server.connect_string()}};
        ask(client);
        client = Client{{.connect_string = server.connect_string()}};
        EXPECT_EQ(completed, count);
        ask(client);
    }
    EXPECT_EQ(completed, 2 * count);
}

/// The stop token of a lease fires while the client is being closed.
TEST(Close, HandlersOfCallsThatAStopCallbackMakesHaveBeenCalledWhenTheClientIsGone) {
    AnyServer server;
    std::optional<Client> client(std::in_place, ClientConfig{.connect_string = server.connect_string()});
    client->start();
    Client view = client->in_namespace("a");
    const Lease lease = InterProcessMutex(*client, "/lock").acquire();
    constexpr int count = 20'000; // far more than the server answers before this thread wakes
    std::atomic<int> completed = 0;
    const std::stop_callback ask(lease.stop_token(), [&] {
        for (int n = 0; n < count; ++n) view.async_exists("/n", {}, [&](error_code, const auto&) { ++completed; });
    });
    client.reset();
    EXPECT_EQ(completed, count);
}

/// The close waits for the handler, up to a limit.
TEST(Close, ASlowHandlerHasReturnedWhenTheClientIsGone) {
    AnyServer server;
    std::atomic<bool> client_is_gone = false;
    std::atomic<bool> has_returned = false;
    {
        Client client = started({.connect_string = server.connect_string()});
        client.async_exists("/n", {}, [&](error_code, const auto&) {
            test::eventually([&] { return client_is_gone.load(); }, 300ms);
            has_returned = true;
        });
    }
    EXPECT_TRUE(has_returned);
    client_is_gone = true;
    EXPECT_TRUE(test::eventually([&] { return has_returned.load(); })); // the handler uses variables of this test
}

TEST(Close, AHandlerMayEndTheClient) {
    AnyServer server;
    auto client = std::make_unique<Client>(ClientConfig{.connect_string = server.connect_string()});
    client->start();
    std::promise<void> over;
    client->async_exists("/n", {}, [&](error_code, const auto&) {
        client.reset();
        over.set_value();
    });
    over.get_future().wait();
}

/// Returns true if one of many clients took less than a second to close with a request under way, while `meanwhile(proxy)`
/// happened. A client that waits in vain for answers takes longer each time; on a busy machine any client may.
bool can_close_within_a_second(const auto& meanwhile) {
    AnyServer server;
    for (int i = 0; i < 50; ++i) {
        FaultProxy proxy(server.port());
        Client client = started({.connect_string = proxy.connect_string(), .ensemble_tracking = EnsembleTracking::off});
        client.wait_connected();
        proxy.black_hole(Direction::to_client);
        auto answer = client.async_exists("/", boost::asio::use_future);
        EXPECT_TRUE(eventually([&] { return proxy.requests(Opcode::exists) == 1u; }));
        const auto begin = std::chrono::steady_clock::now();
        auto closed = client.async_close(boost::asio::use_future);
        EXPECT_TRUE(eventually([&client] {
            error_code ec;
            client.get("/", ec, {.timeout = 1ms});
            return ec == error::closed; // the close has begun
        }));
        meanwhile(proxy);
        closed.get();
        const auto took = std::chrono::steady_clock::now() - begin;
        answer.wait();
        if (took < 1s) return true;
    }
    return false;
}

TEST(Close, EndsWithTheLastAnswer) {
    EXPECT_TRUE(can_close_within_a_second([](FaultProxy& proxy) { proxy.heal(); }));
}

TEST(Close, EndsWithTheConnectionWhenAnswersAreDue) {
    EXPECT_TRUE(can_close_within_a_second([](FaultProxy& proxy) { proxy.cut(); }));
}

TEST(Close, DoesNotAwaitAnswersForLong) {
    AnyServer server({.max_session_timeout = 300s});
    FaultProxy proxy(server.port());
    Client client = started({.connect_string = proxy.connect_string(), .session_timeout = 200s});
    client.wait_connected();
    proxy.black_hole(Direction::to_client);
    auto answer = client.async_get("/", boost::asio::use_future);
    EXPECT_TRUE(eventually([&] { return proxy.requests(Opcode::get) >= 1u; }));
    const auto begin = std::chrono::steady_clock::now();
    client.close();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s) << "it would be silent for minutes";
    EXPECT_THROW(answer.get(), boost::system::system_error);
}

TEST(Close, IsFinal) {
    AnyServer server;
    Client client = started({.connect_string = server.connect_string()});
    client.close();
    client.close();
    EXPECT_EQ(failure_of([&] { client.start(); }).code, error::closed) << "a closed client cannot be started again";
}

// A holder must hear of the end before the next contender can be admitted.

/// The locks of a client that will be closed, and the state that another client sees when each stop token fires.
class CloseWithLocks : public ::testing::Test {
protected:
    CloseWithLocks() { other.start(); }

    ClientConfig config() { return {.connect_string = proxy.connect_string(), .session_timeout = 10s}; }

    /// Checks that the node of the lease still exists when its holder is told to stop.
    void watch(const Lease& lease) {
        watch(lease.stop_token(), lease.node_path(), [&lease] { return lease.owns(); });
    }
    void watch(const std::stop_token& stop, std::string node, std::function<bool()> owns) {
        ++watched;
        callbacks.emplace_back(stop, [this, node = std::move(node), owns = std::move(owns)] {
            EXPECT_FALSE(owns());
            EXPECT_TRUE(other.exists(node)) << node << " has gone before its holder was told";
            ++told;
        });
    }

    AnyServer server;
    FaultProxy proxy{server.port()};
    Client other{{.connect_string = server.connect_string()}};
    std::list<std::stop_callback<std::function<void()>>> callbacks;
    int watched = 0;
    std::atomic<int> told = 0;
};

TEST_F(CloseWithLocks, HoldersOfAllKindsHearBeforeTheSessionEnds) {
    Client client = started(config());
    InterProcessMutex mutex(client, "/mutex");
    InterProcessMutex kept(client, "/kept", {.keep_for = 60s});
    InterProcessSemaphore semaphore(client, "/semaphore", 2);
    InterProcessMultiLock multi(client, {"/first", "/second"});
    LeaderLatch latch(client, "/latch");
    const Lease first = mutex.acquire();
    const Lease second = kept.acquire();
    const Lease third = semaphore.acquire();
    const MultiLease both = multi.acquire();
    latch.start();
    const auto lead = latch.await_leadership();
    for (const Lease* lease : {&first, &second, &third, &*lead}) watch(*lease);
    for (const Lease& lease : both.leases()) watch(both.stop_token(), lease.node_path(), [&both] { return both.owns(); });
    client.close();
    EXPECT_EQ(told, watched);
    EXPECT_FALSE(other.exists(first.node_path()));
}

TEST_F(CloseWithLocks, HoldersHearBeforeTheSessionEndsThoughNoAnswerComes) {
    Client client = started(config());
    InterProcessMutex mutex(client, "/mutex");
    const Lease lease = mutex.acquire();
    watch(lease);
    proxy.black_hole(Direction::to_client);
    client.close();
    EXPECT_EQ(told, watched);
}

TEST_F(CloseWithLocks, HoldersHearBeforeTheDestructorEndsTheSession) {
    std::optional<Lease> lease;
    {
        Client client = started(config());
        InterProcessMutex mutex(client, "/mutex");
        lease = mutex.acquire();
        watch(*lease);
    }
    EXPECT_EQ(told, watched);
}

TEST_F(CloseWithLocks, HoldersHearBeforeTheUsersExecutorEndsTheSession) {
    boost::asio::io_context context;
    auto work = boost::asio::make_work_guard(context);
    std::thread thread([&] { context.run(); });
    {
        Client client(context.get_executor(), config());
        client.start();
        InterProcessMutex mutex(client, "/mutex");
        const Lease lease = mutex.acquire();
        watch(lease);
        client.async_close(boost::asio::use_future).get();
        EXPECT_EQ(told, watched);
    }
    work.reset();
    thread.join();
}

TEST_F(CloseWithLocks, HoldersHearWhenItIsClosedDuringAReconnect) {
    Client client = started(config());
    InterProcessMutex mutex(client, "/mutex");
    const Lease lease = mutex.acquire();
    watch(lease);
    SessionWatcher watcher(client);
    proxy.refuse();
    proxy.cut();
    watcher.until(SessionState::suspended);
    client.close();
    EXPECT_EQ(told, watched);
}

TEST(Close, LeavesNoThread) {
    const auto threads = [] { return std::ssize(docent::test::names_in("/proc/self/task")); };
    AnyServer server;
    std::atomic<pid_t> first = 0; // with the first thread, ThreadSanitizer starts a thread of its own
    std::thread([&] { first = ::gettid(); }).join();
    ASSERT_TRUE(eventually([&] { return !std::filesystem::exists("/proc/self/task/" + std::to_string(first)); }));
    const auto before = threads();
    for (int i = 0; i < 5; ++i) {
        Client client = started({.connect_string = server.connect_string()});
        client.wait_connected();
        EXPECT_TRUE(eventually([&] { return threads() == before + 1; })) << "all of it runs there";
        client.close();
    }
    EXPECT_TRUE(eventually([&] { return threads() == before; })) << threads() - before << " threads are left";
}

/// main() may return then. OpenSSL, for example, must not be used while the process exits.
TEST(Close, TheThreadsEndBeforeTheDestructorReturns) {
    struct AtEnd {
        std::shared_ptr<std::atomic<bool>> has_ended;
        ~AtEnd() { *has_ended = true; }
    };
    for (int i = 0; i < 1'000; ++i) {
        const auto has_ended = std::make_shared<std::atomic<bool>>(false);
        {
            Client client;
            client.async_get("/a", [has_ended](const auto&...) { thread_local const AtEnd at_end{has_ended}; });
        }
        ASSERT_TRUE(*has_ended) << "round " << i;
    }
}

} // namespace
} // namespace docent
