// SPDX-License-Identifier: Apache-2.0
#pragma once

// Faults to inject once, and a loop that injects a fault after each step.

#include "fake_world.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace docent::detail {

template <typename Scenario> struct Injury {
    const char* name;
    void (*inflict)(Scenario&);
};

/// Faults that every lock must survive. A fault of a client hits the client of the first contestant.
template <typename Scenario> std::vector<Injury<Scenario>> all_injuries() {
    using Fault = FakeWorld::Fault;
    return {
        {"ConnectionBroken",
         [](Scenario& scenario) {
             scenario.world.inflict(Fault::break_link, 0);
             EXPECT_TRUE(scenario.run(100'000));
             EXPECT_TRUE(scenario.all[0].failed.empty()); // lost replies are never reported
         }},
        {"ConnectionCutUnnoticed", [](Scenario& scenario) { scenario.world.inflict(Fault::cut_link, 0); }},
        {"SessionEnded",
         [](Scenario& scenario) {
             scenario.world.inflict(Fault::end_session, 0);
             EXPECT_TRUE(scenario.run(100'000));
             EXPECT_TRUE(scenario.all[0].failed.empty()); // the contenders start again at the tail
         }},
        {"ProcessStopped", [](Scenario& scenario) { scenario.world.client(0).freeze(std::chrono::seconds{60}); }},
        {"EventLost", [](Scenario& scenario) { scenario.world.inflict(Fault::lose_event, 0); }},
        {"NodeDeletedByAnAdministrator", [](Scenario& scenario) { scenario.world.inflict(Fault::delete_node); }},
        {"NodeChangedByAnAdministrator", [](Scenario& scenario) { scenario.world.inflict(Fault::change_node); }},
    };
}

/// The distance between the steps after which a fault is injected. With a sanitizer, some steps are left out, because each run
/// starts from the beginning. This can miss a memory error that occurs only after a fault at one of these steps.
#ifdef DOCENT_SANITIZED
constexpr int stride = 3;
#else
constexpr int stride = 1;
#endif

/// Runs a scenario for each n: does n steps, calls `injure` once, and expects a good end. Ends when a run is over before n
/// steps. `make` makes a scenario from a seed.
template <typename Make, typename Injure>
void expect_good_end_at_each_step(std::uint64_t seeds, const Make& make, const Injure& injure) {
    for (std::uint64_t seed = 0; seed < repetitions(seeds); ++seed) {
        for (int n = 0;; n += stride) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", after " + std::to_string(n) + " steps");
            const auto scenario = make(seed);
            for (int steps = 0; steps < n && !scenario->finished(); ++steps) scenario->step();
            if (scenario->finished()) { // also without a fault, nothing may be left behind
                scenario->expect_good_end();
                break;
            }
            injure(*scenario);
            scenario->expect_good_end();
            if (testing::Test::HasFailure()) return;
        }
    }
}

} // namespace docent::detail
