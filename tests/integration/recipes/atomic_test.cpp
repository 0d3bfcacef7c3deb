// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "proxied_test.hpp"
#include "seeds.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <iostream>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;
using docent::testing::Opcode;

class AtomicTest : public ProxiedTest {
protected:
    std::string bytes(const char* path) { return other.get(path).data; }
};

TEST_F(AtomicTest, NumbersAreEightBytesAsCuratorHasThem) {
    DistributedAtomicLong number(client, "/counters/n");
    EXPECT_EQ(number.get().after, 0) << "no node is 0";
    EXPECT_TRUE(number.initialize(1));
    EXPECT_FALSE(number.initialize(2));
    EXPECT_EQ(bytes("/counters/n"), std::string("\0\0\0\0\0\0\0\1", 8));
    number.force_set(-2);
    EXPECT_EQ(bytes("/counters/n"), "\xff\xff\xff\xff\xff\xff\xff\xfe");
    number.force_set(std::numeric_limits<std::int64_t>::max());
    const AtomicNumber beyond = number.increment();
    EXPECT_EQ(beyond.before, std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(beyond.after, std::numeric_limits<std::int64_t>::min()) << "as in Java";
    EXPECT_EQ(number.decrement().after, std::numeric_limits<std::int64_t>::max());

    other.set("/counters/n", "");
    EXPECT_EQ(number.increment().after, 1) << "no data is 0";
    other.set("/counters/n", std::string("\0\0\0\0\0\0\0\7rest", 12));
    EXPECT_EQ(number.get().after, 7);
    other.set("/counters/n", "seven");
    error_code ec;
    number.get(ec);
    EXPECT_EQ(ec, error::corrupt_data);
    EXPECT_FALSE(number.increment(ec).succeeded);
    EXPECT_EQ(ec, error::corrupt_data);
    EXPECT_EQ(bytes("/counters/n"), "seven") << "and it is left alone";
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "is not a number (8 bytes), or cannot be decompressed",
                        failure_of([&] { number.get(); }).text);
    number.force_set(8);
    EXPECT_EQ(number.get().after, 8);
}

TEST_F(AtomicTest, EachOperationReturnsTheOldAndTheNewValue) {
    DistributedAtomicLong number(client, "/n");
    EXPECT_FALSE(number.compare_and_set(0, 1).succeeded) << "there is no node";
    const AtomicNumber made = number.add(5);
    EXPECT_TRUE(made.succeeded);
    EXPECT_EQ(made.before, 0);
    EXPECT_EQ(made.after, 5);
    EXPECT_EQ(number.subtract(7).after, -2);
    EXPECT_EQ(number.try_set(9).before, -2);
    const AtomicNumber refused = number.compare_and_set(8, 10);
    EXPECT_FALSE(refused.succeeded);
    EXPECT_EQ(refused.before, 9);
    EXPECT_EQ(refused.after, 9);
    const AtomicNumber taken = number.compare_and_set(9, 10);
    EXPECT_TRUE(taken.succeeded);
    EXPECT_EQ(taken.stats.optimistic_tries, 1);
    EXPECT_FALSE(taken.stats.recovered);

    EXPECT_EQ(number.async_get(use_future).get().after, 10);
    EXPECT_EQ(number.async_add(1, use_future).get().after, 11);
    EXPECT_EQ(number.async_subtract(1, use_future).get().after, 10);
    EXPECT_EQ(number.async_increment(use_future).get().after, 11);
    EXPECT_EQ(number.async_decrement(use_future).get().after, 10);
    EXPECT_EQ(number.async_try_set(3, use_future).get().after, 3);
    EXPECT_TRUE(number.async_compare_and_set(3, 4, use_future).get().succeeded);
    number.async_force_set(5, use_future).get();
    EXPECT_FALSE(number.async_initialize(6, use_future).get());
    EXPECT_EQ(number.get().after, 5);
}

TEST_F(AtomicTest, ValuesAreAnyBytes) {
    DistributedAtomicValue value(client, "/v");
    EXPECT_EQ(value.get().after, std::nullopt);
    EXPECT_TRUE(value.get().succeeded);
    EXPECT_FALSE(value.compare_and_set("", "x").succeeded) << "no node is not an empty one";
    EXPECT_TRUE(value.initialize(""));
    EXPECT_EQ(value.get().after, "");
    EXPECT_TRUE(value.compare_and_set("", "one").succeeded);
    const AtomicBytes set = value.try_set("two");
    EXPECT_EQ(set.before, "one");
    EXPECT_EQ(set.after, "two");
    value.force_set("three");
    EXPECT_EQ(value.async_get(use_future).get().after, "three");
    EXPECT_EQ(value.async_try_set("four", use_future).get().before, "three");
    EXPECT_TRUE(value.async_compare_and_set("four", "five", use_future).get().succeeded);
    value.async_force_set("six", use_future).get();
    EXPECT_FALSE(value.async_initialize("seven", use_future).get());
    EXPECT_EQ(bytes("/v"), "six");
}

TEST_F(AtomicTest, TakesOneRoundTripUnlessAnotherClientHasWritten) {
    std::mutex mutex;
    std::string sent;
    const auto note = [&](Opcode opcode, char letter) {
        proxy.on_forwarded(opcode, [&, letter] {
            const std::lock_guard lock(mutex);
            sent += letter;
        });
    };
    const auto sent_since = [&] {
        client.sync(); // all earlier requests are answered, and all their events have arrived
        const std::lock_guard lock(mutex);
        return std::exchange(sent, {});
    };
    DistributedAtomicLong number(client, "/n");
    EXPECT_TRUE(number.increment().succeeded);
    client.sync();
    note(Opcode::multi, 'w');
    note(Opcode::get, 'r');
    EXPECT_EQ(number.increment().after, 2);
    EXPECT_EQ(sent_since(), "wr") << "nothing was waited for before the write";
    other.set("/n", std::string("\0\0\0\0\0\0\0\7", 8));
    EXPECT_EQ(sent_since(), "");
    EXPECT_EQ(number.increment().after, 8);
    EXPECT_EQ(sent_since(), "rwr");
    proxy.heal(); // the proxy's rules use variables of this test
}

TEST_F(AtomicTest, EveryOperationCountsOnceThoughItsReplyIsLost) {
    DistributedAtomicValue value(client, "/v");
    proxy.cut_before_reply(Opcode::multi);
    EXPECT_TRUE(value.initialize("a")) << "it was this call that made it";
    proxy.cut_before_reply(Opcode::multi);
    EXPECT_TRUE(value.compare_and_set("a", "b").succeeded);
    proxy.cut_before_reply(Opcode::multi);
    EXPECT_EQ(value.try_set("c").before, "b");
    proxy.cut_before_reply(Opcode::multi);
    value.force_set("d");
    EXPECT_EQ(other.get("/v").stat.version, 3) << "each was written once";
}

TEST_F(AtomicTest, CallsOnOneObjectTakeTurns) {
    DistributedAtomicLong number(client, "/n");
    std::vector<std::future<AtomicNumber>> all;
    for (int n = 0; n < 50; ++n) all.push_back(number.async_increment(use_future));
    for (int n = 0; n < 50; ++n) {
        const AtomicNumber result = all[static_cast<std::size_t>(n)].get();
        EXPECT_EQ(result.after, n + 1);
        EXPECT_EQ(result.stats.optimistic_tries, 1) << "nobody is faster than oneself";
    }
}

TEST_F(AtomicTest, EndsAndFailsAsEverythingElse) {
    EXPECT_THROW(DistributedAtomicLong(client, "bad"), Error);
    EXPECT_THROW(DistributedAtomicValue(client, "/v", {.marker_parent = "bad"}), Error);
    EXPECT_THROW(DistributedAtomicValue(client, "/v", {.promoted = PromotedToLock{"bad"}}), Error);
    DistributedAtomicLong number(client, "/n");
    error_code ec;
    proxy.black_hole(); // otherwise the answer might be faster than the timer
    EXPECT_FALSE(number.increment(ec, {.timeout = 0ms}).succeeded);
    EXPECT_TRUE(ec);
    proxy.heal();
    auto left = std::make_unique<DistributedAtomicLong>(client, "/n");
    auto late = left->async_increment(use_future);
    left.reset();
    EXPECT_TRUE(late.get().succeeded) << "the object may be destroyed before completion";
    client.close();
    EXPECT_FALSE(number.increment(ec).succeeded);
    EXPECT_EQ(ec, error::closed);
    number.get(ec);
    EXPECT_EQ(ec, error::closed);
    Client gone = std::move(client);
    EXPECT_THROW(DistributedAtomicLong(client, "/n"), Error);
    client = std::move(gone);
}

/// Many clients increment a counter while a tenth of all replies is lost. DOCENT_ATOMIC_INCREMENTS sets the number of
/// increments of each.
class AtomicCountTest : public ProxiedTest {
protected:
    static constexpr int counters = 8;
    static constexpr std::array kinds{Opcode::multi, Opcode::get, Opcode::set, Opcode::create2};

    /// Loses the reply of every tenth request of each kind, and the connection with it.
    void lose_a_tenth_of_the_replies() {
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            proxy.on_forwarded(kinds[kind], [this, kind] {
                if (++forwarded[kind] % 10 == 9) proxy.cut_before_reply(kinds[kind]);
            });
        }
    }
    void count(int times) {
        Client own = started({.connect_string = proxy.connect_string(),
                              .connection_timeout = generous,
                              .retry_policy = RetryPolicy::forever(5ms),
                              .ensemble_tracking = EnsembleTracking::off});
        DistributedAtomicLong number(own, "/count", {.retry = RetryPolicy::forever(1ms)});
        for (int n = 0; n < times; ++n) {
            const AtomicNumber result = number.increment();
            const std::lock_guard lock(mutex);
            EXPECT_TRUE(result.succeeded);
            EXPECT_EQ(result.after, result.before + 1);
            EXPECT_TRUE(reached.insert(result.after).second) << result.after << " was reached twice";
            recovered += result.stats.recovered ? 1 : 0;
            tries += result.stats.optimistic_tries;
        }
    }

    std::array<std::atomic<int>, kinds.size()> forwarded{};
    std::mutex mutex;
    std::set<std::int64_t> reached;
    int recovered = 0;
    int tries = 0;
};

TEST_F(AtomicCountTest, EachOfEightCountsOnceThoughATenthOfTheRepliesIsLost) {
    const int times = static_cast<int>(number_from("DOCENT_ATOMIC_INCREMENTS", repetitions(50)));
    lose_a_tenth_of_the_replies();
    std::vector<std::thread> all;
    for (int n = 0; n < counters; ++n) all.emplace_back([this, times] { count(times); });
    for (auto& one : all) one.join();
    proxy.heal();

    DistributedAtomicLong number(other, "/count");
    EXPECT_EQ(number.get().after, counters * times);
    EXPECT_EQ(reached.size(), static_cast<std::size_t>(counters * times));
    EXPECT_GT(recovered, times / 20) << "or it would prove nothing";
    std::cout << "counted to " << number.get().after << " in " << tries << " tries, of which " << recovered
              << " were found out about; " << forwarded[0] << " writes, " << proxy.connections() << " connections\n";
}

} // namespace
} // namespace docent
