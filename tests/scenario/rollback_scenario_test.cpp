// SPDX-License-Identifier: Apache-2.0

// The ensemble goes back to an older state at some moment, with all other faults. docent cannot promise exclusion then
// (docs/guarantees.md). But all contenders get through, and nothing is left.

#include "contestant.hpp"
#include "fake_semaphore.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace docent::detail {
namespace {

/// Takes permits of the semaphore at `/s` again and again.
class PermitTaker final : public Actor {
public:
    PermitTaker(FakeWorld& world, std::size_t client, std::shared_ptr<const PermitLimit> limit, int turns)
        : Actor(world, client), place_{"/s", std::move(limit), {"worker"}, [view = client_] { return view->boot_now(); }},
          turns_(turns) {}

    bool ready() const override { return turns_ > 0 && !waiting_ && leases_.empty(); }
    void act() override {
        --turns_;
        waiting_ = true;
        wanted_ = 1 + world_.surroundings().below(2);
        AcquireWait wait;
        if (chance(0.1)) wait = {AcquireWait::Kind::until, client_->now() + random_ms(2000)};
        else if (chance(0.1)) wait = {AcquireWait::Kind::not_at_all};
        const auto operation = std::make_shared<SemaphoreOperation>(
            client_, place_, static_cast<std::int32_t>(wanted_), wait,
            [this](error_code ec, std::vector<Lease> leases) { on_done(ec, std::move(leases)); });
        operation_ = operation;
        operation->begin();
        if (!waiting_ || !chance(0.1)) return;
        after(random_ms(500), [this] {
            if (const auto waiting = operation_.lock()) waiting->abort(boost::asio::error::operation_aborted);
        });
    }
    bool finished() const override { return turns_ == 0 && !waiting_ && leases_.empty() && operation_.expired(); }

private:
    void on_done(error_code ec, std::vector<Lease> leases) {
        if (!std::exchange(waiting_, false)) complain("completed twice");
        forget_timer();
        if (ec && !leases.empty()) complain("an error and leases");
        if (ec) return;
        if (leases.size() != wanted_) complain("not as many as wanted");
        leases_ = std::move(leases);
        after(random_ms(30), [this] { leases_.clear(); });
    }

    const SemaphorePlace place_;
    int turns_;
    std::size_t wanted_ = 0;
    bool waiting_ = false;
    std::vector<Lease> leases_;
    std::weak_ptr<SemaphoreOperation> operation_;
};

template <typename One> struct RolledBackFixture final : ScenarioFixture<One> {
    using ScenarioFixture<One>::ScenarioFixture;
    void step() override { this->world.step(); }
};

/// Runs some steps to a state that is remembered, and some steps that will be lost.
template <typename One> void play(RolledBackFixture<One>& scenario, std::uint64_t seed, double fault_rate) {
    FakeWorld& world = scenario.world;
    auto& chance = world.surroundings();
    world.fault_rate = seed % 2 == 0 ? 0 : fault_rate;
    for (std::uint64_t times = 0; times < 1 + seed % 3; ++times) {
        scenario.run(static_cast<int>(chance.below(200)));
        const auto past = chance.ensemble.past();
        scenario.run(static_cast<int>(chance.below(200)));
        if (chance.chance(0.5)) world.inflict(FakeWorld::Fault::break_link);
        world.go_back_to(past);
    }
    scenario.run(100);
    scenario.expect_good_end();
}

TEST(RollbackScenario, AllGetTheMutexAndNoNodeIsLeft) {
    for_each_seed(seeds(1000), [&](std::uint64_t seed) {
        RolledBackFixture<Contestant> scenario(seed, 3, "/lock");
        for (std::size_t n = 0; n < 4; ++n) {
            scenario.all.emplace_back(scenario.world, n % 3, "/lock", 4,
                                      Contestant::Habits{.gives_up = 0.1, .hurries = 0.1, .tries = 0.1, .lingers = 0.1});
        }
        play(scenario, seed, 0.01);
    });
}

/// Without ended sessions and deleted nodes, because a rollback may then cause a deadlock. A contender's node at the gate is
/// gone, the next contender is admitted, and the rollback brings the node back. Then both wait for each other.
TEST(RollbackScenario, AllGetPermitsAndNoNodeIsLeft) {
    for_each_seed(seeds(500), [&](std::uint64_t seed) {
        RolledBackFixture<PermitTaker> scenario(seed, 3, "/s/leases", lease_names());
        scenario.world.add_queue("/s/locks", mutex_names());
        const auto limit = std::make_shared<FakeLimit>(2);
        for (std::size_t n = 0; n < 4; ++n) {
            scenario.all.emplace_back(scenario.world, n % 3, limit, 3);
        }
        play(scenario, seed, 0);
    });
}

} // namespace
} // namespace docent::detail
