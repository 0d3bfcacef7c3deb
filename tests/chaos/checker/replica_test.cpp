// SPDX-License-Identifier: Apache-2.0
#include "checker/replica.hpp"

#include "checker/made_up.hpp"

#include <gtest/gtest.h>

namespace docent::chaos {
namespace {

using Odd = std::map<std::size_t, std::string>;

const Replica both{{"/m/a", "czxid 1 session 7"}, {"/m/b", "czxid 2 session 8"}};
const Replica only_a{{"/m/a", "czxid 1 session 7"}};
const Replica other_a{{"/m/a", "czxid 3 session 7"}};

TEST(Replicas, ADifferingReplicaIsFound) {
    EXPECT_EQ(odd_ones({both, both, both}, {both, both, both}), Odd{});
    EXPECT_EQ(odd_ones({only_a, both, only_a}, {only_a, both, only_a}), (Odd{{1, "shows /m/b czxid 2 session 8"}}));
    EXPECT_EQ(odd_ones({both, both, only_a}, {both, both, only_a}), (Odd{{2, "lacks /m/b czxid 2 session 8"}}));
    EXPECT_EQ(odd_ones({only_a, only_a, other_a}, {only_a, only_a, other_a}).count(2), 1U) << "not the same node";
}

TEST(Replicas, ANodeThatChangesMeanwhileIsNoViolation) {
    EXPECT_EQ(odd_ones({only_a, both, only_a}, {both, both, both}), Odd{}) << "it comes";
    EXPECT_EQ(odd_ones({only_a, both, only_a}, {only_a, only_a, only_a}), Odd{}) << "it goes";
    EXPECT_EQ(odd_ones({only_a, both, only_a}, {both, only_a, only_a}), Odd{});
}

TEST(Replicas, SessionsOfALeader) {
    const auto sessions = sessions_in("SessionTracker dump:\nSession Sets (2)/(2):\n0 expire at Sun Nov 22 03:01:42 UTC 2026:\n"
                                      "\t0x10002ac89490000\n\t0xf000000000000001\nephemeral nodes dump:\n"
                                      "Sessions with Ephemerals (1):\n0x9:\n\t/x\n");
    EXPECT_EQ(sessions, (std::set<std::int64_t>{0x10002ac89490000, static_cast<std::int64_t>(0xf000000000000001)}));
    EXPECT_TRUE(sessions_in("").empty());
}

TEST(Replicas, ExcuseNoProgressAndItemsWithoutOwnerInTheirCalm) {
    const History history = made_up({{"nemesis", "10 healed; 80 corrupt server-1 shows /m/a; 90 healed"}});
    for (const char* kind : {"progress", "items"}) {
        Violation violation{.kind = kind, .text = "/m"};
        const auto evidence = [&](Time healed, Time due) {
            violation.from = healed;
            violation.to = due;
            return evidence_in(history, {}, violation);
        };
        EXPECT_EQ(evidence(10, 70), "server-1 shows /m/a") << kind;
        EXPECT_EQ(evidence(90, 150), "") << kind << ": nothing was found after that";
        EXPECT_EQ(evidence(5, 6), "") << kind << ": another calm came before";
    }
}

} // namespace
} // namespace docent::chaos
