// SPDX-License-Identifier: Apache-2.0

// A leader that is cut off, or stopped, leads no more when the next leader does. The margin is the time from its last yes of
// has_leadership() (by the time of the question) until the first yes of the next leader. The margin must be above zero; the
// smallest is printed. DOCENT_MARGIN_ROUNDS sets the number of rounds (tests/README.md).

#include "clients.hpp"
#include "docent_process.hpp"
#include "eventually.hpp"
#include "leader_answers.hpp"
#include "seeds.hpp"

#include <docent/client.hpp>
#include <docent/recipes/leader_latch.hpp>
#include <docent/testing/fault_proxy.hpp>
#include <docent/testing/testing_server.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <signal.h>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::testing::FaultProxy;
using docent::testing::TestingServer;
using test::eventually;
using test::steady_now;

constexpr auto tick_of_leaders = 1'000ms;
constexpr std::chrono::seconds until_another_leads{60};

/// A leader in its own process, the fault that hits it, and a contender that waits for the leadership.
class Succession {
public:
    Succession(FaultProxy& way, Client& others, const std::string& path)
        : way_(way),
          leader_(
              {.words = {way.connect_string(), path, std::to_string(2 * tick_of_leaders / 1ms), (folder_ / "words").string()},
               .program = DOCENT_LEADER_PROGRAM}),
          next_(others, path, {.id = "the next"}) {}

    bool begins() {
        if (!eventually([&] { return said_->last_no > 0; }, until_another_leads)) return false;
        if (!eventually([&] { return asked()->last_yes > 0; }, until_another_leads)) return false;
        next_.start();
        return eventually([&] { return next_.participants().size() == 2; });
    }
    void black_hole() { way_.black_hole(); }
    void stop() { leader_.send(SIGSTOP); }
    void strike(void (Succession::*fault)()) {
        struck_ = true;
        led_ = said_->last_yes > said_->last_no;
        (this->*fault)();
    }
    bool is_struck() const { return struck_; }
    /// Ends the fault.
    void go_on() {
        way_.heal();
        leader_.send(SIGCONT);
    }

    void look() {
        ask();
        const auto now = steady_now();
        if (!next_leads_ && next_.has_leadership()) next_leads_ = now;
    }
    bool is_over() const { return next_leads_.has_value(); }

    /// Asks the leader again and returns the margin; nothing if the leader had lost the leadership before the fault.
    std::optional<std::int64_t> margin() {
        EXPECT_TRUE(eventually([&] { return asked()->last_no > next_leads_.value(); }));
        EXPECT_LT(said_->last_yes, next_leads_.value()) << "there were two";
        return led_ ? std::optional(next_leads_.value() - said_->last_yes) : std::nullopt;
    }

private:
    /// The leader answers when it runs: a stopped leader answers first of all when it continues.
    void ask() { leader_.send(SIGUSR1); }
    test::SharedLeaderAnswers& asked() {
        ask();
        return said_;
    }

    test::Folder folder_;
    test::SharedLeaderAnswers said_{(folder_ / "words").string()};
    FaultProxy& way_;
    test::DocentProcess leader_;
    LeaderLatch next_;
    bool struck_ = false;
    bool led_ = false; // whether it led when the fault began
    std::optional<std::int64_t> next_leads_;
};

/// Hits `at_once` leaders at different times, round after round, and records their margins in milliseconds.
void measure_successions(const std::string& what, void (Succession::*fault)()) {
    constexpr std::uint64_t at_once = 10;
    const std::uint64_t wanted = number_from("DOCENT_MARGIN_ROUNDS", repetitions<std::uint64_t>(5));
    TestingServer server({.tick_time = tick_of_leaders});
    Client others = started({.connect_string = server.connect_string(),
                             .session_timeout = 20 * tick_of_leaders,
                             .ensemble_tracking = EnsembleTracking::off});
    others.wait_connected();
    std::mt19937 random(std::random_device{}());
    std::uniform_int_distribution<std::int64_t> phase(0, std::chrono::nanoseconds(tick_of_leaders).count());
    std::vector<std::int64_t> margins;
    for (std::uint64_t begun = 0; margins.size() < wanted && begun < 3 * wanted;) {
        std::deque<FaultProxy> ways;
        std::deque<Succession> round;
        for (std::uint64_t i = 0; i < std::min(at_once, wanted - margins.size()); ++i) {
            round.emplace_back(ways.emplace_back(server.port()), others, "/election-" + std::to_string(++begun));
        }
        for (Succession& each : round) ASSERT_TRUE(each.begins());
        std::vector<std::int64_t> due;
        for (std::size_t i = 0; i < round.size(); ++i) due.push_back(steady_now() + phase(random));
        const bool all_over = eventually(
            [&] {
                for (std::size_t i = 0; i < round.size(); ++i) {
                    round[i].look();
                    if (!round[i].is_struck() && steady_now() >= due[i]) round[i].strike(fault);
                }
                return std::all_of(round.begin(), round.end(), [](const Succession& each) { return each.is_over(); });
            },
            until_another_leads);
        ASSERT_TRUE(all_over) << "nobody else leads";
        for (Succession& each : round) {
            each.go_on();
            if (const auto margin = each.margin()) margins.push_back(*margin / 1'000'000);
        }
    }
    ASSERT_FALSE(margins.empty());
    std::cout << "[ margin   ] " << what << ", T of 2 ticks: " << *std::min_element(margins.begin(), margins.end())
              << " ms at least, of " << margins.size() << '\n';
}

TEST(LeadMargin, BehindABlackHoleTheOldLeaderLeadsNoMoreWhenTheNextOneDoes) {
    measure_successions("leader behind a black hole", &Succession::black_hole);
}

TEST(LeadMargin, AStoppedLeaderLeadsNoMoreWhenTheNextOneDoes) {
    measure_successions("leader that is stopped", &Succession::stop);
}

} // namespace
} // namespace docent
