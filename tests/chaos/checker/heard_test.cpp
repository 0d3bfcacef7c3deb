// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checker/made_up.hpp"

#include <string>
#include <utility>

namespace docent::chaos {
namespace {

using LogType = LoggedTransaction::Type;
using Log = std::initializer_list<LoggedTransaction>;

constexpr Time millisecond = 1'000'000;

/// Times are in milliseconds. T is one second. The wall clock is 5 s ahead.
History timed(Events events) {
    events.insert(events.begin(), {"nemesis", "1 timeout 1000; 1 wall 5001000000"});
    return made_up(events, "000000");
}

History completed(History history, Log transactions) {
    TransactionLogs logs;
    logs.add_file("0", made_up_log(transactions));
    complete(history, logs);
    return history;
}

TEST(Heard, ANodeThatAnAdministratorDeletedIsNotOwnedForLong) {
    const auto found = [](const std::string& last_yes) {
        return check_heard(completed(timed({{"nemesis", "90 deleting /m/x-6"},
                                            {"a", "10 granted 1 /m exclusive 6 /m/x-6; 11 yes 1; " + last_yes + " still 1"}}),
                                     {{.zxid = 6, .path = "/m/x-6", .time = 5009},
                                      {.zxid = 9, .path = "/m/x-6", .type = LogType::remove, .time = 5100}}));
    };
    EXPECT_TRUE(found("2100").empty());
    ASSERT_EQ(found("2101").size(), 1U);
    EXPECT_EQ(found("2101")[0].from, 100 * millisecond);
}

TEST(Heard, AGrantLongAfterTheDeletionIsFound) {
    const History history =
        completed(timed({{"nemesis", "90 deleting /m/x-6"}, {"a", "3000 granted 1 /m exclusive 6 /m/x-6; 3001 yes 1"}}),
                  {{.zxid = 9, .path = "/m/x-6", .type = LogType::remove, .time = 5100}});
    EXPECT_EQ(check_heard(history).size(), 1U);
}

TEST(Heard, AHolderHearsOfARequestForItsLock) {
    const auto found = [](const std::string& told, const std::string& asked = "100") {
        return check_heard(timed({{"a", "10 granted 1 /m exclusive 6 /m/x-6; 11 yes 1; 200 revocable 1"},
                                  {"b", asked + " revoke /m/x-6 well"},
                                  {"a", "2201 " + told + "; 2201 still 1"}}))
            .size();
    };
    EXPECT_EQ(found("still 1"), 1U);
    EXPECT_EQ(found("asked-for 1"), 0U);
    EXPECT_EQ(found("still 1", "202"), 0U) << "not too late yet";
}

TEST(Heard, AHolderWithoutAHandlerHearsOfNoRequest) {
    EXPECT_TRUE(check_heard(timed({{"a", "10 granted 1 /m exclusive 6 /m/x-6; 11 yes 1; 9000 still 1"},
                                   {"b", "100 revoke /m/x-6 well"}}))
                    .empty());
}

TEST(Processes, ViolationsThatTheySawThemselvesAreFound) {
    EXPECT_EQ(check_processes(made_up({{"a", "10 broken 1 another token"}})).at(0).text, "a: 1 another token");
}

TEST(Completion, LogsKnowNodesAndTokensThatProcessesDoNot) {
    const History history =
        completed(made_up({{"a", "10 granted 1 /m exclusive 6 -"}, {"j", "10 curator; 11 granted 1 /m exclusive 0 /m/x-7"}}),
                  {{.zxid = 6, .path = "/m/x-6"}, {.zxid = 7, .path = "/m/x-7"}});
    EXPECT_EQ(history.holds[0].node, "/m/x-6");
    EXPECT_EQ(history.holds[1].token, 7);
}

TEST(Completion, ASessionThatAnAdministratorEndedTakesItsNodesLikeHim) {
    const auto deleted = [](const std::string& closed) {
        return completed(timed({{"nemesis", closed + " closing 77"}, {"a", "10 granted 1 /m exclusive 6 /m/x-6"}}),
                         {{.zxid = 6, .path = "/m/x-6", .session = 77, .time = 5009},
                          {.zxid = 9, .path = "/m/x-6", .type = LogType::close_session, .session = 77, .time = 25'000}})
            .deleted.contains("/m/x-6");
    };
    EXPECT_TRUE(deleted("19990"));
    EXPECT_FALSE(deleted("90")) << "long ago: the session has expired";
}

TEST(Completion, ARemovalThatOneServerAloneWroteDownWasNeverDecidedIfTheNodeWentLater) {
    const auto gone = [](std::initializer_list<const char*> servers_of_the_first) {
        const LoggedTransaction made{.zxid = 6, .path = "/m/x-6", .session = 77, .time = 5009};
        const LoggedTransaction first{.zxid = 9, .path = "/m/x-6", .type = LogType::close_session, .session = 77, .time = 5100};
        const LoggedTransaction second{.zxid = 12, .path = "/m/x-6", .type = LogType::remove, .session = 77, .time = 5200};
        TransactionLogs logs;
        for (const char* server : servers_of_the_first) logs.add_file(server, made_up_log({made, first}));
        logs.add_file("2", made_up_log({made, second}));
        History history = timed({{"nemesis", "90 closing 77"}, {"a", "10 granted 1 /m exclusive 6 /m/x-6"}});
        complete(history, logs);
        return std::pair(history.holds[0].node_gone / millisecond, history.deleted.contains("/m/x-6"));
    };
    EXPECT_EQ(gone({"0"}), std::pair(Time{200}, false)); // the first removal was proposed by a leader that was cut off
    EXPECT_EQ(gone({"0", "1"}), std::pair(Time{100}, true));
}

/// The node of Curator's holder goes at 100 ms. The holder believes in its lock until 300 ms.
History beside_curator(const std::string& removed, const std::string& curator = "j", const std::string& granted = "10") {
    return completed(timed({{curator, "1 curator"},
                            {"j", granted + " granted 1 /m exclusive 0 /m/x-6; " + granted + " yes 1; 300 still 1"},
                            {"w", "200 granted 1 /m exclusive 7 /m/x-7; 201 yes 1; 250 still 1"}}),
                     {{.zxid = 6, .path = "/m/x-6", .time = 5009},
                      {.zxid = 9, .path = removed, .type = LogType::close_session, .time = 5100}});
}

TEST(Curator, AHolderWhoseNodeIsGoneIsCountedApart) {
    const History history = beside_curator("/m/x-6");
    EXPECT_TRUE(check_exclusion(history).empty());
    EXPECT_EQ(ignorant_beside_others(history), 1U);
    EXPECT_TRUE(check_heard(history).empty());
}

TEST(Curator, NoClientMayHoldBesideAHolderWhoseNodeExists) {
    const History history = beside_curator("/m/x-5");
    EXPECT_EQ(check_exclusion(history).size(), 1U);
    EXPECT_EQ(ignorant_beside_others(history), 0U);
}

TEST(Curator, ThisExcusesNoHolderOfDocents) {
    EXPECT_EQ(check_exclusion(beside_curator("/m/x-6", "somebody-else")).size(), 1U);
}

TEST(Curator, AGrantOfANodeThatWasGoneIsNoHold) {
    const History history = beside_curator("/m/x-6", "j", "210");
    EXPECT_TRUE(check_exclusion(history).empty());
    EXPECT_TRUE(check_tokens(history).empty());
    EXPECT_EQ(ignorant_beside_others(history), 1U);
}

} // namespace
} // namespace docent::chaos
