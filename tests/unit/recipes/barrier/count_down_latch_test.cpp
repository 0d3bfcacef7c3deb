// SPDX-License-Identifier: Apache-2.0
#include "barrier/count_down_core.hpp"
#include "shared/number_bytes.hpp"
#include "world_test.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <memory>
#include <optional>

namespace docent::detail {
namespace {

// ---- the number in the node

namespace count_down_story {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr auto smallest = std::numeric_limits<std::int64_t>::min();

std::int64_t number_in(const NewData& wish) {
    error_code ec;
    const std::int64_t number = decode_number(wish.data, ec);
    EXPECT_FALSE(ec || wish.ec);
    return number;
}

TEST(CountDownRules, TheRemainingCountIsNeverNegative) {
    EXPECT_EQ(left_to_count(0, 3), 3);
    EXPECT_EQ(left_to_count(2, 3), 1);
    EXPECT_EQ(left_to_count(3, 3), 0);
    EXPECT_EQ(left_to_count(largest, 3), 0);
    EXPECT_EQ(left_to_count(-2, 3), 5) << "as Java may have it";
    EXPECT_EQ(left_to_count(smallest, 3), largest);
    EXPECT_EQ(left_to_count(-1, largest), largest);
    EXPECT_EQ(left_to_count(-1, largest - 1), largest);
}

TEST(CountDownRules, CountsOnFromTheExistingValue) {
    EXPECT_EQ(number_in(count_on(std::nullopt, 1)), 1) << "there is no node yet, or it was deleted";
    EXPECT_EQ(number_in(count_on("", 2)), 2) << "one without data";
    EXPECT_EQ(number_in(count_on(encode_number(5), 1)), 6);
    EXPECT_EQ(number_in(count_on(encode_number(-5), 1)), -4);
}

TEST(CountDownRules, ALatchThatIsDownStaysDownHoweverMuchIsCounted) {
    EXPECT_EQ(number_in(count_on(encode_number(largest), 1)), largest);
    EXPECT_EQ(number_in(count_on(encode_number(largest - 1), largest)), largest);
    EXPECT_EQ(number_in(count_on(encode_number(largest - 3), 3)), largest);
    EXPECT_EQ(number_in(count_on(encode_number(smallest), largest)), -1);
}

TEST(CountDownRules, RefusesInvalidCountsAndNumbers) {
    EXPECT_EQ(count_on(std::nullopt, 0).ec, server_error::bad_arguments);
    EXPECT_EQ(count_on(encode_number(1), -1).ec, server_error::bad_arguments);
    EXPECT_FALSE(count_on(encode_number(1), -1).data);
    EXPECT_EQ(count_on("abc", 1).ec, error::corrupt_data);
    EXPECT_FALSE(count_on("abc", 1).data);
}

} // namespace count_down_story

// ---- calls

/// A client that waits at a latch, and clients that count it down.
class CountDownLatchTest : public WorldTest {
protected:
    static constexpr const char* latch_path = "/jobs/ready";

    CountDownLatchTest() : WorldTest(2) {
        for (std::size_t index = 0; index < 2; ++index) {
            latches[index] = std::make_shared<CountDownCore>(
                std::make_shared<AtomicCore>(world.share(index), latch_path, AtomicOptions{}), 3);
        }
    }
    void SetUp() override { connect(); }
    AnswerPtr wait(CallOptions call = {}) {
        return answer_of([&](auto handler) { initiate_count_wait(latches[0], std::move(call), std::move(handler)); });
    }
    AnswerPtr count_down(std::size_t index, std::int64_t times = 1) {
        return answer_of([&](auto handler) { initiate_count_down(latches[index], times, {}, std::move(handler)); });
    }
    std::int64_t left() {
        std::optional<std::int64_t> left;
        initiate_count_left(latches[1], {}, [&left](error_code ec, std::int64_t number) {
            EXPECT_FALSE(ec) << ec.message();
            left = number;
        });
        run_until([&] { return left.has_value(); });
        return left.value_or(-1);
    }
    void begin_anew() {
        connect();
        if (truth().find(latch_path)) servers().delete_node(latch_path);
        settle();
    }
    std::int64_t counted() {
        const TreeNode* node = truth().find(latch_path);
        error_code ec;
        return node ? decode_number(node->data, ec) : 0;
    }

    std::shared_ptr<CountDownCore> latches[2];
};

TEST_F(CountDownLatchTest, HoldsUpUntilItWasCountedDownAsOftenAsThat) {
    connect();
    EXPECT_EQ(left(), 3);
    const auto waiting = wait();
    expect(count_down(1));
    EXPECT_EQ(left(), 2);
    expect(count_down(0));
    settle();
    EXPECT_EQ(waiting->times, 0);
    expect(count_down(1));
    expect(waiting);
    expect(wait());
    expect(count_down(1, 5));
    EXPECT_EQ(left(), 0);
    expect(wait());
    expect(count_down(1, 0), server_error::bad_arguments);
}

TEST_F(CountDownLatchTest, SeveralAtOnce) {
    const auto waiting = wait();
    expect(count_down(1, 3));
    expect(waiting);
}

TEST_F(CountDownLatchTest, CountsBetweenTheReadAndTheWatchEndTheWait) {
    const auto waiting = wait();
    run_until([&] { return client(0).next_request().starts_with("look for"); });
    const auto others = client(1).session().session_id;
    servers().apply(others, zk::CreateRequest{.path = "/jobs"});
    servers().apply(others, zk::CreateRequest{.path = latch_path, .data = encode_number(3)});
    servers().learn_all(client(0).server().value());
    expect(waiting);
}

TEST_F(CountDownLatchTest, AnInvalidNumberEndsTheWait) {
    connect();
    for (const char* path : {"/jobs", latch_path}) {
        client(1).submit(zk::CreateRequest{.path = path, .data = "abc"}, [](const zk::Reply&) {});
    }
    settle();
    expect(wait(), error::corrupt_data);
}

TEST_F(CountDownLatchTest, AWaitFailsIfTheNodeMayNotBeRead) {
    expect(count_down(1));
    servers().hide_node(latch_path);
    expect(wait(), server_error::no_auth);
}

TEST_F(CountDownLatchTest, AWaitEndsWithItsTimeAndItsClient) {
    connect();
    expect(wait({.timeout = std::chrono::milliseconds(300)}), server_error::operation_timeout);
    const auto last = wait();
    settle();
    client(0).close();
    expect(last, error::closed);
}

TEST_F(CountDownLatchTest, WithRepliesLostAtEveryStepEachCountsOnceAndNoWaiterPassesTooEarly) {
    for (int steps = 0; steps < 40; ++steps) {
        SCOPED_TRACE(steps);
        begin_anew();
        const auto waiting = wait();
        for (int n = 1; n <= 3; ++n) {
            EXPECT_EQ(waiting->times, 0);
            const auto counting = count_down(1);
            for (int step = 0; step < steps; ++step) world.step();
            lose_replies(0);
            lose_replies(1);
            expect(counting);
            EXPECT_EQ(counted(), n);
        }
        expect(waiting);
    }
}

TEST_F(CountDownLatchTest, AnotherSessionAtEveryStepChangesNothing) {
    for (int steps = 0; steps < 40; ++steps) {
        SCOPED_TRACE(steps);
        begin_anew();
        const auto waiting = wait();
        const auto counting = count_down(1, 2);
        for (int step = 0; step < steps; ++step) world.step();
        world.inflict(FakeWorld::Fault::end_session, 0);
        world.inflict(FakeWorld::Fault::end_session, 1);
        expect(counting);
        EXPECT_EQ(counted(), 2);
        connect();
        EXPECT_EQ(waiting->times, 0);
        expect(count_down(1));
        expect(waiting);
    }
}

} // namespace
} // namespace docent::detail
