// SPDX-License-Identifier: Apache-2.0

// Objects that as_default_on() makes: they work as before, and have another default completion token.

#include "eventually.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace docent {
namespace {

using docent::test::AnyServer;
using docent::test::eventually;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
const asio::use_future_t<> use_future;

template <typename Object> auto with_result(Object&& object) {
    return as_result.as_default_on(std::forward<Object>(object));
}
/// asio::use_future has no as_default_on().
struct FutureExecutor : asio::any_io_executor {
    using default_completion_token_type = asio::use_future_t<>;
    using any_io_executor::any_io_executor;
    FutureExecutor(const asio::any_io_executor& executor) : any_io_executor(executor) {}
};
template <typename Object> auto with_future(Object&& object) {
    return typename Object::template rebind_executor<FutureExecutor>::other(std::forward<Object>(object));
}

class DefaultTokensTest : public ::testing::Test {
protected:
    AnyServer server;
    asio::io_context io;

    Client make_client() const {
        Client client{{.connect_string = server.connect_string()}};
        client.start();
        return client;
    }
    /// Runs a coroutine to its end. An exception fails the test.
    void run(asio::awaitable<void> work) {
        auto done = asio::co_spawn(io, std::move(work), use_future);
        io.run();
        EXPECT_NO_THROW(done.get());
    }
};

TEST_F(DefaultTokensTest, AreTakenByAClientAndItsObjects) {
    run([](Client plain) -> asio::awaitable<void> {
        const auto executor = plain.get_executor();
        auto client = with_result(std::move(plain));
        EXPECT_EQ(asio::any_io_executor(client.get_executor()), executor);

        const auto [missing, nothing] = co_await client.async_get("/x");
        EXPECT_EQ(missing, server_error::no_node);
        const auto [ec, made] = co_await client.async_create("/app");
        EXPECT_FALSE(ec);

        auto view = client.in_namespace("app");
        const auto [below, node] = co_await view.async_create("/x", "data", {}, {.timeout = std::chrono::seconds(30)});
        EXPECT_EQ(client.get("/app/x").data, "data");

        auto events = client.session_events();
        const auto [no_event, event] = co_await events.async_next();
        EXPECT_EQ(event.state, SessionState::connected);

        auto [unread, read] = co_await client.async_get_watched("/app/x");
        auto watch = with_result(std::move(read.watch));
        client.set("/app/x", "other");
        const auto [unheard, news] = co_await watch.async_wait();
        EXPECT_EQ(news.type, WatchEventType::data_changed);

        const NodeData thrown = co_await client.async_get("/app/x", asio::use_awaitable); // an explicit token has priority
        EXPECT_EQ(thrown.data, "other");
        const auto [uninspected, inspection] = co_await async_inspect(client, "/app");
        EXPECT_FALSE(uninspected);
    }(make_client()));
}

TEST_F(DefaultTokensTest, AreTakenByLocksAndLeases) {
    run([](Client plain) -> asio::awaitable<void> {
        auto client = with_result(std::move(plain));
        auto mutex = with_result(InterProcessMutex(client, "/mutex"));
        auto semaphore = with_result(InterProcessSemaphore(client, "/semaphore", 3));
        auto one = with_result(InterProcessSemaphoreMutex(client, "/one"));
        auto sides = with_result(InterProcessReadWriteLock(client, "/sides"));
        auto all = with_result(InterProcessMultiLock({mutex, semaphore, one, sides.read_lock()}));

        auto [ec, both] = co_await all.async_try_acquire();
        EXPECT_FALSE(ec);
        const auto [taken, nobody] = co_await one.async_try_acquire();
        EXPECT_EQ(taken, error::not_acquired);
        auto held = with_result(std::move(both));
        const auto [unreleased] = co_await held.async_release();
        EXPECT_FALSE(unreleased);

        const auto [none, permits] = co_await semaphore.async_acquire(2);
        EXPECT_EQ(permits.size(), 2u);
        const auto [unknown, usage] = co_await semaphore.async_usage();
        EXPECT_EQ(usage.out, 2);
        auto [unwritten, written] = co_await sides.write_lock().async_acquire();
        auto write = with_result(std::move(written));
        const auto [undowngraded, read] = co_await write.async_downgrade();
        EXPECT_TRUE(read.owns());
    }(make_client()));
}

TEST_F(DefaultTokensTest, MakeAnotherObjectOfTheSameLock) {
    const Client client = make_client();
    auto& user = const_cast<Client&>(client);
    InterProcessMutex mutex(user, "/mutex");
    auto rebound = with_future(std::move(mutex));
    {
        const std::scoped_lock hold(mutex);
        EXPECT_TRUE(rebound.is_owned_by_current_thread());
    }
    const Lease lease = rebound.async_acquire().get();
    EXPECT_EQ(mutex.try_acquire(), std::nullopt);

    InterProcessReadWriteLock sides(user, "/sides");
    auto rebound_sides = with_future(std::move(sides));
    sides.lock();
    EXPECT_TRUE(rebound_sides.write_lock().is_owned_by_current_thread());
    rebound_sides.unlock();

    InterProcessSemaphoreMutex one(user, "/one");
    auto rebound_one = with_future(std::move(one));
    one.lock();
    EXPECT_TRUE(rebound_one.is_locked());
    rebound_one.unlock();
    EXPECT_FALSE(one.is_locked());
}

TEST_F(DefaultTokensTest, KeepAValueFollowedAsLongAsOneOfBothIsThere) {
    Client client = make_client();
    auto value = std::make_optional<SharedValue>(client, "/value", "seed");
    auto rebound = with_future(std::move(*value));
    rebound.async_start().get();
    value.reset();
    client.set("/value", "news");
    EXPECT_TRUE(eventually([&] { return rebound.get().value == "news"; }));

    auto count = with_future(SharedCount(client, "/count", 7));
    count.async_start().get();
    EXPECT_EQ(count.async_set(8).get().count, 8);
    EXPECT_TRUE(count.async_try_set(count.get(), 9).get());
}

TEST_F(DefaultTokensTest, KeepANodeAsLongAsOneOfBothIsThere) {
    Client client = make_client();
    {
        auto node = std::make_optional<PersistentNode>(client, "/node", PersistentNodeOptions{.data = "seed"});
        auto rebound = with_future(std::move(*node));
        EXPECT_EQ(rebound.async_await_node().get(), "/node");
        node.reset();
        EXPECT_NO_THROW(rebound.async_set_data("news").get());
        EXPECT_TRUE(client.exists("/node"));
        EXPECT_EQ(client.get("/node").data, "news");
    }
    EXPECT_TRUE(eventually([&] { return !client.exists("/node"); }));
}

TEST_F(DefaultTokensTest, MayChangeAgain) {
    auto client = with_future(with_result(make_client()));
    EXPECT_EQ(client.async_create("/a").get().path, "/a");
    auto same = std::move(client);
    EXPECT_EQ(same.async_get("/a").get().stat.version, 0);
    EXPECT_THROW(client.async_get("/a").get(), boost::system::system_error); // NOLINT(bugprone-use-after-move)
    Client plain(std::move(same));
    EXPECT_TRUE(plain.exists("/a"));
}

} // namespace
} // namespace docent
