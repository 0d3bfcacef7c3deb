// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checker/made_up.hpp"

#include <chrono>

namespace docent::chaos {
namespace {

using namespace std::chrono_literals;

std::size_t exclusions(const Events& events) {
    return check_exclusion(made_up(events)).size();
}
std::size_t tokens(const Events& events) {
    return check_tokens(made_up(events)).size();
}

const Events::value_type a_holds_until_20{"a", "10 granted 1 /m exclusive 5 /m/x-5; 11 yes 1; 20 still 1"};
const Events::value_type a_reads_until_20{"a", "10 granted 1 /l shared 5 /l/r-5; 11 yes 1; 20 still 1"};

TEST(Exclusion, OneAfterTheOtherIsWell) {
    const Events events{a_holds_until_20, {"b", "21 granted 1 /m exclusive 6 /m/x-6; 22 yes 1"}};
    EXPECT_EQ(exclusions(events), 0U);
    EXPECT_EQ(tokens(events), 0U);
}

TEST(Exclusion, TwoOwnersOfOneMutexAreFound) {
    const Violations found = check_exclusion(made_up({{"a", "10 granted 1 /m exclusive 5 /m/x-5; 11 yes 1; 23 still 1"},
                                                      {"b", "21 granted 7 /m exclusive 6 /m/x-6; 22 yes 7; 30 still 7"}}));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].from, 22);
    EXPECT_EQ(found[0].to, 23);
    EXPECT_EQ(found[0].works, (std::vector<Work>{{"a", 1}, {"b", 7}}));
}

TEST(Exclusion, AGrantThatWasNeverOwnedExcludesNoClient) {
    EXPECT_EQ(exclusions({a_holds_until_20, {"b", "12 granted 1 /m exclusive 6 /m/x-6"}}), 0U);
}

TEST(Exclusion, ADeletedNodeExcusesOnlyItsHolder) {
    const auto found = [](const char* deleted) {
        return exclusions({{"nemesis", deleted}, a_holds_until_20, {"b", "12 granted 1 /m exclusive 6 /m/x-6; 13 yes 1"}});
    };
    EXPECT_EQ(found("1 deleting /m/x-5"), 0U);
    EXPECT_EQ(found("1 deleting /m/x-6"), 1U);
}

TEST(Exclusion, ReadersShareAndAWriterDoesNot) {
    EXPECT_EQ(exclusions({a_reads_until_20, {"b", "12 granted 1 /l shared 6 /l/r-6; 13 yes 1; 21 still 1"}}), 0U);
    EXPECT_EQ(exclusions({a_reads_until_20, {"b", "12 granted 1 /l exclusive 6 /l/w-6; 13 yes 1"}}), 1U);
}

TEST(Exclusion, OnePermitTooManyIsFound) {
    const auto found = [](const std::string& mode) {
        const std::string grant = "10 granted 1 /s " + mode;
        return check_exclusion(
            made_up({{"a", grant + " 5 /s/5;" + grant + " 6 /s/6; 11 yes 1; 20 still 1"}, {"b", grant + " 7 /s/7; 12 yes 1"}}));
    };
    EXPECT_TRUE(found("permit:3").empty());
    ASSERT_EQ(found("permit:2").size(), 1U);
    EXPECT_EQ(found("permit:2")[0].holds.size(), 3U);
}

TEST(Exclusion, AMultiLockOwnsAllOfItsLocks) {
    const Violations found = check_exclusion(
        made_up({{"a", "10 granted 1 /m exclusive 5 /m/x-5; 10 granted 1 /n exclusive 6 /n/x-6; 11 yes 1; 20 still 1"},
                 {"b", "12 granted 1 /n exclusive 7 /n/x-7; 13 yes 1"}}));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].holds[0].resource, "/n");
}

TEST(Exclusion, TwoHoldsOfOneNodeAtOnceAreFound) {
    EXPECT_EQ(exclusions({{"nemesis", "1 deleting /m/x-5"},
                          {"a", "10 granted 1 /m exclusive 5 /m/x-5 1; 11 yes 1"},
                          {"a", "12 granted 2 /m exclusive 5 /m/x-5 2; 13 yes 2; 20 still 1"}}),
              1U)
        << "no deletion excuses what happens in one process";
}

TEST(Tokens, AnOlderTokenAfterANewerOneIsFound) {
    const Events events{{"a", "10 granted 1 /m exclusive 6 /m/x-6; 11 yes 1; 12 released 1 well"},
                        {"b", "20 granted 1 /m exclusive 5 /m/x-5; 21 yes 1"}};
    EXPECT_EQ(exclusions(events), 0U);
    EXPECT_EQ(tokens(events), 1U);
}

TEST(Tokens, ReadersHaveNoOrderAmongThemselvesButAfterWriters) {
    const Events::value_type late_reader{"b", "20 granted 1 /l shared 5 /l/r-5; 21 yes 1"};
    EXPECT_EQ(tokens({{"a", "10 granted 1 /l shared 6 /l/r-6; 11 yes 1"}, late_reader}), 0U);
    EXPECT_EQ(tokens({{"a", "10 granted 1 /l exclusive 6 /l/w-6; 11 yes 1"}, late_reader}), 1U);
}

TEST(Tokens, HoldsOfOneNodeGoByTheirNumbers) {
    const auto found = [](const std::string& process, const std::string& node) {
        return tokens({{"a", "10 granted 1 /m exclusive 6 /m/x-6 2; 11 yes 1; 12 released 1 well"},
                       {process, "20 granted 7 /m exclusive 6 " + node + "; 21 yes 7"}});
    };
    EXPECT_EQ(found("a", "/m/x-6 3"), 0U);
    EXPECT_EQ(found("a", "/m/x-6 2"), 1U);
    EXPECT_EQ(found("a", "/m/x-6 1"), 1U);
    EXPECT_EQ(found("b", "/m/x-6 3"), 1U) << "another process";
    EXPECT_EQ(found("a", "-"), 0U) << "a thread's, which does not know";
}

/// The process a has the node /m/x-5. It is granted after the next holder.
std::size_t violations_of_a_late_grant(const std::string& deleting, const std::string& number_of_hold) {
    return tokens({{"nemesis", "1 timeout 4000;" + deleting},
                   {"b", "10 granted 1 /m exclusive 6 /m/x-6 1; 11 yes 1; 12 released 1 well"},
                   {"a", "5000000013 granted 7 /m exclusive 5 /m/x-5 " + number_of_hold + "; 5000000014 yes 7"}});
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

TEST(Tokens, ADowngradedHolderKeepsItsOwn) {
    const auto found = [](const char* reader) {
        return tokens({{"a", "10 granted 1 /l exclusive 6 /l/w-6; 11 yes 1; 12 released 1 downgraded"},
                       {reader, "13 granted 2 /l shared 6 /l/r-7; 14 yes 2"}});
    };
    EXPECT_EQ(found("a"), 0U);
    EXPECT_EQ(found("b"), 1U);
}

std::optional<Margin> margin(const Events& events, bool session_ended = true) {
    return smallest_margin(made_up(events), [&](const std::string&) { return session_ended; });
}

TEST(Margin, IsFromTheLastYesOfALostLockToTheNextOwner) {
    const auto found = margin({{"a", "10 granted 1 /m exclusive 5 /m/x-5; 11 yes 1; 20 still 1; 25 lost 1"},
                               {"b", "50 granted 1 /m exclusive 6 /m/x-6; 57 yes 1; 58 released 1 well"},
                               {"c", "59 granted 1 /m exclusive 7 /m/x-7; 60 yes 1"}});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->time, 37ns);
    EXPECT_EQ(found->text, "/m, from a (work 1, token 5) to b (work 1, token 6)");
}

TEST(Margin, LeavesOutSessionsThatEndedAtOnceAndDeletedNodes) {
    const auto found = [](const char* process, const char* event, bool session_ended = true) {
        return margin({{"a", "10 granted 1 /m exclusive 5 /m/x-5; 11 yes 1"},
                       {process, event},
                       {"a", "25 lost 1"},
                       {"b", "50 granted 1 /m exclusive 6 /m/x-6; 57 yes 1"}},
                      session_ended);
    };
    EXPECT_FALSE(found("a", "20 renew"));
    EXPECT_FALSE(found("nemesis", "20 deleting /m/x-5"));
    ASSERT_TRUE(found("nemesis", "20 deleting /m/x-6"));
    EXPECT_EQ(found("nemesis", "20 deleting /m/x-6")->time, 46ns);
    EXPECT_FALSE(found("nemesis", "20 deleting /m/x-6", false)) << "it was released after the loss";
}

} // namespace
} // namespace docent::chaos
