// SPDX-License-Identifier: Apache-2.0
#include "ended_waits.hpp"
#include "eventually.hpp"
#include "heard.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::wait_for_stop;

/// The failures that on_failure has received.
class HeardFailures : public test::Heard<std::string> {
public:
    std::function<void(std::exception_ptr)> handler() const {
        return [heard = test::Heard<std::string>(*this)](const std::exception_ptr& failure) {
            try {
                std::rethrow_exception(failure);
            } catch (const std::exception& e) {
                heard.add(e.what());
            }
        };
    }
};

class LeaderSelectorTest : public ProxiedTest {
protected:
    explicit LeaderSelectorTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    HeardFailures failures;

    std::vector<std::string> ids() {
        other.sync("/");
        std::vector<std::string> all;
        error_code ec;
        for (const auto& each : inspect(other, "/work", ec).participants) all.push_back(each.data);
        return all;
    }
    bool queue_is(const std::vector<std::string>& wanted) {
        return eventually([&] { return ids() == wanted; });
    }
};

TEST_F(LeaderSelectorTest, TwoTakeTurnsAndNeverBothWork) {
    std::atomic<int> inside{0};
    std::atomic<int> overlaps{0};
    std::atomic<int> turns[2]{};
    const auto work = [&](std::size_t index) {
        return [&, index](const Lease& lead) {
            if (inside.fetch_add(1) != 0 || !lead.owns()) ++overlaps;
            if (++turns[index] == 3) other.create("/done-" + std::to_string(index), ""); // a blocking call
            --inside;
        };
    };
    LeaderSelector first(client, "/work", work(0), {.id = "first", .auto_requeue = true});
    LeaderSelector second(other, "/work", work(1), {.id = "second", .auto_requeue = true});
    first.start();
    second.start();
    EXPECT_TRUE(eventually([&] { return turns[0] >= 5 && turns[1] >= 5; }));
    first.close();
    second.close();
    EXPECT_EQ(overlaps, 0);
    EXPECT_EQ(inside, 0);
    EXPECT_TRUE(queue_is({}));
    EXPECT_THROW(first.start(), Error);
    EXPECT_THROW(first.requeue(), Error);
}

TEST_F(LeaderSelectorTest, KnowsTheLeaderAndTheCandidates) {
    LeaderSelector first(client, "/work", &wait_for_stop, {.id = "first"});
    LeaderSelector second(other, "/work", &wait_for_stop);
    EXPECT_FALSE(first.leader());
    EXPECT_TRUE(first.requeue()) << "starts it";
    ASSERT_TRUE(eventually([&] { return first.has_leadership(); }));
    EXPECT_EQ(first.id(), "first");
    second.start();
    ASSERT_TRUE(eventually([&] { return second.participants().size() == 2; }));
    EXPECT_EQ(second.leader()->data, "first");
    EXPECT_EQ(second.leader()->fencing_token, first.leadership()->fencing_token());
    EXPECT_NE(second.async_participants(asio::use_future).get().back().data, "") << "the client's default data";
    EXPECT_FALSE(second.has_leadership());
    EXPECT_EQ(second.leadership(), nullptr);
    EXPECT_FALSE(second.interrupt_leadership());
    EXPECT_TRUE(first.interrupt_leadership());
    EXPECT_TRUE(eventually([&] { return second.has_leadership(); }));
    EXPECT_EQ(first.async_leader(asio::use_future).get()->node_path, second.leadership()->node_path());
    second.async_close(asio::use_future).get();
    EXPECT_TRUE(queue_is({}));
    EXPECT_THROW(LeaderSelector(client, "work", &wait_for_stop), Error);
}

struct CutOffLeaderSelectorTest : LeaderSelectorTest {
    CutOffLeaderSelectorTest() : LeaderSelectorTest(Sessions::soon_lost) {}
};

TEST_F(CutOffLeaderSelectorTest, BehindABlackHoleTheWorkIsStoppedBeforeTheNextOneBegins) {
    std::atomic<bool> stopped{false};
    std::promise<bool> both;
    LeaderSelector first(client, "/work",
                         [&](const Lease& lead) {
                             wait_for_stop(lead);
                             stopped = true;
                         },
                         {.id = "first"});
    LeaderSelector second(other, "/work", [&](const Lease&) { both.set_value(first.has_leadership() || !stopped); });
    first.start();
    ASSERT_TRUE(eventually([&] { return first.has_leadership(); }));
    second.start();
    ASSERT_TRUE(eventually([&] { return ids().size() == 2; }));
    proxy.black_hole();
    EXPECT_FALSE(both.get_future().get());
    second.close();
    proxy.heal();
    EXPECT_TRUE(queue_is({}));
}

TEST_F(LeaderSelectorTest, AnExceptionOfTheWorkIsReportedBeforeTheLeadershipEnds) {
    std::atomic<bool> led{false};
    LeaderSelector* selector = nullptr;
    LeaderSelector first(client, "/work", [](const Lease&) { throw std::runtime_error("out of paper"); },
                         {.on_failure = [&, tell = failures.handler()](const std::exception_ptr& failure) {
                             led = selector->has_leadership();
                             tell(failure);
                         }});
    selector = &first;
    first.start();
    EXPECT_TRUE(eventually([&] { return failures.all() == std::vector<std::string>{"out of paper"}; }));
    EXPECT_TRUE(led);
    EXPECT_TRUE(eventually([&] { return !first.has_leadership(); }));
    EXPECT_TRUE(first.requeue());
    EXPECT_TRUE(eventually([&] { return failures.all().size() == 2; }));
}

TEST_F(LeaderSelectorTest, WithoutAHandlerItLeavesThroughTheExecutor) {
    asio::io_context context;
    auto work_guard = asio::make_work_guard(context);
    LeaderSelector first(client, "/work", [](const Lease&) { throw std::runtime_error("out of paper"); },
                         {.executor = context.get_executor()});
    first.start();
    EXPECT_THROW(context.run(), std::runtime_error);
    first.close(); // no thread runs the executor any more, and the leadership is given up
    EXPECT_TRUE(queue_is({}));
}

TEST_F(LeaderSelectorTest, SaysThatItMayNotEnter) {
    other.create("/closed", "", {.acl = std::vector{AclEntry{Permission::read, "world", "anyone"}}});
    LeaderSelector first(client, "/closed/work", &wait_for_stop, {.on_failure = failures.handler()});
    first.start();
    EXPECT_TRUE(eventually([&] { return !failures.all().empty(); }));
    EXPECT_NE(failures.all().front().find("/closed/work"), std::string::npos) << failures.all().front();
}

TEST_F(LeaderSelectorTest, CloseWaitsForTheWorkUnlessTheWorkCallsIt) {
    std::atomic<bool> ended{false};
    std::promise<void> begun;
    LeaderSelector first(client, "/work", [&](const Lease& lead) {
        begun.set_value();
        wait_for_stop(lead);
        other.get("/"); // takes some time
        ended = true;
    });
    first.start();
    begun.get_future().get();
    first.close();
    EXPECT_TRUE(ended);
    EXPECT_TRUE(ids().empty());
    first.close();

    std::promise<bool> stopped;
    LeaderSelector* selector = nullptr;
    LeaderSelector second(client, "/work",
                          [&](const Lease& lead) {
                              selector->close();
                              wait_for_stop(lead);
                              stopped.set_value(lead.owns());
                          },
                          {.auto_requeue = true});
    selector = &second;
    second.start();
    EXPECT_TRUE(stopped.get_future().get());
    EXPECT_TRUE(queue_is({}));
}

TEST_F(LeaderSelectorTest, DestructionStopsTheWorkAndWaitsForNothing) {
    std::promise<void> begun;
    std::promise<void> may_end;
    std::promise<void> stopped;
    auto first = std::make_unique<LeaderSelector>(client, "/work", [&](const Lease& lead) {
        begun.set_value();
        wait_for_stop(lead);
        stopped.set_value();
        may_end.get_future().get();
    });
    first->start();
    begun.get_future().get();
    first.reset();
    stopped.get_future().get();
    EXPECT_EQ(ids().size(), 1u) << "nobody else leads before the work has ended";
    may_end.set_value();
    EXPECT_TRUE(queue_is({}));
}

// ---- coroutines

TEST_F(LeaderSelectorTest, ACoroutineIsCancelledAndThatIsNoFailure) {
    asio::thread_pool pool{1};
    std::promise<std::int64_t> begun;
    LeaderSelector first(client, "/work",
                         [&](Leadership lead) -> asio::awaitable<void> {
                             begun.set_value(lead->fencing_token());
                             asio::steady_timer never(co_await asio::this_coro::executor, 1h);
                             co_await never.async_wait(asio::use_awaitable);
                         },
                         {.executor = pool.get_executor(), .on_failure = failures.handler()});
    first.start();
    const auto token = begun.get_future().get();
    EXPECT_EQ(token, first.leadership()->fencing_token());
    EXPECT_TRUE(first.interrupt_leadership());
    EXPECT_TRUE(eventually([&] { return !first.has_leadership(); }));
    EXPECT_TRUE(queue_is({}));
    first.close();
    EXPECT_TRUE(failures.all().empty());
    pool.join();
}

TEST_F(LeaderSelectorTest, ACoroutineThatClosesItsSelectorDoesNotWaitForItself) {
    asio::thread_pool pool{1};
    for (const asio::any_io_executor& executor : {asio::any_io_executor(), asio::any_io_executor(pool.get_executor())}) {
        LeaderSelector* selector = nullptr;
        std::promise<error_code> closed;
        LeaderSelector first(client, "/work",
                             [&](Leadership) -> asio::awaitable<void> {
                                 co_await client.async_sync("/", asio::use_awaitable);
                                 error_code ec;
                                 selector->close(ec);
                                 closed.set_value(ec);
                             },
                             {.executor = executor});
        selector = &first;
        first.start();
        auto answer = closed.get_future();
        ASSERT_EQ(answer.wait_for(30s), std::future_status::ready) << "it waits for itself";
        EXPECT_EQ(answer.get(), error_code{});
        EXPECT_TRUE(queue_is({}));
    }
    pool.join();
}

TEST_F(LeaderSelectorTest, ACoroutineRunsOnTheClientsExecutorAndItsFailureIsTold) {
    LeaderSelector first(client, "/work",
                         [&](Leadership lead) -> asio::awaitable<void> {
                             co_await client.async_create("/by-the-leader", "", asio::use_awaitable);
                             if (lead->owns()) throw std::runtime_error("out of paper");
                         },
                         {.auto_requeue = false, .on_failure = failures.handler()});
    first.start();
    EXPECT_TRUE(eventually([&] { return failures.all() == std::vector<std::string>{"out of paper"}; }));
    EXPECT_TRUE(other.exists("/by-the-leader"));
    EXPECT_TRUE(queue_is({}));
    first.close();
}

TEST_F(LeaderSelectorTest, TheFailureHandlerOfACoroutineMayCloseTheSelector) {
    LeaderSelector* selector = nullptr;
    std::promise<error_code> closed;
    LeaderSelector first(client, "/work",
                         [&](const Leadership&) -> asio::awaitable<void> {
                             co_await client.async_sync("/", asio::use_awaitable);
                             throw std::runtime_error("out of paper");
                         },
                         {.on_failure = [&](const std::exception_ptr&) {
                             error_code ec;
                             selector->close(ec);
                             closed.set_value(ec);
                         }});
    selector = &first;
    first.start();
    auto answer = closed.get_future();
    ASSERT_EQ(answer.wait_for(30s), std::future_status::ready) << "it waits for itself";
    EXPECT_EQ(answer.get(), error_code{});
    EXPECT_TRUE(queue_is({}));
}

TEST_F(LeaderSelectorTest, ACoroutineThatIsThrownAwayWithItsExecutorEndsTheLead) {
    auto context = std::make_unique<asio::io_context>();
    std::atomic<bool> begun{false};
    LeaderSelector first(client, "/work",
                         [&](const Leadership&) -> asio::awaitable<void> {
                             begun = true;
                             asio::steady_timer never(co_await asio::this_coro::executor, 1h);
                             co_await never.async_wait(asio::use_awaitable);
                         },
                         {.executor = context->get_executor()});
    first.start();
    ASSERT_TRUE(eventually([&] {
        context->restart();
        context->poll();
        return begun.load();
    }));
    context.reset();
    EXPECT_TRUE(queue_is({}));
}

} // namespace
} // namespace docent
