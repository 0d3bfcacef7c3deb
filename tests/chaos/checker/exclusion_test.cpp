// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checker/made_up.hpp"

#include <chrono>

namespace docent::chaos {
namespace {

using namespace std::chrono_literals;

TEST(Exclusion, OneAfterTheOtherIsWell) {
    const History history = made_up({{"a", "10 granted 1 /m exclusive 5 /m/x-5"},
                                     {"a", "11 yes 1"},
                                     {"a", "20 still 1"},
                                     {"b", "21 granted 1 /m exclusive 6 /m/x-6"},
                                     {"b", "22 yes 1"}});
    EXPECT_TRUE(check_exclusion(history).empty());
    EXPECT_TRUE(check_tokens(history).empty());
}

TEST(Exclusion, TwoOwnersOfOneMutexAreFound) {
    const History history = made_up({{"a", "10 granted 1 /m exclusive 5 /m/x-5"},
                                     {"a", "11 yes 1"},
                                     {"b", "21 granted 7 /m exclusive 6 /m/x-6"},
                                     {"b", "22 yes 7"},
                                     {"b", "30 still 7"},
                                     {"a", "23 still 1"}});
    const Violations found = check_exclusion(history);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].from, 22);
    EXPECT_EQ(found[0].to, 23);
    EXPECT_EQ(found[0].works, (std::vector<Work>{{"a", 1}, {"b", 7}}));
}

TEST(Exclusion, AGrantThatWasNeverOwnedExcludesNoClient) {
    const History history = made_up({{"a", "10 granted 1 /m exclusive 5 /m/x-5"},
                                     {"a", "11 yes 1"},
                                     {"b", "12 granted 1 /m exclusive 6 /m/x-6"},
                                     {"a", "20 still 1"}});
    EXPECT_TRUE(check_exclusion(history).empty());
}

TEST(Exclusion, ADeletedNodeExcusesOnlyItsHolder) {
    const auto history = [](const char* deleted) {
        return made_up({{"nemesis", deleted},
                        {"a", "10 granted 1 /m exclusive 5 /m/x-5"},
                        {"a", "11 yes 1"},
                        {"b", "12 granted 1 /m exclusive 6 /m/x-6"},
                        {"b", "13 yes 1"},
                        {"a", "20 still 1"}});
    };
    EXPECT_TRUE(check_exclusion(history("1 deleting /m/x-5")).empty());
    EXPECT_EQ(check_exclusion(history("1 deleting /m/x-6")).size(), 1U);
}

TEST(Exclusion, ReadersShareAndAWriterDoesNot) {
    const History readers = made_up({{"a", "10 granted 1 /l shared 5 /l/r-5"},
                                     {"a", "11 yes 1"},
                                     {"b", "12 granted 1 /l shared 6 /l/r-6"},
                                     {"b", "13 yes 1"},
                                     {"a", "20 still 1"},
                                     {"b", "21 still 1"}});
    EXPECT_TRUE(check_exclusion(readers).empty());
    const History writer = made_up({{"a", "10 granted 1 /l shared 5 /l/r-5"},
                                    {"a", "11 yes 1"},
                                    {"b", "12 granted 1 /l exclusive 6 /l/w-6"},
                                    {"b", "13 yes 1"},
                                    {"a", "20 still 1"}});
    EXPECT_EQ(check_exclusion(writer).size(), 1U);
}

TEST(Exclusion, OnePermitTooManyIsFound) {
    const auto history = [](const char* mode) {
        const std::string grant = std::string("10 granted 1 /s ") + mode;
        return made_up({{"a", (grant + " 5 /s/5").c_str()},
                        {"a", (grant + " 6 /s/6").c_str()},
                        {"a", "11 yes 1"},
                        {"b", (grant + " 7 /s/7").c_str()},
                        {"b", "12 yes 1"},
                        {"a", "20 still 1"}});
    };
    EXPECT_TRUE(check_exclusion(history("permit:3")).empty());
    const Violations found = check_exclusion(history("permit:2"));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].holds.size(), 3U);
}

TEST(Exclusion, AMultiLockOwnsAllOfItsLocks) {
    const History history = made_up({{"a", "10 granted 1 /m exclusive 5 /m/x-5"},
                                     {"a", "10 granted 1 /n exclusive 6 /n/x-6"},
                                     {"a", "11 yes 1"},
                                     {"b", "12 granted 1 /n exclusive 7 /n/x-7"},
                                     {"b", "13 yes 1"},
                                     {"a", "20 still 1"}});
    const Violations found = check_exclusion(history);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].holds[0].resource, "/n");
}

TEST(Tokens, AnOlderTokenAfterANewerOneIsFound) {
    const History history = made_up({{"a", "10 granted 1 /m exclusive 6 /m/x-6"},
                                     {"a", "11 yes 1"},
                                     {"a", "12 released 1 well"},
                                     {"b", "20 granted 1 /m exclusive 5 /m/x-5"},
                                     {"b", "21 yes 1"}});
    EXPECT_TRUE(check_exclusion(history).empty());
    EXPECT_EQ(check_tokens(history).size(), 1U);
}

TEST(Tokens, ReadersHaveNoOrderAmongThemselvesButAfterWriters) {
    const History readers = made_up({{"a", "10 granted 1 /l shared 6 /l/r-6"},
                                     {"a", "11 yes 1"},
                                     {"b", "20 granted 1 /l shared 5 /l/r-5"},
                                     {"b", "21 yes 1"}});
    EXPECT_TRUE(check_tokens(readers).empty());
    const History late = made_up({{"a", "10 granted 1 /l exclusive 6 /l/w-6"},
                                  {"a", "11 yes 1"},
                                  {"b", "20 granted 1 /l shared 5 /l/r-5"},
                                  {"b", "21 yes 1"}});
    EXPECT_EQ(check_tokens(late).size(), 1U);
}

TEST(Tokens, HoldsOfOneNodeGoByTheirNumbers) {
    const auto history = [](const char* process, const char* next) {
        return made_up({{"a", "10 granted 1 /m exclusive 6 /m/x-6 2"},
                        {"a", "11 yes 1"},
                        {"a", "12 released 1 well"},
                        {process, next},
                        {process, "21 yes 7"}});
    };
    EXPECT_TRUE(check_tokens(history("a", "20 granted 7 /m exclusive 6 /m/x-6 3")).empty());
    EXPECT_EQ(check_tokens(history("a", "20 granted 7 /m exclusive 6 /m/x-6 2")).size(), 1U);
    EXPECT_EQ(check_tokens(history("a", "20 granted 7 /m exclusive 6 /m/x-6 1")).size(), 1U);
    EXPECT_EQ(check_tokens(history("b", "20 granted 7 /m exclusive 6 /m/x-6 3")).size(), 1U) << "another process";
    EXPECT_TRUE(check_tokens(history("a", "20 granted 7 /m exclusive 6 -")).empty()) << "a thread's, which does not know";
}

/// The process a has the node /m/x-5. It is granted after the next holder.
std::size_t violations_of_a_late_grant(std::string_view deleting, std::string_view number_of_hold) {
    const std::string granted = "5000000013 granted 7 /m exclusive 5 /m/x-5 " + std::string(number_of_hold);
    return check_tokens(made_up({{"nemesis", "1 timeout 4000"},
                                 {"nemesis", std::string(deleting).c_str()},
                                 {"b", "10 granted 1 /m exclusive 6 /m/x-6 1"},
                                 {"b", "11 yes 1"},
                                 {"b", "12 released 1 well"},
                                 {"a", granted.c_str()},
                                 {"a", "5000000014 yes 7"}}))
        .size();
}

TEST(Tokens, ADeletedNodeThatStaysWithItsProcessIsExcused) {
    EXPECT_EQ(violations_of_a_late_grant("1 deleting /m/x-5", "2"), 0U);
    EXPECT_EQ(violations_of_a_late_grant("1 deleting /m/x-6", "2"), 1U);
}

TEST(Tokens, AGrantThatIsUnderWayWhenTheNodeIsDeletedIsExcusedForAsLongAsTheHolderCannotKnow) {
    EXPECT_EQ(violations_of_a_late_grant("20 deleting /m/x-5", "1"), 0U);
    EXPECT_EQ(violations_of_a_late_grant("20 deleting /m/x-6", "1"), 1U);
    EXPECT_EQ(violations_of_a_late_grant("13 deleting /m/x-5", "1"), 1U) << "T and a second ago: no old answer can be new";
    EXPECT_EQ(violations_of_a_late_grant("5000000015 deleting /m/x-5", "1"), 1U) << "the node was there";
}

TEST(Exclusion, TwoHoldsOfOneNodeAtOnceAreFound) {
    const History history = made_up({{"nemesis", "1 deleting /m/x-5"},
                                     {"a", "10 granted 1 /m exclusive 5 /m/x-5 1"},
                                     {"a", "11 yes 1"},
                                     {"a", "12 granted 2 /m exclusive 5 /m/x-5 2"},
                                     {"a", "13 yes 2"},
                                     {"a", "20 still 1"}});
    EXPECT_EQ(check_exclusion(history).size(), 1U) << "no deletion excuses what happens in one process";
}

TEST(Tokens, ADowngradedHolderKeepsItsOwn) {
    const auto history = [](const char* reader) {
        return made_up({{"a", "10 granted 1 /l exclusive 6 /l/w-6"},
                        {"a", "11 yes 1"},
                        {"a", "12 released 1 downgraded"},
                        {reader, "13 granted 2 /l shared 6 /l/r-7"},
                        {reader, "14 yes 2"}});
    };
    EXPECT_TRUE(check_tokens(history("a")).empty());
    EXPECT_EQ(check_tokens(history("b")).size(), 1U);
}

std::optional<std::chrono::nanoseconds> margin(const History& history) {
    const auto smallest = smallest_margin(history, [](const std::string&) { return true; });
    return smallest ? std::optional(smallest->time) : std::nullopt;
}

TEST(Margin, IsFromTheLastYesOfALostLockToTheNextOwner) {
    const History history = made_up({{"a", "10 granted 1 /m exclusive 5 /m/x-5"},
                                     {"a", "11 yes 1"},
                                     {"a", "20 still 1"},
                                     {"a", "25 lost 1"},
                                     {"b", "50 granted 1 /m exclusive 6 /m/x-6"},
                                     {"b", "57 yes 1"},
                                     {"b", "58 released 1 well"},
                                     {"c", "59 granted 1 /m exclusive 7 /m/x-7"},
                                     {"c", "60 yes 1"}});
    EXPECT_EQ(margin(history), 37ns);
    EXPECT_EQ(smallest_margin(history, [](const std::string&) { return true; })->text,
              "/m, from a (work 1, token 5) to b (work 1, token 6)");
}

TEST(Margin, LeavesOutSessionsThatEndedAtOnceAndDeletedNodes) {
    const auto history = [](const char* process, const char* event) {
        return made_up({{"a", "10 granted 1 /m exclusive 5 /m/x-5"},
                        {"a", "11 yes 1"},
                        {process, event},
                        {"a", "25 lost 1"},
                        {"b", "50 granted 1 /m exclusive 6 /m/x-6"},
                        {"b", "57 yes 1"}});
    };
    EXPECT_EQ(margin(history("a", "20 renew")), std::nullopt);
    EXPECT_EQ(margin(history("nemesis", "20 deleting /m/x-5")), std::nullopt);
    EXPECT_EQ(margin(history("nemesis", "20 deleting /m/x-6")), 46ns);
    const auto no_session_ended = [](const std::string&) { return false; }; // it was released after the loss
    EXPECT_FALSE(smallest_margin(history("nemesis", "20 deleting /m/x-6"), no_session_ended));
}

} // namespace
} // namespace docent::chaos
