// SPDX-License-Identifier: Apache-2.0

// Leader latches on a fake ensemble, with all kinds of faults.

#include "fake_recipes/actor.hpp"
#include "fake_recipes/fake_latch.hpp"
#include "injuries.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

/// Stands for election with a LeaderLatch in a FakeWorld, and checks the promises of the latch.
class LatchActor final : public Actor {
public:
    /// Chances in a term.
    struct Habits {
        double lingers = 0; // it leads longer than a session can be silent
        double leaves = 0;  // it closes its latch at some time, leading or not, and opens another one
    };

    /// `terms`: how often it leads before it ends.
    LatchActor(FakeWorld& world, std::size_t client, int terms, Habits habits)
        : Actor(world, client), terms_(terms), habits_(habits) {}

    bool ready() const override { return !latch_ && terms_ > 0; }
    void act() override {
        latch_ = make_fake_latch(world_, client_index_, "candidate");
        listening_ = latch_->listen([this](const LeadershipEvent& event) { on_event(event); });
        static_cast<void>(latch_->start());
        if (chance(habits_.leaves)) leaving_ = later(random_ms(2000), [this] { leave(); });
    }

    void leave() {
        if (const auto latch = std::exchange(latch_, nullptr)) latch->close(LatchClose::silently, *latch->view(), [] {});
        listening_.reset();
        leaving_.reset();
        leading_.reset();
        led_ = false;
    }
    /// Leaves at once, and does not return.
    void give_up() {
        terms_ = 0;
        leave();
    }

    bool finished() const override { return !latch_ && terms_ == 0; }

    /// While the latch says that it leads, its node must be the first in the queue, unless a fault has just removed the node.
    void check_exclusion() {
        const auto leadership = latch_ ? latch_->leadership() : nullptr;
        if (!leadership || world_.was_taken(leadership->node_path())) return;
        if (world_.first() != leadership->node_path()) complain("leads by " + leadership->node_path());
    }

    std::vector<std::int64_t> tokens;
    std::function<void(std::int64_t)> on_lead = [](std::int64_t) {};

private:
    void complain(const std::string& text) { Actor::complain(text + ", first is " + world_.first()); }

    void on_event(const LeadershipEvent& event) {
        const bool leads = event.change == LeadershipChange::gained;
        if (event.change == LeadershipChange::not_entered) return failed.push_back(event.reason);
        if (leads == led_) complain("two events of the same kind");
        led_ = leads;
        if (leads) return begin_term(event.leadership);
        leading_.reset();
        if (terms_ > 0) --terms_;
        if (terms_ == 0) leading_ = later(std::chrono::milliseconds{0}, [this] { leave(); });
    }
    void begin_term(const Leadership& leadership) {
        if (!world_.was_ever_first(leadership->node_path())) complain(leadership->node_path() + " leads, but never was first");
        if (!tokens.empty() && leadership->fencing_token() <= tokens.back()) complain("its token is not higher than the last");
        tokens.push_back(leadership->fencing_token());
        on_lead(tokens.back());
        const auto length = random_ms(chance(habits_.lingers) ? 10'000 : 30);
        leading_ = later(length, [this] {
            if (latch_) latch_->resign(*latch_->view(), [] {});
        });
    }

    int terms_;
    const Habits habits_;
    std::shared_ptr<LatchCore> latch_;
    Registration listening_;
    Registration leaving_;
    Registration leading_;
    bool led_ = false;
};

/// Candidates that share some clients.
struct Election final : ScenarioFixture<LatchActor> {
    Election(std::uint64_t seed, int candidates, int terms, LatchActor::Habits habits = {})
        : ScenarioFixture(seed, 3, election_path, latch_names()) {
        while (all.size() < static_cast<std::size_t>(candidates)) {
            all.emplace_back(world, all.size() % 3, terms, habits);
            all.back().on_lead = [this](std::int64_t token) { tokens.push_back(token); };
        }
    }

    void step() override {
        world.step();
        for (auto& one : all) one.check_exclusion();
    }

    std::vector<std::int64_t> tokens;
};

/// Calls `run` with each election and its seed, and then expects a good end. Returns the number of leaderships.
template <typename Run> std::size_t hold_elections(std::uint64_t count, const LatchActor::Habits& habits, const Run& run) {
    std::size_t terms = 0;
    for_each_seed(count, [&](std::uint64_t seed) {
        Election election(seed, 4, 4, habits);
        run(election, seed);
        election.expect_good_end();
        terms += election.tokens.size();
    });
    return terms;
}

TEST(LeaderLatchScenario, WithoutFaultsTheyLeadInTheOrderOfTheirArrival) {
    hold_elections(seeds(50), {}, [](Election& election, std::uint64_t) {
        election.expect_good_end();
        EXPECT_GE(election.tokens.size(), 16u);
        EXPECT_TRUE(std::is_sorted(election.tokens.begin(), election.tokens.end()));
        for (const auto& one : election.all) EXPECT_TRUE(one.failed.empty());
    });
}

TEST(LeaderLatchScenario, ThereAreNeverTwoLeadersAndNoNodeIsLeft) {
    const auto terms = hold_elections(seeds(400), {.lingers = 0.1, .leaves = 0.2}, [](Election& election, std::uint64_t seed) {
        election.world.fault_rate = 0.005 * static_cast<double>(1 + seed % 8);
        election.run(600);
    });
    EXPECT_GT(terms, seeds(400)); // otherwise this proves nothing
}

TEST(LeaderLatchScenario, SlowNetworksAndStoppedProcesses) { // a step may take longer than the session timeout
    hold_elections(seeds(100), {.lingers = 0.5}, [](Election& election, std::uint64_t seed) {
        election.world.longest_step = std::chrono::milliseconds{10 + 40 * (seed % 8)};
        election.world.fault_rate = 0.01;
        election.run(600);
        election.world.longest_step = std::chrono::milliseconds{3};
    });
}

// ---- one fault, at each step of the protocol

void expect_good_end_of_elections_with(const std::function<void(Election&)>& injure) {
    const auto make = [](std::uint64_t seed) { return std::make_unique<Election>(seed, 3, 1); };
    expect_good_end_at_each_step(6, make, injure);
}

TEST(LeaderLatchAtEachStep, Closed) {
    expect_good_end_of_elections_with([](Election& election) { election.all[0].give_up(); });
}

TEST(LeaderLatchAtEachStep, ClosedWhileTheConnectionBreaks) {
    expect_good_end_of_elections_with([](Election& election) {
        election.world.inflict(FakeWorld::Fault::break_link, 0);
        election.all[0].give_up();
    });
}

class LeaderLatchInjury : public testing::TestWithParam<Injury<Election>> {};

TEST_P(LeaderLatchInjury, EndsWell) {
    expect_good_end_of_elections_with(GetParam().inflict);
}

INSTANTIATE_TEST_SUITE_P(LeaderLatch, LeaderLatchInjury, testing::ValuesIn(all_injuries<Election>()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
