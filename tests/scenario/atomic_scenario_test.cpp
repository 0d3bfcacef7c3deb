// SPDX-License-Identifier: Apache-2.0

// Many clients add to one number on a fake ensemble, with all kinds of faults. Each successful addition counts exactly once.

#include "atomic/atomic_core.hpp"
#include "fake_recipes/actor.hpp"
#include "injuries.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"
#include "shared/number_bytes.hpp"

#include <docent/recipes/distributed_atomic_long.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

constexpr const char* counter_path = "/count";
constexpr const char* counter_lock = "/count-lock";
constexpr const char* counter_markers = "/docent/atomics";

/// Adds ones to a DistributedAtomicLong, and records the results.
class Incrementer final : public Actor {
public:
    struct Habits {
        double hurries = 0; // chance that a call has a short timeout
        double renews = 0;  // chance that the next call uses another object
        bool promotes = false;
        bool sweeps = false; // removes the markers of others, as if they were old
    };

    Incrementer(FakeWorld& world, std::size_t client, int times, Habits habits)
        : Actor(world, client), left_(times), habits_(habits) {}

    bool ready() const override { return !busy_ && (left_ > 0 || core_); }
    void act() override {
        if (core_ && (left_ == 0 || chance(habits_.renews))) {
            core_->view()->post([core = std::exchange(core_, nullptr)] { core->stop(); });
        }
        if (left_ == 0) return;
        if (!core_) core_ = make_core();
        --left_;
        busy_ = true;
        CallOptions call;
        if (chance(habits_.hurries)) call.timeout = random_ms(300);
        initiate_number_add(core_, 1, std::move(call), [this](error_code ec, const AtomicNumber& result) {
            busy_ = false;
            on_done(ec, result);
        });
    }

    bool finished() const override { return !busy_ && left_ == 0 && !core_; }

    std::vector<std::int64_t> reached; // by successful additions
    int given_up = 0;
    int in_doubt = 0;
    int recovered = 0;
    int promoted = 0;

private:
    std::shared_ptr<AtomicCore> make_core() const {
        AtomicOptions options{.retry = RetryPolicy::n_times(habits_.promotes ? 1 : 40, std::chrono::milliseconds{1})};
        if (habits_.promotes) options.promoted = PromotedToLock{counter_lock, RetryPolicy::n_times(20, {})};
        return std::make_shared<AtomicCore>(
            client_, counter_path, std::move(options), [view = client_] { return view->boot_now(); },
            std::chrono::hours{habits_.sweeps ? 0 : 24});
    }
    void on_done(error_code ec, const AtomicNumber& result) {
        recovered += result.stats.recovered ? 1 : 0;
        promoted += result.stats.promoted_tries > 0 ? 1 : 0;
        if (ec) failed.push_back(ec);
        if (ec == condition::outcome_unknown) ++in_doubt;
        else if (!result.succeeded) ++given_up;
        else reached.push_back(result.after);
        if (!ec && result.succeeded && result.after != result.before + 1) complain("not one more");
    }

    int left_;
    const Habits habits_;
    bool busy_ = false;
    std::shared_ptr<AtomicCore> core_;
};

/// Adds ones as a Java client does, which reads and writes before any other client acts.
class Neighbour final : public FakeActor {
public:
    Neighbour(FakeWorld& world, int times) : world_(world), left_(times) { world.add(*this); }

    bool ready() const override { return left_ > 0 && node() != nullptr; }
    void act() override {
        error_code ec;
        reached.push_back(decode_number(node()->data, ec) + 1);
        world_.surroundings().ensemble.change_node(counter_path, encode_number(reached.back()));
        --left_;
    }

    std::vector<std::int64_t> reached;

private:
    const TreeNode* node() const { return world_.surroundings().ensemble.truth().find(counter_path); }

    FakeWorld& world_;
    int left_;
};

struct Counting final : ScenarioFixture<Incrementer> {
    Counting(std::uint64_t seed, int incrementers, int times, Incrementer::Habits habits = {})
        : ScenarioFixture(seed, 3, counter_lock), neighbour(world, times) {
        while (all.size() < static_cast<std::size_t>(incrementers)) all.emplace_back(world, all.size() % 3, times, habits);
    }

    void step() override { world.step(); }

    int total(int Incrementer::*what) const {
        return std::accumulate(all.begin(), all.end(), 0, [&](int sum, const Incrementer& one) { return sum + one.*what; });
    }
    /// Each number was reached once. The value is larger than the number of successes by at most the additions in doubt.
    void expect_exactly_once() {
        expect_good_end();
        std::multiset<std::int64_t> reached(neighbour.reached.begin(), neighbour.reached.end());
        for (const auto& one : all) reached.insert(one.reached.begin(), one.reached.end());
        const std::set<std::int64_t> different(reached.begin(), reached.end());
        EXPECT_EQ(different.size(), reached.size()) << "two have reached the same number";

        const NodeTree& truth = world.surroundings().ensemble.truth();
        error_code ec;
        const TreeNode* node = truth.find(counter_path);
        const auto value = node ? decode_number(node->data, ec) : 0;
        const auto least = static_cast<std::int64_t>(reached.size());
        EXPECT_GE(value, least);
        EXPECT_LE(value, least + total(&Incrementer::in_doubt));
        EXPECT_TRUE(truth.children(counter_markers).empty()) << "a marker is left";
    }

    Neighbour neighbour;
};

template <typename Run>
void count_with(std::uint64_t count, const Incrementer::Habits& habits, const Run& run, int* recovered = nullptr,
                int* in_doubt = nullptr) {
    for_each_seed(count, [&](std::uint64_t seed) {
        Counting counting(seed, 4, 6, habits);
        run(counting, seed);
        counting.expect_exactly_once();
        if (recovered) *recovered += counting.total(&Incrementer::recovered);
        if (in_doubt) *in_doubt += counting.total(&Incrementer::in_doubt);
    });
}

TEST(AtomicScenario, WithoutFaultsAllSucceed) {
    count_with(seeds(50), {.renews = 0.2}, [](Counting& counting, std::uint64_t) {
        counting.expect_good_end();
        EXPECT_EQ(counting.total(&Incrementer::given_up), 0);
        for (const auto& one : counting.all) EXPECT_TRUE(one.failed.empty());
    });
}

TEST(AtomicScenario, EachCountsOnceAndNoMarkerIsLeft) {
    int recovered = 0;
    int in_doubt = 0;
    const auto run = [](Counting& counting, std::uint64_t seed) {
        counting.world.fault_rate = 0.005 * static_cast<double>(1 + seed % 8);
        counting.run(600);
    };
    count_with(seeds(600), {.renews = 0.2}, run, &recovered, &in_doubt);
    EXPECT_GT(recovered, static_cast<int>(seeds(600) / 4)); // otherwise this proves nothing
    EXPECT_LT(in_doubt, recovered / 4);
}

TEST(AtomicScenario, AShortTimeoutMayCauseDoubtButNoWrongResult) {
    count_with(seeds(100), {.hurries = 0.5, .renews = 0.1}, [](Counting& counting, std::uint64_t) {
        counting.world.fault_rate = 0.01;
        counting.run(600);
    });
}

TEST(AtomicScenario, UnderAMutexToo) {
    int promoted = 0;
    count_with(seeds(100), {.renews = 0.1, .promotes = true}, [&promoted](Counting& counting, std::uint64_t seed) {
        counting.world.fault_rate = 0.005 * static_cast<double>(seed % 4);
        counting.run(1500);
        promoted += counting.total(&Incrementer::promoted);
    });
    EXPECT_GT(promoted, static_cast<int>(seeds(100) / 4));
}

TEST(AtomicScenario, ADeletedMarkerMayCauseDoubtButNoWrongResult) {
    count_with(seeds(100), {.renews = 0.3, .sweeps = true}, [](Counting& counting, std::uint64_t seed) {
        counting.world.fault_rate = 0.005 * static_cast<double>(seed % 8);
        counting.run(600);
    });
}

TEST(AtomicScenario, SlowNetworksAndStoppedProcesses) { // a step may take longer than the session timeout
    count_with(seeds(60), {.renews = 0.1}, [](Counting& counting, std::uint64_t seed) {
        counting.world.longest_step = std::chrono::milliseconds{10 + 40 * (seed % 8)};
        counting.world.fault_rate = 0.01;
        counting.run(600);
        counting.world.longest_step = std::chrono::milliseconds{3};
    });
}

// ---- one fault, at each step of the protocol

class AtomicInjury : public testing::TestWithParam<Injury<Counting>> {};

TEST_P(AtomicInjury, EndsWell) {
    const auto make = [](std::uint64_t seed) { return std::make_unique<Counting>(seed, 2, 2); };
    expect_good_end_at_each_step(6, make, [](Counting& counting) {
        GetParam().inflict(counting);
        counting.expect_exactly_once();
    });
}

INSTANTIATE_TEST_SUITE_P(Atomic, AtomicInjury, testing::ValuesIn(all_injuries<Counting>()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
