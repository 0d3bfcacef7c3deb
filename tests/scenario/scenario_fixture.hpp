// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace docent::detail {

/// Calls `run` with each seed, until a test fails.
template <typename Run> void for_each_seed(std::uint64_t count, const Run& run) {
    for (std::uint64_t seed = 0; seed < count && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        run(seed);
    }
}

/// Actors of one kind in one world. They take their turns in spite of all faults.
template <typename One> struct ScenarioFixture {
    /// Takes the arguments of FakeWorld.
    template <typename... Arguments>
    explicit ScenarioFixture(Arguments&&... arguments) : world(std::forward<Arguments>(arguments)...) {}
    virtual ~ScenarioFixture() = default;
    ScenarioFixture(const ScenarioFixture&) = delete;
    ScenarioFixture& operator=(const ScenarioFixture&) = delete;

    /// Does one step of the world, and checks all holders.
    virtual void step() = 0;

    bool finished() const {
        return std::all_of(all.begin(), all.end(), [](const auto& one) { return one.finished(); });
    }
    bool run(int steps) {
        for (int n = 0; n < steps && !finished(); ++n) step();
        return finished();
    }
    /// Without more faults, all actors finish, and no node remains.
    void expect_good_end() {
        world.fault_rate = 0;
        EXPECT_TRUE(run(200'000)) << "somebody waits for ever";
        EXPECT_TRUE(world.run_until([&] { return world.all_idle() && world.nodes().empty(); })) << "nodes are left";
        for (const auto& one : all) {
            for (const auto& complaint : one.complaints) ADD_FAILURE() << complaint;
        }
        EXPECT_TRUE(world.twins().empty()) << "a create was applied twice: " << *world.twins().begin();
    }

    FakeWorld world;
    std::deque<One> all;
};

} // namespace docent::detail
