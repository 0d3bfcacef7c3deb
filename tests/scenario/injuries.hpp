// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can go wrong once, and a walk through all the steps at which it can.

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

/// Those that every lock must survive. The first contestant's client is the one that they happen to.
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
             EXPECT_TRUE(scenario.all[0].failed.empty()); // they start anew at the tail
         }},
        {"ProcessStopped", [](Scenario& scenario) { scenario.world.client(0).freeze(std::chrono::seconds{60}); }},
        {"EventLost", [](Scenario& scenario) { scenario.world.inflict(Fault::lose_event, 0); }},
        {"NodeDeletedByAnAdministrator", [](Scenario& scenario) { scenario.world.inflict(Fault::delete_node); }},
        {"NodeChangedByAnAdministrator", [](Scenario& scenario) { scenario.world.inflict(Fault::change_node); }},
    };
}

/// How far apart the steps are at which a walk injures. With a sanitizer some are left out, because each is reached from
/// the beginning; what is lost is what would be wrong with memory after one of those and after no other.
#ifdef DOCENT_SANITIZED
constexpr int stride = 3;
#else
constexpr int stride = 1;
#endif

/// `injure` is called once, after `n` steps, for every n of the stride until the run ends before that. `make` makes a
/// scenario of a seed.
template <typename Make, typename Injure>
void expect_good_end_at_each_step(std::uint64_t seeds, const Make& make, const Injure& injure) {
    for (std::uint64_t seed = 0; seed < repetitions(seeds); ++seed) {
        for (int n = 0;; n += stride) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", after " + std::to_string(n) + " steps");
            const auto scenario = make(seed);
            for (int steps = 0; steps < n && !scenario->finished(); ++steps) scenario->step();
            if (scenario->finished()) { // and what some of it still waits for must not be left behind
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
