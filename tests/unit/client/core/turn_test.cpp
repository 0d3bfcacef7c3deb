// SPDX-License-Identifier: Apache-2.0

// Who is on the strand: the client's thread, or one that makes a blocking call. One at a time, and in the order of the posts.

#include "client/core/completion/io_thread.hpp"
#include "client/core/completion/turn_executor.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

/// Says on which thread it was dropped.
class Dropped {
public:
    explicit Dropped(std::function<void()> on_drop) : on_drop_(std::make_shared<std::function<void()>>(std::move(on_drop))) {}
    ~Dropped() {
        if (on_drop_.use_count() == 1) (*on_drop_)();
    }
    Dropped(const Dropped&) = default;
    Dropped(Dropped&&) = default;
    Dropped& operator=(const Dropped&) = delete;

private:
    std::shared_ptr<std::function<void()>> on_drop_;
};

class TurnTest : public ::testing::Test {
protected:
    ~TurnTest() override { finish(); }

    bool try_run(std::function<void()> function) { return turn->try_run(function); }
    /// On this thread, as soon as the other one has ended its turn, which has nothing more to do.
    void run_here(std::function<void()> function) {
        while (!turn->try_run(function)) std::this_thread::yield();
    }
    void post(std::function<void()> function) { asio::post(strand, std::move(function)); }

    /// Until all that was posted before has been run.
    void finish() {
        std::promise<void> done;
        post([&] { done.set_value(); });
        done.get_future().wait();
    }

    /// The client's thread has the turn until let_go().
    void occupy() {
        std::promise<void> begun;
        post([&] {
            begun.set_value();
            may_end.get_future().wait();
        });
        begun.get_future().wait();
    }
    void let_go() { may_end.set_value(); }

    IoThread thread;
    std::shared_ptr<Turn> turn = std::make_shared<Turn>(thread.executor());
    asio::any_io_executor strand = TurnExecutor(thread.executor(), turn);
    std::promise<void> may_end;
    std::vector<int> order;
    const std::thread::id here = std::this_thread::get_id();
};

TEST_F(TurnTest, IsTakenByWhoFindsItFree) {
    std::thread::id ran_by;
    run_here([&] {
        ran_by = std::this_thread::get_id();
        EXPECT_TRUE(turn->is_ours());
        EXPECT_TRUE(Turn::is_lent_here());
    });
    EXPECT_EQ(ran_by, here);
    EXPECT_FALSE(turn->is_ours());
    EXPECT_FALSE(Turn::is_lent_here());
}

TEST_F(TurnTest, WhatIsPostedBelongsToTheClientsThread) {
    std::promise<bool> ours;
    post([&] { ours.set_value(turn->is_ours() && !turn->is_lent() && std::this_thread::get_id() != here); });
    EXPECT_TRUE(ours.get_future().get());
}

TEST_F(TurnTest, WhatIsPostedWithinComesBehindItAndBeforeOthers) {
    run_here([&] {
        post([&] {
            order.push_back(2);
            post([&] { order.push_back(4); });
        });
        post([&] { order.push_back(3); });
        asio::dispatch(strand, [&] { order.push_back(1); });
    });
    EXPECT_EQ(order, (std::vector{1, 2, 3, 4})) << "all before it returned, on this thread";
}

TEST_F(TurnTest, WhatPostsItselfForEverDoesNotKeepTheCallerForEver) {
    int left = 1'000;
    std::promise<std::thread::id> last;
    std::function<void()> again = [&] {
        if (--left > 0) post(again);
        else last.set_value(std::this_thread::get_id());
    };
    run_here([&] { post(again); });
    EXPECT_NE(last.get_future().get(), here);
}

TEST_F(TurnTest, OneThatIsTakenIsNotWaitedFor) {
    occupy();
    EXPECT_FALSE(try_run([&] { ADD_FAILURE() << "two on the strand"; }));
    let_go();
}

TEST_F(TurnTest, NothingThatWasPostedIsOvertaken) {
    occupy();
    post([&] { order.push_back(1); });
    const auto call = [&] { order.push_back(2); };
    if (!try_run(call)) post(call);
    let_go();
    finish();
    EXPECT_EQ(order, (std::vector{1, 2}));

    // Nor what the client's thread has taken up, and may not begin yet.
    run_here([&] {
        std::thread([&] { post([&] { order.push_back(3); }); }).join();
        EXPECT_FALSE(try_run([&] { ADD_FAILURE() << "in itself"; }));
    });
    if (!try_run([&] { order.push_back(4); })) post([&] { order.push_back(4); });
    finish();
    EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
}

TEST_F(TurnTest, WhatAFunctionHoldsIsDroppedOnTheStrand) {
    bool on_strand = false;
    run_here([held = Dropped([&] { on_strand = turn->is_ours(); })] {});
    EXPECT_TRUE(on_strand);

    std::promise<bool> there;
    asio::post(strand, [held = Dropped([&] { there.set_value(turn->is_ours()); })] {});
    EXPECT_TRUE(there.get_future().get());

    std::promise<bool> after_wait;
    asio::steady_timer timer(strand, std::chrono::seconds(0));
    timer.async_wait([held = Dropped([&] { after_wait.set_value(turn->is_ours()); })](const auto&) {});
    EXPECT_TRUE(after_wait.get_future().get());
    finish();
}

TEST_F(TurnTest, HandlersOfAsioHaveTheirTurn) {
    asio::steady_timer timer(strand);
    std::promise<bool> ours;
    run_here([&] { // begun on this thread, over on the other
        timer.expires_after(std::chrono::seconds(0));
        timer.async_wait([&](const auto&) { ours.set_value(turn->is_ours() && !turn->is_lent()); });
    });
    EXPECT_TRUE(ours.get_future().get());
    finish();
}

TEST_F(TurnTest, IsThereForOneAtATime) {
    constexpr int threads = 4;
    constexpr int times = 2'000;
    int inside = 0; // not atomic: on the strand
    int total = 0;
    const std::function<void()> count = [&] {
        EXPECT_EQ(++inside, 1);
        ++total;
        --inside;
    };
    std::vector<std::thread> all;
    for (int n = 0; n < threads; ++n) {
        all.emplace_back([&] {
            for (int time = 0; time < times; ++time) {
                if (auto call = count; !turn->try_run(call)) post(std::move(call));
            }
        });
    }
    for (auto& each : all) each.join();
    finish();
    EXPECT_EQ(total, threads * times);
}

} // namespace
} // namespace docent::detail
