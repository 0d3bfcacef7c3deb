// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checker/made_up.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace docent::chaos {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> kinds(const Violations& found) {
    std::vector<std::string> all;
    for (const Violation& violation : found) all.push_back(violation.kind);
    return all;
}

Violations counted(std::int64_t counter, const Events& events) {
    History history = made_up(events);
    history.counter = counter;
    Violations found = check_counter(history);
    for (Violation& violation : found) violation.evidence = evidence_in(history, {}, violation);
    return found;
}

TEST(Counter, EachValueSetOnceIsWell) {
    EXPECT_TRUE(counted(2, {{"a", "10 begin 1 1 0; 11 committed 1 1 100"},
                            {"b", "12 begin 1 2 100; 13 refused 1 2 the_lock_was_lost"},
                            {"c", "14 begin 1 2 100; 15 committed 1 2 101"}})
                    .empty());
}

TEST(Counter, AValueSetTwiceIsALostUpdate) {
    const Violations found =
        counted(1, {{"a", "10 begin 1 1 0; 11 committed 1 1 100"}, {"b", "12 begin 1 1 0; 13 committed 1 1 101"}});
    ASSERT_EQ(kinds(found), std::vector<std::string>{"counter"});
    EXPECT_EQ(found[0].works, (std::vector<Work>{{"b", 1}}));
    EXPECT_EQ(found[0].evidence, "");
}

TEST(Counter, AnUnknownOutcomeExplainsAValueAndNeedNotHaveOne) {
    const Events events{{"a", "10 begin 1 1 0; 11 unknown 1 1 connection_loss"},
                        {"b", "12 begin 1 2 100; 13 committed 1 2 101"},
                        {"c", "14 begin 1 3 101"}}; // killed before the outcome
    EXPECT_TRUE(counted(2, events).empty());
    EXPECT_TRUE(counted(3, events).empty());
}

TEST(Counter, AValueThatNoClientSetOrThatIsLostIsFound) {
    EXPECT_EQ(counted(2, {{"a", "10 begin 1 1 0; 11 committed 1 1 100"}}).size(), 1U);
    EXPECT_EQ(counted(0, {{"a", "10 begin 1 1 0; 11 committed 1 1 100"}}).size(), 1U);
}

TEST(Counter, ARefusedIncrementThatWasAppliedIsFound) {
    EXPECT_EQ(counted(1, {{"a", "10 begin 1 1 0; 11 refused 1 1 the_lock_was_lost"}}).size(), 1U);
}

TEST(Counter, WhicheverHistoryIsReadFirst) {
    const Violations found = counted(1, {{"b", "14 begin 1 1 50; 15 committed 1 1 4294967298"},
                                         {"a", "10 begin 1 1 50; 11 committed 1 1 100"},
                                         {"nemesis", "20 back 99 120 4294967297"}});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].evidence, "");
}

TEST(Counter, AMissingLedgerEntryIsZooKeepersOwn) {
    const Events events{{"a", "10 begin 1 1 0; 11 committed 1 1 100"}, {"nemesis", "20 back 99 120 4294967297"}};
    EXPECT_NE(counted(0, events).at(0).evidence, "");
    EXPECT_NE(gone_by_ledger(made_up(events), 99), "");
    EXPECT_EQ(gone_by_ledger(made_up(events), 98), "");
    EXPECT_EQ(gone_by_ledger(made_up(events), 4294967297), "");
}

TEST(Store, CountsUpdatesThatItLost) {
    const History history = made_up({{"store-unchecked", "10 store 1 unchecked 0 a read 5; 11 store 1 unchecked 0 b read 6"},
                                     {"store-unchecked", "12 store 1 unchecked 1 b accepted 6"},
                                     {"store-unchecked", "13 store 1 unchecked 1 a accepted 6"},
                                     {"store-checked", "12 store 1 checked 1 b accepted 6; 13 store 1 checked 1 a refused 6"}});
    EXPECT_EQ(lost_updates(history, "unchecked"), 1);
    EXPECT_EQ(lost_updates(history, "checked"), 0);
    EXPECT_TRUE(check_store(history).empty());
}

TEST(Store, AnUpdateLostThoughTokensAreCheckedIsFound) {
    EXPECT_EQ(check_store(made_up({{"store", "12 store 1 checked 1 b accepted 6; 13 store 1 checked 1 a accepted 7"}})).size(),
              1U);
}

TEST(Left, NodesAndProcessesThatStayAreFound) {
    EXPECT_EQ(check_left(made_up({{"nemesis", "10 left /m/x-5 czxid 5 session 7"}})).at(0).text, "/m/x-5 czxid 5 session 7");
}

TEST(Left, NodesAreOnlySuspectsWhileAClientWaits) {
    const History history = made_up({{"nemesis", "10 waiting /m/x-5 czxid 5 session 7"}});
    EXPECT_TRUE(check_left(history).empty());
    EXPECT_EQ(kinds(suspect_orphans(history)), std::vector<std::string>{"orphan"});
}

TEST(Progress, IsDueInEachResourceAfterEachHealing) {
    const auto found = [](const std::string& second, const std::string& end, int longest) {
        return check_progress(made_up({{"nemesis", "1 resource /m; 1 resource /n; 10 healed"},
                                       {"a", "15 granted 1 /m exclusive 5 /m/x-5;" + second},
                                       {"nemesis", end}}),
                              std::chrono::nanoseconds(longest))
            .size();
    };
    EXPECT_EQ(found("16 granted 2 /n exclusive 5 /n/x-5", "40 storm", 20), 0U);
    EXPECT_EQ(found("31 granted 2 /n exclusive 5 /n/x-5", "40 storm", 20), 1U);
    EXPECT_EQ(found("31 granted 2 /n exclusive 5 /n/x-5", "40 storm", 21), 0U);
    EXPECT_EQ(found("20 ask 2 mutex /n", "29 storm", 20), 0U) << "too short to tell";
}

TEST(Items, EachHasAnOwnerSoonAfterAHealing) {
    const auto found = [](const char* next_owner) {
        return check_items(made_up({{"nemesis", "1 item /p/items/0; 10 healed; 100 storm"},
                                    {"a", "2 granted 1 /p/items/0 exclusive 6 /p/items/0/x-6; 3 yes 1; 8 still 1"},
                                    {"b", next_owner}}),
                           20ns);
    };
    EXPECT_TRUE(found("20 granted 1 /p/items/0 exclusive 7 /p/items/0/x-7; 30 yes 1").empty());
    const Violations late = found("20 granted 1 /p/items/0 exclusive 7 /p/items/0/x-7; 31 yes 1");
    ASSERT_EQ(late.size(), 1U);
    EXPECT_EQ(late[0].from, 10);
    EXPECT_EQ(late[0].to, 30);
    EXPECT_EQ(found("20 ask 1 item /p/items/0; 21 ask 2 item /p/items/0").size(), 1U) << "no owner at all";
    EXPECT_TRUE(
        check_items(made_up({{"nemesis", "1 item /p/items/0; 10 healed; 25 storm"}, {"a", "40 ask 1 item /p/items/0"}}), 20ns)
            .empty())
        << "the calm was too short to tell";
}

TEST(Items, AnOwnerFromBeforeTheHealingIsOne) {
    const History history = made_up({{"nemesis", "1 item /p/items/0; 10 healed; 100 storm"},
                                     {"a", "2 granted 1 /p/items/0 exclusive 6 /p/items/0/x-6; 3 yes 1; 12 still 1"}});
    EXPECT_TRUE(check_items(history, 1ns).empty());
}

TEST(Growth, OfIdleProcessesIsFound) {
    using Kinds = std::vector<std::string>;
    const auto found = [](const char* idle) { return kinds(check_growth(made_up({{"a", idle}}))); };
    EXPECT_EQ(found("10 idle 7000 11; 20 idle 8000 12"), Kinds{});
    EXPECT_EQ(found("10 idle 7000 11; 20 idle 90000 11"), Kinds{"memory"});
    EXPECT_EQ(found("10 idle 7000 9; 20 idle 7000 14"), Kinds{}) << "a connection";
    EXPECT_EQ(found("10 idle 7000 9; 20 idle 7000 15"), Kinds{"descriptors"});
}

TEST(CheckAll, ALineThatCannotBeReadIsFound) {
    Reader reader;
    reader.line("a", "10 granted 1 /m exclusive five /m/x-5");
    EXPECT_EQ(kinds(check_all(reader.history(), std::chrono::seconds(60))), std::vector<std::string>{"history"});
}

} // namespace
} // namespace docent::chaos
