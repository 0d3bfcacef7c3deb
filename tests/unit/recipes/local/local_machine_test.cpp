// SPDX-License-Identifier: Apache-2.0
#include "local/local_machine.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace docent::detail {
namespace {

using Tickets = std::vector<std::uint64_t>;

constexpr LocalRules kept_mutex{.keeps = true};
constexpr LocalRules handed_on{.max_handovers = 2};
constexpr LocalRules kept_and_handed_on{.keeps = true, .max_handovers = 2};
constexpr LocalRules kept_reader{.shared = true, .keeps = true};

/// A machine and the number of holds of its node.
class Process {
public:
    explicit Process(LocalRules rules) : machine(rules) {}

    LocalDecision waits(std::uint64_t ticket) { return heard(machine.on_wait(ticket, false, inside)); }
    LocalDecision tries(std::uint64_t ticket) { return heard(machine.on_wait(ticket, true, inside)); }
    LocalDecision is_granted() {
        inside = 0;
        return heard(machine.on_granted());
    }
    LocalDecision leaves() {
        --inside;
        return open ? LocalDecision{.open = true} : heard(machine.on_left(inside));
    }
    LocalDecision sees(bool somebody) { return heard(machine.on_seen(somebody, inside)); }
    LocalDecision heard(LocalDecision decision) {
        inside += decision.granted.size();
        open = decision.open;
        return decision;
    }

    LocalMachine machine;
    std::uint64_t inside = 0;
    bool open = false;
};

TEST(LocalMachineTest, TheFirstOfAKeptMutexGetsItsOwnNode) {
    Process process(kept_mutex);
    const auto decision = process.waits(1);
    EXPECT_EQ(decision.alone, Tickets{1});
    EXPECT_FALSE(decision.enter);
}

TEST(LocalMachineTest, ANodeIsKeptOnceNoOtherClientIsSeen) {
    Process process(kept_mutex);
    process.waits(1);
    ASSERT_TRUE(process.machine.on_alone_granted());
    process.inside = 1;
    EXPECT_FALSE(process.leaves().retire) << "the list is on its way";
    EXPECT_FALSE(process.open);
    EXPECT_TRUE(process.sees(false).open);
}

TEST(LocalMachineTest, AWaiterFromBeforeTheListWaitsForIt) {
    Process process(kept_mutex);
    process.waits(1);
    process.machine.on_alone_granted();
    process.inside = 1;
    process.leaves();
    const auto decision = process.waits(2);
    EXPECT_TRUE(decision.granted.empty() && decision.alone.empty() && !decision.retire);
    EXPECT_EQ(process.sees(false).granted, Tickets{2});
}

TEST(LocalMachineTest, AWaiterFromBeforeAListThatShowsOthersGetsItsOwnNodeBehindThem) {
    Process process(kept_mutex);
    process.waits(1);
    process.machine.on_alone_granted();
    process.inside = 1;
    process.leaves();
    process.waits(2);
    const auto decision = process.sees(true);
    EXPECT_TRUE(decision.retire);
    EXPECT_EQ(decision.alone, Tickets{2});
    EXPECT_TRUE(decision.granted.empty());
}

TEST(LocalMachineTest, WithoutHandoversEachWaiterStandsInTheQueueForItself) {
    Process process(kept_mutex);
    process.machine.on_alone_granted();
    process.inside = 1;
    process.sees(false);
    const auto decision = process.waits(2);
    EXPECT_EQ(decision.alone, Tickets{2});
    EXPECT_TRUE(decision.retire) << "it comes behind the holder: whoever comes later must not come before it";
    EXPECT_EQ(process.waits(3).alone, Tickets{3});
}

TEST(LocalMachineTest, EachNodeIsHandedOnAsOftenAsTheFirst) {
    Process process(handed_on);
    for (std::uint64_t ticket = 1; ticket <= 7; ++ticket) process.waits(ticket);
    for (const std::uint64_t first : {1U, 4U}) {
        EXPECT_EQ(process.is_granted().granted, Tickets{first});
        process.sees(true);
        EXPECT_EQ(process.leaves().granted, Tickets{first + 1});
        EXPECT_EQ(process.leaves().granted, Tickets{first + 2});
        EXPECT_TRUE(process.leaves().retire);
    }
}

TEST(LocalMachineTest, UnseenContendersCountAsOthers) {
    Process process(handed_on);
    for (const std::uint64_t ticket : {1, 2, 3, 4}) process.waits(ticket);
    process.is_granted();
    process.leaves();
    process.leaves();
    EXPECT_TRUE(process.leaves().granted.empty()) << "until the list has come";
    EXPECT_TRUE(process.machine.has_node());
    EXPECT_EQ(process.sees(false).granted, Tickets{4});
}

TEST(LocalMachineTest, WithoutOthersItIsHandedOnWithoutEnd) {
    Process process(handed_on);
    for (std::uint64_t ticket = 1; ticket <= 100; ++ticket) process.waits(ticket);
    process.is_granted();
    process.sees(false);
    for (std::uint64_t ticket = 2; ticket <= 100; ++ticket) EXPECT_EQ(process.leaves().granted, Tickets{ticket});
}

TEST(LocalMachineTest, ATryIsRefusedIfOthersWaitOrHold) {
    Process process(handed_on);
    EXPECT_EQ(process.tries(1).alone, Tickets{1}) << "it may be free";
    process.waits(2);
    EXPECT_EQ(process.tries(3).refused, Tickets{3}) << "somebody waits";
    process.is_granted();
    EXPECT_EQ(process.tries(4).refused, Tickets{4}) << "somebody holds";
}

TEST(LocalMachineTest, ATryTakesAKeptNode) {
    Process process(kept_and_handed_on);
    process.waits(1);
    process.is_granted();
    process.leaves();
    EXPECT_EQ(process.tries(2).granted, Tickets{2});
}

TEST(LocalMachineTest, ReadersShareANodeAndTheWaitForIt) {
    Process process(kept_reader);
    EXPECT_TRUE(process.waits(1).enter);
    process.waits(2);
    EXPECT_EQ(process.is_granted().granted, (Tickets{1, 2}));
    EXPECT_TRUE(process.sees(false).open);
    process.leaves();
    process.leaves();
    EXPECT_TRUE(process.machine.has_node());
}

TEST(LocalMachineTest, AReaderBehindAWriterGetsAnotherNode) {
    Process process(kept_reader);
    process.waits(1);
    process.is_granted();
    EXPECT_TRUE(process.sees(true).retire) << "nobody comes in any more; it is given back by who leaves";
    EXPECT_TRUE(process.waits(2).enter);
}

TEST(LocalMachineTest, ATryingReaderDoesNotQueueBehindWaiters) {
    Process process(kept_reader);
    process.waits(1);
    EXPECT_EQ(process.tries(2).alone, Tickets{2}) << "it would read beside whom it waits for, or not at all";
}

TEST(LocalMachineTest, AFailedAttemptFailsAllItsWaiters) {
    Process process(handed_on);
    process.waits(1);
    process.waits(2);
    EXPECT_EQ(process.heard(process.machine.on_failed()).failed, (Tickets{1, 2}));
    EXPECT_TRUE(process.waits(3).enter);
}

TEST(LocalMachineTest, AnIdleNodeGoesAfterItsTime) {
    Process process(kept_reader);
    process.waits(1);
    process.is_granted();
    process.sees(false);
    EXPECT_FALSE(process.heard(process.machine.on_idle(process.inside)).retire) << "somebody reads";
    process.leaves();
    EXPECT_TRUE(process.heard(process.machine.on_idle(process.inside)).retire);
}

TEST(LocalMachineTest, AChangeClosesItUntilTheQueueIsSeenAgain) {
    Process process(kept_reader);
    process.waits(1);
    process.is_granted();
    process.sees(false);
    EXPECT_FALSE(process.heard(process.machine.on_unseen(1)).open);
    EXPECT_TRUE(process.waits(2).granted.empty());
    EXPECT_EQ(process.sees(false).granted, Tickets{2});
    EXPECT_TRUE(process.open);
}

TEST(LocalMachineTest, ANodeThatSomethingStandsBesideGoesWithItsHolder) {
    Process process(kept_and_handed_on);
    process.waits(1);
    process.is_granted();
    process.sees(false);
    process.waits(2);
    const auto decision = process.heard(process.machine.on_retire());
    EXPECT_TRUE(decision.retire);
    EXPECT_TRUE(decision.enter);
}

TEST(LocalMachineTest, ANodeThatIsLostAndThenRetiredIsFollowedByOneAttempt) {
    Process process(handed_on);
    process.waits(1);
    process.is_granted();
    process.waits(2);
    EXPECT_TRUE(process.heard(process.machine.on_lost()).enter);
    const auto decision = process.heard(process.machine.on_retire());
    EXPECT_FALSE(decision.retire);
    EXPECT_FALSE(decision.enter);
}

// ---- any order of events

class LocalMachineWalk : public testing::TestWithParam<LocalRules> {};

/// Each waiter is answered once. Exclusive holds never overlap. Consecutive local hand-overs have their bound. Waiters that
/// wait together enter in their order.
TEST_P(LocalMachineWalk, HoldsItsPromisesInAnyOrderOfEvents) {
    const LocalRules rules = GetParam();
    std::mt19937 random(7);
    for (int walk = 0; walk < 300; ++walk) {
        Process process(rules);
        std::uint64_t last = 0;
        std::set<std::uint64_t> waiting;
        bool awaited = false;
        bool quiet = false; // no other client was seen waiting for this node, and none has come since
        unsigned in_a_row = 0;
        std::uint64_t last_granted = 0;
        const auto check = [&](const LocalDecision& decision, bool first) {
            for (const auto ticket : decision.granted) {
                EXPECT_EQ(waiting.erase(ticket), 1U);
                EXPECT_GT(ticket, last_granted) << "not as they came";
                last_granted = ticket;
            }
            for (const auto* answered : {&decision.alone, &decision.refused, &decision.failed}) {
                for (const auto ticket : *answered) EXPECT_EQ(waiting.erase(ticket), 1U);
            }
            if (!rules.shared) {
                EXPECT_LE(decision.granted.size(), 1U);
                EXPECT_LE(process.inside, 1U);
                in_a_row = first ? 0 : in_a_row + static_cast<unsigned>(decision.granted.size());
                EXPECT_TRUE(quiet || decision.granted.empty() || in_a_row <= rules.max_handovers);
            }
            EXPECT_TRUE(!decision.open || (quiet && rules.keeps && waiting.empty()));
            if (decision.retire) {
                process.inside = 0;
                quiet = false;
            }
            if (decision.enter) awaited = true;
            if (decision.cancel) awaited = false;
            EXPECT_EQ(process.machine.waiting(), waiting.size());
            EXPECT_TRUE(process.machine.has_node() || waiting.empty() || awaited) << "nobody does anything for them";
        };
        for (int step = 0; step < 60 && !HasFailure(); ++step) {
            const bool has_node = process.machine.has_node();
            switch (random() % 10) {
            case 0:
            case 1:
            case 2:
                waiting.insert(++last);
                check(random() % 4 == 0 ? process.tries(last) : process.waits(last), false);
                break;
            case 3:
                if (!waiting.empty()) {
                    const auto ticket = *waiting.begin();
                    waiting.erase(ticket);
                    check(process.heard(process.machine.on_gone(ticket, process.inside)), false);
                }
                break;
            case 4:
                if (awaited) {
                    awaited = false;
                    quiet = false;
                    check(process.is_granted(), true);
                }
                break;
            case 5:
            case 6:
                if (has_node && process.inside > 0) check(process.leaves(), false);
                break;
            case 7:
                if (has_node) {
                    const bool somebody = random() % 2 == 0;
                    quiet = !somebody;
                    check(process.sees(somebody), false);
                }
                break;
            case 8:
                if (has_node && random() % 3 == 0) {
                    quiet = false;
                    process.inside = 0;
                    check(process.heard(process.machine.on_lost()), false);
                } else if (has_node) {
                    quiet = false;
                    check(process.heard(process.machine.on_unseen(process.inside)), false);
                }
                break;
            case 9:
                if (has_node) {
                    check(process.heard(process.machine.on_idle(process.inside)), false);
                } else if (awaited && random() % 3 == 0) {
                    awaited = false;
                    check(process.heard(process.machine.on_failed()), false);
                } else if (!awaited && !rules.joins()) {
                    if (process.machine.on_alone_granted()) {
                        process.inside = 1;
                        quiet = false;
                        in_a_row = 0;
                    }
                }
                break;
            default: break;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Rules, LocalMachineWalk,
                         testing::Values(kept_mutex, handed_on, kept_and_handed_on, kept_reader,
                                         LocalRules{.shared = true, .max_handovers = 3}));

} // namespace
} // namespace docent::detail
