// SPDX-License-Identifier: Apache-2.0

// Leader selectors on a fake ensemble, with all kinds of faults.

#include "../injuries.hpp"
#include "../scenario_fixture.hpp"
#include "fake_recipes/actor.hpp"
#include "fake_recipes/fake_selector.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

/// Works whenever its selector leads, and checks the promises of the selector.
class Workman final : public Actor {
public:
    struct Manners {
        double dawdles = 0; // chance that its work takes longer than a session can be silent, even if it is told to stop
        double leaves = 0;  // chance that it closes its selector at some time, leading or not, and opens another one
    };

    /// `turns`: how often it works before it ends.
    Workman(FakeWorld& world, std::size_t client, int turns, Manners manners)
        : Actor(world, client), turns_(turns), manners_(manners) {}

    bool ready() const override { return !selector_ && turns_ > 0; }
    void act() override {
        selector_ = std::make_unique<FakeSelector>(world_, client_index_, "workman", true);
        seen_ = 0;
        static_cast<void>(selector_->core->start());
        if (chance(manners_.leaves)) leaving_ = later(random_ms(2000), [this] { leave(); });
    }
    /// Leaves, and does not return. It completes work that has begun.
    void give_up() {
        turns_ = 0;
        leave();
    }
    bool finished() const override { return !selector_ && turns_ <= 0; }

    void check() {
        if (!selector_) return;
        if (selector_->begun() != seen_) begin_turn();
        if (selector_->works()) check_exclusion(*selector_->term()->leadership());
        for (; failed.size() < selector_->failures().size();) failed.push_back(selector_->failures()[failed.size()]);
        if (closed_ && !selector_->term()) {
            selector_.reset();
            failed.clear();
            closing_ = closed_ = false;
        }
    }

    std::vector<std::exception_ptr> failed;
    std::vector<std::int64_t> tokens;

private:
    void complain(const std::string& text) { Actor::complain(text + ", first is " + world_.first()); }

    void begin_turn() {
        seen_ = selector_->begun();
        --turns_;
        if (!selector_->works()) return; // the leadership may be over by now
        const auto& lead = *selector_->term()->leadership();
        if (!world_.was_ever_first(lead.node_path())) complain(lead.node_path() + " works, but never was first");
        if (!tokens.empty() && lead.fencing_token() <= tokens.back()) complain("its token is not higher than the last");
        tokens.push_back(lead.fencing_token());
        const TreeNode* node = truth().find(lead.node_path());
        session_ = node ? node->stat.ephemeral_owner : 0;
        working_ = later(random_ms(chance(manners_.dawdles) ? 10'000 : 30), [this] { end_turn(); });
    }
    void end_turn() {
        selector_->end_work();
        if (turns_ <= 0) leave();
    }
    void leave() {
        if (!selector_ || std::exchange(closing_, true)) return;
        selector_->core->close([this] { closed_ = true; });
    }
    /// While it works, no other selector leads, if its session lives and no fault has removed its node.
    void check_exclusion(const Lease& lead) {
        if (world_.was_taken(lead.node_path())) return;
        const bool lives = session_ != 0 && ensemble().alive(session_);
        if ((lead.owns() || lives) && world_.first() != lead.node_path()) complain("works by " + lead.node_path());
    }

    int turns_;
    const Manners manners_;
    std::unique_ptr<FakeSelector> selector_;
    Registration leaving_;
    Registration working_;
    std::int64_t session_ = 0; // of the present turn's node
    int seen_ = 0;
    bool closing_ = false;
    bool closed_ = false;
};

/// Workmen that share some clients.
struct Workshop final : ScenarioFixture<Workman> {
    Workshop(std::uint64_t seed, int workmen, int turns, Workman::Manners manners = {})
        : ScenarioFixture(seed, 3, selection_path) {
        while (all.size() < static_cast<std::size_t>(workmen)) all.emplace_back(world, all.size() % 3, turns, manners);
    }
    void step() override {
        world.step();
        for (auto& one : all) one.check();
    }
    std::size_t turns() const {
        std::size_t sum = 0;
        for (const auto& one : all) sum += one.tokens.size();
        return sum;
    }
};

TEST(LeaderSelectorScenario, OneWorksAtATimeAndNoNodeIsLeft) {
    std::size_t turns = 0;
    for_each_seed(seeds(300), [&](std::uint64_t seed) {
        Workshop workshop(seed, 4, 4, {.dawdles = 0.15, .leaves = 0.2});
        workshop.world.fault_rate = 0.005 * static_cast<double>(1 + seed % 8);
        if (seed % 4 == 0) workshop.world.longest_step = std::chrono::milliseconds{10 + 40 * (seed % 8)};
        workshop.run(600);
        workshop.world.longest_step = std::chrono::milliseconds{3};
        workshop.expect_good_end();
        turns += workshop.turns();
    });
    EXPECT_GT(turns, seeds(300)); // otherwise this proves nothing
}

// ---- one fault, at each step of the protocol

void expect_good_end_of_work_with(const std::function<void(Workshop&)>& injure) {
    const auto make = [](std::uint64_t seed) { return std::make_unique<Workshop>(seed, 3, 1); };
    expect_good_end_at_each_step(4, make, injure);
}

TEST(LeaderSelectorAtEachStep, Closed) {
    expect_good_end_of_work_with([](Workshop& workshop) { workshop.all[0].give_up(); });
}

TEST(LeaderSelectorAtEachStep, ClosedWhileTheConnectionBreaks) {
    expect_good_end_of_work_with([](Workshop& workshop) {
        workshop.world.inflict(FakeWorld::Fault::break_link, 0);
        workshop.all[0].give_up();
    });
}

class LeaderSelectorInjury : public testing::TestWithParam<Injury<Workshop>> {};

TEST_P(LeaderSelectorInjury, EndsWell) {
    expect_good_end_of_work_with(GetParam().inflict);
}

INSTANTIATE_TEST_SUITE_P(LeaderSelector, LeaderSelectorInjury, testing::ValuesIn(all_injuries<Workshop>()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
