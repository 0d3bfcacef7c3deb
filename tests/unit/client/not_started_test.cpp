// SPDX-License-Identifier: Apache-2.0
#include <docent/docent.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <tuple>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;

class NotStarted : public testing::Test {
protected:
    Client client{{.connect_string = "127.0.0.1:1", .connection_timeout = 50ms}};
    const CallOptions long_time{.timeout = 1h};

    template <typename Result> static error_code error_of(std::future<Result> result) {
        try {
            static_cast<void>(result.get());
        } catch (const boost::system::system_error& failure) {
            return failure.code();
        }
        return {};
    }
};

TEST_F(NotStarted, BlockingCallsFailAtOnce) {
    InterProcessMutex mutex(client, "/m");
    InterProcessMutex handed_on(client, "/h", {.max_local_handovers = 1});
    InterProcessSemaphore seats(client, "/s", 2);
    InterProcessMultiLock both(client, {"/a", "/b"});
    SharedCount count(client, "/count");
    NodeCache cache(client, "/cache");
    LeaderLatch latch(client, "/latch");
    PersistentNode node(client, "/node");
    GroupMember member(client, "/group", "a");
    const std::vector<std::function<void(error_code&)>> calls{
        [&](error_code& ec) { client.wait_connected(ec, long_time); },
        [&](error_code& ec) { client.get("/", {}, ec, long_time); },
        [&](error_code& ec) { client.in_namespace("app").create("/a", "", {}, ec, long_time); },
        [&](error_code& ec) { client.commit(Transaction().check("/a"), ec, long_time); },
        [&](error_code& ec) { std::ignore = mutex.acquire(ec, long_time); },
        [&](error_code& ec) { std::ignore = handed_on.acquire(ec); },
        [&](error_code& ec) { std::ignore = seats.try_acquire_for(2, 1h, ec); },
        [&](error_code& ec) { std::ignore = both.acquire(ec, long_time); },
        [&](error_code& ec) { count.start(ec, long_time); },
        [&](error_code& ec) { cache.start(ec, long_time); },
        [&](error_code& ec) { latch.await_leadership(ec, long_time); },
        [&](error_code& ec) { node.await_node(ec, long_time); },
        [&](error_code& ec) { member.members(ec, long_time); },
    };
    for (std::size_t i = 0; i < calls.size(); ++i) {
        error_code ec;
        calls[i](ec);
        EXPECT_EQ(ec, error::not_started) << i;
    }
    EXPECT_THROW(mutex.lock(), Error);
}

TEST_F(NotStarted, TheTextSaysToCallStart) {
    try {
        client.get("/a");
        FAIL();
    } catch (const Error& failure) {
        EXPECT_NE(std::string(failure.what()).find("call start() first"), std::string::npos) << failure.what();
    }
}

template <typename Lock, typename... Count> std::vector<std::string> texts_of_acquires(Lock& lock, Count... count) {
    std::vector<std::string> texts;
    const auto add_text = [&](auto call) {
        try {
            std::ignore = call();
        } catch (const Error& failure) {
            texts.emplace_back(std::string(failure.what()).substr(0, std::string(failure.what()).find(':')));
        }
    };
    add_text([&] { return lock.acquire(count...); });
    add_text([&] { return lock.acquire(count..., 1h); });
    add_text([&] { return lock.try_acquire(count...); });
    add_text([&] { return lock.try_acquire_for(count..., 1h); });
    return texts;
}

TEST_F(NotStarted, TheTextNamesTheAcquireAndTheLock) {
    InterProcessMutex mutex(client, "/m");
    InterProcessSemaphore seats(client, "/s", 2);
    InterProcessSemaphoreMutex seat(client, "/s");
    InterProcessMultiLock both(client, {"/a", "/b"});
    using Texts = std::vector<std::string>;
    EXPECT_EQ(texts_of_acquires(mutex), (Texts{"acquire /m", "acquire /m", "try_acquire /m", "try_acquire_for /m"}));
    EXPECT_EQ(texts_of_acquires(both),
              (Texts{"acquire /a, /b", "acquire /a, /b", "try_acquire /a, /b", "try_acquire_for /a, /b"}));
    const Texts of_semaphores{"acquire /s", "acquire /s", "try_acquire /s", "try_acquire_for /s"};
    EXPECT_EQ(texts_of_acquires(seat), of_semaphores);
    EXPECT_EQ(texts_of_acquires(seats), of_semaphores);
    EXPECT_EQ(texts_of_acquires(seats, 2), of_semaphores);
}

TEST_F(NotStarted, AsynchronousOperationsSaySoWhenTheirTimeIsOver) {
    InterProcessMutex mutex(client, "/m");
    EXPECT_EQ(error_of(client.async_get("/a", use_future)), error::not_started);
    EXPECT_EQ(error_of(client.async_get("/a", {}, CallOptions::within(1ms), use_future)), error::not_started);
    EXPECT_EQ(error_of(mutex.async_acquire(1ms, use_future)), error::not_started);
    EXPECT_EQ(error_of(mutex.async_try_acquire_for(1ms, use_future)), error::not_started);
}

TEST_F(NotStarted, AfterTheStartItIsTheConnectionThatIsMissing) {
    client.start();
    error_code ec;
    client.get("/a", ec);
    EXPECT_EQ(ec, error::not_connected);
}

TEST_F(NotStarted, CallsThatNeedNoServerWork) {
    EXPECT_EQ(client.session_events().next(long_time).state, client.session().state);
    LeaderLatch latch(client, "/latch");
    LeaderSelector selector(client, "/selector", [](const Lease&) {});
    PersistentNode node(client, "/node");
    EXPECT_NO_THROW(latch.close(LatchClose::silently, long_time));
    EXPECT_NO_THROW(selector.close(long_time));
    EXPECT_NO_THROW(node.close(long_time));
    client.close();
    error_code ec;
    client.get("/a", ec);
    EXPECT_EQ(ec, error::closed);
}

TEST_F(NotStarted, AnIdleExecutorMakesNoDifference) {
    boost::asio::io_context context;
    Client other{context.get_executor(), {.connect_string = "127.0.0.1:1"}};
    error_code ec;
    other.get("/a", ec);
    EXPECT_EQ(ec, error::not_started);
}

} // namespace
} // namespace docent
