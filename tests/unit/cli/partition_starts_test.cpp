// SPDX-License-Identifier: Apache-2.0
#include "cli/partition/item_processes.hpp"
#include "cli/partition/item_starts.hpp"
#include "cli/view/inspection_table.hpp"
#include "eventually.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <signal.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;
using Orders = ItemStarts::Orders;

constexpr ItemStarts::Time start{1000s};

TEST(ItemStarts, BeginsWantedItemsAndEndsOthers) {
    ItemStarts starts;
    starts.want({"0", "1"});
    EXPECT_EQ(starts.due(start), (Orders{{"0", "1"}, {}}));
    EXPECT_EQ(starts.due(start), Orders{});
    starts.want({"1", "2"});
    EXPECT_EQ(starts.due(start), (Orders{{"2"}, {"0"}}));
    EXPECT_EQ(starts.due(start), Orders{});
    EXPECT_TRUE(starts.has_processes());
    starts.on_ended("0", start);
    EXPECT_EQ(starts.due(start + 1h), Orders{});
}

TEST(ItemStarts, AnItemThatComesBackWaitsForTheEndOfItsProcess) {
    ItemStarts starts;
    starts.want({"0"});
    starts.due(start);
    starts.want({});
    EXPECT_EQ(starts.due(start), (Orders{{}, {"0"}}));
    starts.want({"0"});
    EXPECT_EQ(starts.due(start + 1h), Orders{});
    starts.on_ended("0", start + 1h);
    EXPECT_EQ(starts.next(), start + 1h + 500ms);
    EXPECT_EQ(starts.due(start + 1h + 500ms), (Orders{{"0"}, {}}));
}

TEST(ItemStarts, PausesDoubleWhileACommandEndsSoon) {
    ItemStarts starts;
    starts.want({"0"});
    auto now = start;
    for (const auto pause : {1000ms, 2000ms, 4000ms, 8000ms, 16'000ms, 32'000ms, 60'000ms, 60'000ms}) {
        EXPECT_EQ(starts.due(now).begin.size(), 1u);
        starts.on_ended("0", now);
        EXPECT_EQ(starts.next(), now + pause);
        now += pause;
    }
    starts.due(now);
    starts.on_ended("0", now + 10s);
    EXPECT_EQ(starts.next(), now + 10s + 500ms) << "it has run for long enough";
}

TEST(ItemStarts, WithoutItemsNothingRuns) {
    ItemStarts starts;
    starts.want({"0"});
    starts.due(start);
    starts.want({});
    starts.due(start);
    EXPECT_TRUE(starts.has_processes());
    starts.on_ended("0", start);
    EXPECT_FALSE(starts.has_processes());
    EXPECT_FALSE(starts.next());
}

TEST(DistributionText, HasALineForEachMember) {
    const Distribution found{.members = {{"a", 1, true, {"0", "3"}}, {"the other", 20, false, {}}}, .moves = 7};
    EXPECT_EQ(distribution_text(found, {}),
              "member a present weight 1 items 2: 0 3\nmember \"the other\" gone weight 20 items 0:\nmoves 7\n");
    EXPECT_EQ(distribution_text(found, Page{.columns = 60}), "partition: 2 items, 2 members, 7 moves\n"
                                                             "MEMBER     STATE    WEIGHT  ITEMS\n"
                                                             "a          present  1       2: 0 3\n"
                                                             "the other  gone     20      0:\n");
    EXPECT_EQ(boost::json::serialize(json_distribution({.members = {{"a", 1, true, {"0"}}}, .moves = 7})),
              R"({"members":[{"id":"a","weight":1,"present":true,"items":["0"]}],"moves":7})");
}

TEST(DistributionText, CutsBetweenCharacters) {
    const Distribution found{.members = {{"caf\u00e9", 1, true, {"0"}}, {"plain", 1, true, {"1", "2", "3"}}}};
    const Page narrow{.columns = 32, .charset = Charset::utf8};
    EXPECT_EQ(distribution_text(found, narrow), "partition: 4 items, 2 members, 0 moves\n"
                                                "MEMBER  STATE    WEIGHT  ITEMS\n"
                                                "caf\u00e9    present  1       1: 0\n"
                                                "plain   present  1       3: 1 2\u2026\n");
}

/// A program that starts docent may have ignored SIGCHLD.
TEST(ItemProcesses, KnowHowAProcessEndedThoughWeWereStartedWithSigchldIgnored) {
    ::signal(SIGCHLD, SIG_IGN);
    ItemProcesses processes([](const std::string& item, const auto&) { return item == "a" ? 3 : 4; });
    ::signal(SIGCHLD, SIG_DFL);
    processes.begin("a");
    std::optional<ItemProcesses::Ended> ended;
    ASSERT_TRUE(test::eventually([&] { return (ended = processes.next_ended()).has_value(); }));
    EXPECT_EQ(ended->item, "a");
    EXPECT_EQ(ended->exit_code, 3);
}

TEST(ItemProcesses, OnlyTheItemThatMustEndDoes) {
    ItemProcesses processes([](const std::string&, const std::shared_ptr<posix::EventFd>& ends) {
        while (!ends->raised()) posix::wait_readable({ends->fd()});
        return 0;
    });
    for (const char* item : {"a", "b", "c"}) processes.begin(item);
    std::optional<ItemProcesses::Ended> ended;
    const auto one_has_ended = [&] { return (ended = processes.next_ended()).has_value(); };
    processes.end("b");
    ASSERT_TRUE(test::eventually(one_has_ended));
    EXPECT_EQ(ended->item, "b");
    EXPECT_FALSE(one_has_ended());
    for (const char* item : {"a", "c"}) processes.end(item);
    EXPECT_TRUE(test::eventually(one_has_ended) && test::eventually(one_has_ended));
}

} // namespace
} // namespace docent::cli
