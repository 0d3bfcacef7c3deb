// SPDX-License-Identifier: Apache-2.0
#include "ended_waits.hpp"
#include "eventually.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::wait_for_stop;

constexpr std::size_t item_count = 12;

class PartitionerTest : public ProxiedTest {
protected:
    explicit PartitionerTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    /// Counts the workers of each item, until it is asked to stop.
    Partitioner::Work work() {
        return [this](const std::string& item, const Lease& lease) {
            auto& here = inside.at(std::stoul(item));
            const bool alone = here.fetch_add(1) == 0;
            if (lease.owns() && !alone) ++overlaps;
            wait_for_stop(lease);
            --here;
        };
    }
    static PartitionOptions options(const std::string& id) {
        return {.id = id, .join_delay = 300ms, .leave_grace = 300ms, .stop_limit = 10s};
    }
    bool own(const std::vector<const Partitioner*>& members, std::size_t each) {
        return eventually([&] {
            return std::all_of(members.begin(), members.end(), [&](const auto* one) { return one->owned().size() == each; });
        });
    }

    std::array<std::atomic<int>, item_count> inside{};
    std::atomic<int> overlaps{0};
};

TEST_F(PartitionerTest, MembersShareAndHandOver) {
    Partitioner first(client, "/part", numbered_items(item_count), work(), options("first"));
    Partitioner second(other, "/part", numbered_items(item_count), work(), options("second"));
    EXPECT_TRUE(first.distribution().members.empty());
    first.start();
    ASSERT_TRUE(own({&first}, item_count));
    second.start();
    ASSERT_TRUE(own({&first, &second}, item_count / 2));
    const auto shared = second.async_distribution(asio::use_future).get();
    ASSERT_EQ(shared.members.size(), 2u);
    EXPECT_EQ(shared.members[0].id, "first");
    EXPECT_TRUE(shared.members[1].present);
    EXPECT_EQ(shared.members[1].items.size(), item_count / 2);
    EXPECT_EQ(shared.moves, item_count / 2);
    EXPECT_EQ(read_distribution(other, "/part"), shared);
    const auto [item, lease] = *second.owned().begin();
    EXPECT_EQ(inspect(other, "/part/items/" + item).participants.front().data, "second");
    EXPECT_GT(lease->fencing_token(), 0);

    second.close();
    EXPECT_EQ(lease->state(), LeaseState::released);
    ASSERT_TRUE(own({&first}, item_count));
    first.async_close(asio::use_future).get();
    EXPECT_EQ(overlaps, 0);
    for (const auto& each : inside) EXPECT_EQ(each, 0);
    EXPECT_THROW(first.start(), Error);
}

class CutOffPartitionerTest : public PartitionerTest {
protected:
    CutOffPartitionerTest() : PartitionerTest(Sessions::soon_lost) {}
};

TEST_F(CutOffPartitionerTest, TheItemsOfACutOffMemberMoveAndComeBack) {
    Partitioner first(client, "/part", numbered_items(item_count), work(), options("first"));
    Partitioner second(other, "/part", numbered_items(item_count), work(), options("second"));
    first.start();
    second.start();
    ASSERT_TRUE(own({&first, &second}, item_count / 2));
    proxy.black_hole();
    ASSERT_TRUE(own({&second}, item_count));
    EXPECT_TRUE(first.owned().empty());
    proxy.heal();
    ASSERT_TRUE(own({&first, &second}, item_count / 2));
    first.close();
    second.close();
    EXPECT_EQ(overlaps, 0);
}

TEST_F(PartitionerTest, CoroutinesAreCancelled) {
    std::atomic<int> running{0};
    const auto coroutine = [&](const std::string& item, Leadership) -> asio::awaitable<void> {
        ++running;
        asio::steady_timer timer{co_await asio::this_coro::executor, 24h};
        try {
            co_await timer.async_wait(asio::use_awaitable);
        } catch (...) {
            --running;
            ++inside.at(std::stoul(item)); // it lives as long as the coroutine
            throw;
        }
    };
    Partitioner member(client, "/part", numbered_items(item_count), coroutine, options("first"));
    member.start();
    ASSERT_TRUE(own({&member}, item_count));
    EXPECT_TRUE(eventually([&] { return running == static_cast<int>(item_count); }));
    member.close();
    EXPECT_EQ(running, 0);
    for (const auto& each : inside) EXPECT_EQ(each, 1);
}

TEST_F(PartitionerTest, TheWorkItselfMayCloseAndUseTheClient) {
    std::promise<void> closed;
    std::atomic<bool> first{true};
    std::unique_ptr<Partitioner> member;
    const Partitioner::Work closing = [&](const std::string& item, const Lease& lease) {
        error_code ec;
        other.create("/done-" + item, "", ec);
        if (first.exchange(false)) {
            member->close();
            closed.set_value();
        }
        wait_for_stop(lease);
        client.exists("/done-" + item, ec); // while the strand ends the item
    };
    member = std::make_unique<Partitioner>(client, "/part", numbered_items(3), closing, options("first"));
    member->start();
    closed.get_future().get();
    member->close();
    EXPECT_TRUE(member->owned().empty());
}

/// A user's function whose first call goes on until the test lets it go.
struct LongCall {
    void operator()() {
        if (called.exchange(true)) return;
        begun.set_value();
        let_go.get_future().wait();
        ended = true;
    }
    /// Begins close(), and expects that it waits for the call.
    void expect_close_waits(Partitioner& member) {
        begun.get_future().wait();
        auto closed = member.async_close(asio::use_future);
        EXPECT_TRUE(eventually([&] {
            error_code ec;
            member.start(ec);
            return ec == error::closed;
        }));
        EXPECT_EQ(closed.wait_for(50ms), std::future_status::timeout);
        let_go.set_value();
        closed.get();
        EXPECT_TRUE(ended);
    }
    std::promise<void> begun;
    std::promise<void> let_go;
    std::atomic<bool> called{false};
    std::atomic<bool> ended{false};
};

TEST_F(PartitionerTest, CloseWaitsForOnFailure) {
    asio::thread_pool pool{1};
    LongCall report;
    auto reporting = options("first");
    reporting.executor = pool.get_executor();
    reporting.on_failure = [&](const std::exception_ptr&) { report(); };
    other.create("/part", "");
    other.create("/part/plan", "of another program");
    Partitioner member(client, "/part", numbered_items(3), work(), reporting);
    member.start();
    report.expect_close_waits(member);
    pool.join();
}

TEST_F(PartitionerTest, AnAssignmentIsToldUntilClose) {
    asio::thread_pool pool{1};
    LongCall last;
    std::atomic<std::size_t> assigned{0};
    auto telling = options("first");
    telling.executor = pool.get_executor();
    Partitioner first(
        client, "/part", numbered_items(item_count),
        [&](std::vector<std::string> items) {
            assigned = items.size();
            if (items.size() == item_count / 2) last();
        },
        telling);
    first.start();
    EXPECT_TRUE(eventually([&] { return assigned == item_count; }));
    EXPECT_TRUE(first.owned().empty());
    Partitioner second(other, "/part", numbered_items(item_count), work(), options("second"));
    second.start();
    last.expect_close_waits(first);
    ASSERT_TRUE(own({&second}, item_count));
    pool.join();
    EXPECT_EQ(assigned, item_count / 2) << "nothing is told after close()";
    second.close(); // its work uses the fixture
}

TEST_F(PartitionerTest, ItemsOfAnyNameAreInTheNamespaceOfTheClient) {
    Client app = client.in_namespace("app");
    const std::vector<std::string> items{"a/b", "50 %", "..", "\xc3\xa4"};
    Partitioner member(
        app, "/part", items, [](const std::string&, const Lease& lease) { wait_for_stop(lease); }, options("first"));
    member.start();
    ASSERT_TRUE(own({&member}, items.size()));
    for (const auto& item : items) {
        EXPECT_TRUE(member.owned().contains(item)) << item;
        EXPECT_FALSE(other.children("/app" + partition_item_path("/part", item)).names.empty()) << item;
    }
    auto shown = read_distribution(app, "/part").members.at(0).items;
    std::sort(shown.begin(), shown.end());
    auto sorted = items;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(shown, sorted);
    member.close();
    for (const auto& item : items)
        EXPECT_TRUE(other.children("/app" + partition_item_path("/part", item)).names.empty()) << item;
}

TEST_F(PartitionerTest, InvalidArgumentsAreRefused) {
    const auto make = [&](std::vector<std::string> items, PartitionOptions of_member) {
        Partitioner(client, "/part", std::move(items), work(), std::move(of_member));
    };
    EXPECT_THROW(make({}, {}), Error);
    EXPECT_THROW(make({""}, {}), Error);
    EXPECT_THROW(make({"a", "a"}, {}), Error);
    EXPECT_THROW(make({std::string(256, 'x')}, {}), Error);
    std::vector<std::string> many;
    for (int i = 0; i < 4000; ++i) many.push_back(std::string(240, 'x') + std::to_string(i));
    EXPECT_THROW(make(many, {}), Error);
    EXPECT_THROW(make({"a"}, {.weight = 0}), Error);
    EXPECT_THROW(make({"a"}, {.weight = 1'000'001}), Error);
    EXPECT_THROW(make({"a"}, {.stop_limit = -1ms}), Error);
    EXPECT_THROW(Partitioner(client, "part", {"a"}, work()), Error);
}

} // namespace
} // namespace docent
