// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checker/made_up.hpp"

namespace docent::chaos {
namespace {

std::vector<std::string> kinds(const Violations& found) {
    std::vector<std::string> all;
    for (const Violation& violation : found) all.push_back(violation.kind);
    return all;
}

History ending_with(std::int64_t counter, History history) {
    history.counter = counter;
    return history;
}

TEST(Counter, EachValueSetOnceIsWell) {
    const History history = made_up({{"a", "10 begin 1 1 0"},
                                     {"a", "11 committed 1 1 100"},
                                     {"b", "12 begin 1 2 100"},
                                     {"b", "13 refused 1 2 the_lock_was_lost"},
                                     {"c", "14 begin 1 2 100"},
                                     {"c", "15 committed 1 2 101"}});
    EXPECT_TRUE(check_counter(ending_with(2, history)).empty());
}

TEST(Counter, AValueSetTwiceIsALostUpdate) {
    const History history = made_up(
        {{"a", "10 begin 1 1 0"}, {"a", "11 committed 1 1 100"}, {"b", "12 begin 1 1 0"}, {"b", "13 committed 1 1 101"}});
    const Violations found = check_counter(ending_with(1, history));
    ASSERT_EQ(kinds(found), std::vector<std::string>{"counter"});
    EXPECT_EQ(found[0].works, (std::vector<Work>{{"b", 1}}));
    EXPECT_EQ(found[0].evidence, "");
}

TEST(Counter, AnUnknownOutcomeExplainsAValueAndNeedNotHaveOne) {
    const History history = made_up({{"a", "10 begin 1 1 0"},
                                     {"a", "11 unknown 1 1 connection_loss"},
                                     {"b", "12 begin 1 2 100"},
                                     {"b", "13 committed 1 2 101"},
                                     {"c", "14 begin 1 3 101"}}); // killed before the outcome
    EXPECT_TRUE(check_counter(ending_with(2, history)).empty());
    EXPECT_TRUE(check_counter(ending_with(3, history)).empty());
}

TEST(Counter, AValueThatNoClientSetOrThatIsLostIsFound) {
    const History history = made_up({{"a", "10 begin 1 1 0"}, {"a", "11 committed 1 1 100"}});
    EXPECT_EQ(check_counter(ending_with(2, history)).size(), 1U);
    EXPECT_EQ(check_counter(ending_with(0, history)).size(), 1U);
}

TEST(Counter, ARefusedIncrementThatWasAppliedIsFound) {
    const History history = made_up({{"a", "10 begin 1 1 0"}, {"a", "11 refused 1 1 the_lock_was_lost"}});
    EXPECT_EQ(check_counter(ending_with(1, history)).size(), 1U);
}

TEST(Counter, AnAcknowledgedWriteThatALaterStateLacksIsZooKeepersOwn) {
    const History history = made_up({{"a", "10 begin 1 1 50"},
                                     {"a", "11 committed 1 1 100"},
                                     {"b", "12 granted 1 /c exclusive 4294967297 /c/x-9"}, // knows of all zxids before
                                     {"b", "13 begin 1 1 50"},
                                     {"b", "14 committed 1 1 4294967298"}});
    const Violations found = check_counter(ending_with(1, history));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].evidence, "");
}

TEST(Counter, WhicheverHistoryIsReadFirst) {
    const History history = made_up({{"b", "14 begin 1 1 50"},
                                     {"b", "15 committed 1 1 4294967298"},
                                     {"a", "10 begin 1 1 50"},
                                     {"a", "11 committed 1 1 100"},
                                     {"nemesis", "20 back 99 120 4294967297"}});
    const Violations found = check_counter(ending_with(1, history));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].evidence, "");
}

TEST(Counter, AStaleReadBeforeTheCommitIsNoExcuse) {
    const History history = made_up({{"a", "10 begin 1 1 50"},
                                     {"a", "11 committed 1 1 100"},
                                     {"b", "12 granted 1 /c exclusive 60 /c/x-9"},
                                     {"b", "13 begin 1 1 50"},
                                     {"b", "14 committed 1 1 101"}});
    const Violations found = check_counter(ending_with(1, history));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].evidence, "");
}

TEST(Counter, AMissingLedgerEntryIsZooKeepersOwn) {
    const History history =
        made_up({{"a", "10 begin 1 1 0"}, {"a", "11 committed 1 1 100"}, {"nemesis", "20 back 99 120 4294967297"}});
    EXPECT_NE(check_counter(ending_with(0, history)).at(0).evidence, "");
    EXPECT_NE(gone_by_ledger(history, 99), "");
    EXPECT_EQ(gone_by_ledger(history, 98), "");
    EXPECT_EQ(gone_by_ledger(history, 4294967297), "");
}

TEST(Store, CountsUpdatesThatItLost) {
    const History history = made_up({{"store-unchecked", "10 store 1 unchecked 0 a read 5"},
                                     {"store-unchecked", "11 store 1 unchecked 0 b read 6"},
                                     {"store-unchecked", "12 store 1 unchecked 1 b accepted 6"},
                                     {"store-unchecked", "13 store 1 unchecked 1 a accepted 6"},
                                     {"store-checked", "12 store 1 checked 1 b accepted 6"},
                                     {"store-checked", "13 store 1 checked 1 a refused 6"}});
    EXPECT_EQ(lost_updates(history, "unchecked"), 1);
    EXPECT_EQ(lost_updates(history, "checked"), 0);
    EXPECT_TRUE(check_store(history).empty());
}

TEST(Store, AnUpdateLostThoughTokensAreCheckedIsFound) {
    const History history = made_up(
        {{"store-checked", "12 store 1 checked 1 b accepted 6"}, {"store-checked", "13 store 1 checked 1 a accepted 7"}});
    EXPECT_EQ(check_store(history).size(), 1U);
}

TEST(Left, NodesAndProcessesThatStayAreFound) {
    const History history = made_up({{"nemesis", "10 left /m/x-5 czxid 5 session 7"}});
    EXPECT_EQ(check_left(history).at(0).text, "/m/x-5 czxid 5 session 7");
}

TEST(Left, NodesAreOnlySuspectsWhileAClientWaits) {
    const History history = made_up({{"nemesis", "10 waiting /m/x-5 czxid 5 session 7"}});
    EXPECT_TRUE(check_left(history).empty());
    EXPECT_EQ(kinds(suspect_orphans(history)), std::vector<std::string>{"orphan"});
}

TEST(Progress, IsDueInEachResourceAfterEachHealing) {
    const auto history = [](const char* second, const char* end) {
        return made_up({{"nemesis", "1 resource /m"},
                        {"nemesis", "1 resource /n"},
                        {"nemesis", "10 healed"},
                        {"a", "15 granted 1 /m exclusive 5 /m/x-5"},
                        {"a", second},
                        {"nemesis", end}});
    };
    using std::chrono::nanoseconds;
    EXPECT_TRUE(check_progress(history("16 granted 2 /n exclusive 5 /n/x-5", "40 storm"), nanoseconds(20)).empty());
    EXPECT_EQ(check_progress(history("31 granted 2 /n exclusive 5 /n/x-5", "40 storm"), nanoseconds(20)).size(), 1U);
    EXPECT_TRUE(check_progress(history("31 granted 2 /n exclusive 5 /n/x-5", "40 storm"), nanoseconds(21)).empty());
    EXPECT_TRUE(check_progress(history("20 ask 2 mutex /n", "29 storm"), nanoseconds(20)).empty()); // too short to tell
}

TEST(Growth, OfIdleProcessesIsFound) {
    EXPECT_TRUE(check_growth(made_up({{"a", "10 idle 7000 11"}, {"a", "20 idle 8000 12"}})).empty());
    EXPECT_EQ(kinds(check_growth(made_up({{"a", "10 idle 7000 11"}, {"a", "20 idle 90000 11"}}))),
              std::vector<std::string>{"memory"});
    EXPECT_TRUE(check_growth(made_up({{"a", "10 idle 7000 9"}, {"a", "20 idle 7000 14"}})).empty()) << "a connection";
    EXPECT_EQ(kinds(check_growth(made_up({{"a", "10 idle 7000 9"}, {"a", "20 idle 7000 15"}}))),
              std::vector<std::string>{"descriptors"});
}

TEST(CheckAll, ALineThatCannotBeReadIsFound) {
    Reader reader;
    reader.line("a", "10 granted 1 /m exclusive five /m/x-5");
    EXPECT_EQ(kinds(check_all(reader.history(), std::chrono::seconds(60))), std::vector<std::string>{"history"});
}

} // namespace
} // namespace docent::chaos
