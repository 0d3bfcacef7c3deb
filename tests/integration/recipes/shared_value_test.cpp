// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "heard.hpp"
#include "in_threads.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;
using docent::test::Heard;
using docent::testing::Opcode;

class SharedValueTest : public ProxiedTest {
protected:
    bool becomes(const SharedValue& shared, const std::string& value) {
        return eventually([&] { return shared.get().value == value; });
    }
};

TEST_F(SharedValueTest, TheFirstOneMakesIt) {
    SharedValue mine(client, "/config/value", "seed");
    SharedValue theirs(other, "/config/value", "another seed");
    EXPECT_EQ(mine.get(), (VersionedValue{-1, "seed"}));
    mine.start();
    theirs.start();
    theirs.start(); // a second call has no effect
    EXPECT_EQ(mine.get(), (VersionedValue{0, "seed"}));
    EXPECT_EQ(theirs.get(), (VersionedValue{0, "seed"}));
    EXPECT_EQ(other.get("/config/value").data, "seed");
}

TEST_F(SharedValueTest, EachSeesTheValueOfTheOther) {
    SharedValue mine(client, "/v");
    SharedValue theirs(other, "/v");
    mine.start();
    theirs.start();
    EXPECT_EQ(mine.set("one"), (VersionedValue{1, "one"}));
    EXPECT_EQ(mine.get().value, "one") << "at once for who has set it";
    EXPECT_TRUE(becomes(theirs, "one"));
    EXPECT_EQ(theirs.async_set("two", boost::asio::use_future).get().version, 2);
    EXPECT_TRUE(becomes(mine, "two"));
}

TEST_F(SharedValueTest, OneOfTwoSetsOfTheSameVersionWins) {
    SharedValue mine(client, "/v", "0");
    SharedValue theirs(other, "/v");
    mine.start();
    theirs.start();
    const VersionedValue seen = mine.get();
    EXPECT_TRUE(theirs.try_set(seen, "theirs"));
    EXPECT_FALSE(mine.try_set(seen, "mine"));
    EXPECT_EQ(mine.get().value, "theirs") << "who was too late knows the newer one";
    EXPECT_TRUE(mine.try_set(mine.get(), "mine"));
    EXPECT_EQ(other.get("/v").data, "mine");
    SharedValue unread(client, "/v");
    EXPECT_FALSE(unread.try_set(unread.get(), "x")) << "what nobody has read cannot be compared";
    EXPECT_TRUE(mine.async_try_set(mine.get(), "again", boost::asio::use_future).get());
}

TEST_F(SharedValueTest, ManyIncrementsAreAllCounted) {
    constexpr int threads = 4;
    constexpr int each = 50;
    SharedCount sum(client, "/sum");
    sum.start();
    test::in_threads(threads, [&](int) {
        Client own = started({.connect_string = server.connect_string()});
        SharedCount count(own, "/sum");
        count.start();
        for (int i = 0; i < each; ++i) {
            auto seen = count.get(); // read once: a second read may return another version
            while (!count.try_set(seen, seen.count + 1)) seen = count.get();
        }
    });
    EXPECT_TRUE(eventually([&] { return sum.get().count == threads * each; })) << sum.get().count;
}

TEST_F(SharedValueTest, FollowsThroughDisconnectionsAndSessions) {
    SharedValue mine(client, "/v", "0");
    mine.start();
    SessionWatcher session(client);
    proxy.refuse();
    proxy.cut();
    session.until(SessionState::suspended);
    other.set("/v", "1");
    EXPECT_EQ(mine.get().value, "0") << "nobody could tell";
    proxy.heal();
    EXPECT_TRUE(becomes(mine, "1"));
    client.renew_session();
    while (session.until(SessionState::connected).epoch < 2) {
    }
    other.set("/v", "2");
    EXPECT_TRUE(becomes(mine, "2"));
    for (int i = 3; i < 30; ++i) {
        proxy.cut();
        other.set("/v", std::to_string(i));
    }
    EXPECT_TRUE(becomes(mine, "29"));
}

TEST_F(SharedValueTest, FollowsANodeThatIsMadeAgain) {
    SharedValue mine(client, "/v", "0");
    mine.start();
    other.remove("/v");
    client.sync();
    EXPECT_EQ(mine.get().value, "0");
    other.create("/v", "new");
    EXPECT_TRUE(becomes(mine, "new"));
    other.set("/v", "newer");
    EXPECT_TRUE(becomes(mine, "newer"));
}

TEST_F(SharedValueTest, LostReplyOfATrySetIsNotGuessedAt) {
    SharedValue mine(client, "/v", "0");
    mine.start();
    proxy.cut_before_reply(Opcode::set);
    error_code ec;
    EXPECT_FALSE(mine.try_set(mine.get(), "1", ec));
    EXPECT_EQ(ec, condition::outcome_unknown);
    EXPECT_EQ(mine.get().value, "1") << "it was read again";
    proxy.cut_before_request(Opcode::set);
    EXPECT_TRUE(mine.try_set(mine.get(), "2", ec)) << "it had not been sent";
    proxy.cut_before_reply(Opcode::set);
    EXPECT_EQ(mine.set("3").value, "3") << "set again";
}

TEST_F(SharedValueTest, ListenersHearInOrderUntilTheyAreDropped) {
    SharedValue mine(client, "/v", "0");
    mine.start();
    const Heard<std::string> heard;
    auto subscription = mine.listen([heard](const VersionedValue& value) { heard.add(value.value); });
    for (const auto* value : {"a", "b", "c"}) mine.set(value);
    EXPECT_TRUE(eventually([&] { return heard.all().size() == 3; }));
    subscription = Subscription();
    mine.set("d");
    other.sync();
    EXPECT_EQ(heard.all(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(SharedValueTest, TheStartIsNoChange) {
    other.create("/v", "there");
    SharedValue mine(client, "/v", "seed");
    SharedCount count(client, "/made", 5);
    const Heard<std::string> heard;
    auto values = mine.listen([heard](const VersionedValue& value) { heard.add(value.value); });
    auto counts = count.listen([heard](const VersionedCount& value) { heard.add(std::to_string(value.count)); });
    mine.start();
    count.start();
    mine.start(); // a second call has no effect
    EXPECT_EQ(mine.get().value, "there");
    other.set("/v", "changed");
    EXPECT_TRUE(becomes(mine, "changed"));
    count.set(6);
    EXPECT_TRUE(eventually([&] { return heard.all().size() >= 2; }));
    EXPECT_EQ(heard.all(), (std::vector<std::string>{"changed", "6"}));
}

TEST_F(SharedValueTest, EndsAndFailsAsEverythingElse) {
    EXPECT_THROW(SharedValue(client, "bad"), Error);
    SharedValue mine(client, "/v");
    error_code ec;
    mine.set("x", ec);
    EXPECT_EQ(ec, server_error::no_node) << "not started, and nobody else has made it";
    proxy.black_hole(); // otherwise the answer might be faster than the timer
    mine.start(ec, {.timeout = 0ms});
    EXPECT_TRUE(ec);
    proxy.heal();
    mine.start();
    {
        SharedValue passing(client, "/v");
        passing.start();
    }
    client.close();
    mine.start(ec);
    EXPECT_EQ(ec, error::closed);
    mine.set("x", ec);
    EXPECT_EQ(ec, error::closed);
}

TEST_F(SharedValueTest, CountsAreFourBytesAsCuratorHasThem) {
    SharedCount count(client, "/c", 1);
    count.start();
    EXPECT_EQ(other.get("/c").data, std::string("\0\0\0\1", 4));
    EXPECT_EQ(count.get(), (VersionedCount{0, 1}));
    EXPECT_EQ(count.set(-2).count, -2);
    EXPECT_EQ(other.get("/c").data, "\xff\xff\xff\xfe");
    for (const std::int32_t number :
         {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), 256}) {
        EXPECT_EQ(count.set(number).count, number);
        EXPECT_EQ(count.get().count, number);
    }
    EXPECT_FALSE(count.try_set({0, 1}, 2));
    EXPECT_TRUE(count.async_try_set(count.get(), 2, boost::asio::use_future).get());
    other.set("/c", "three");
    error_code ec;
    EXPECT_TRUE(eventually([&] {
        count.get(ec);
        return ec == error::corrupt_data;
    }));
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "is not a number (4 bytes), or cannot be decompressed",
                        failure_of([&] { count.get(); }).text);
}

} // namespace
} // namespace docent
