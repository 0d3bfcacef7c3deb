// SPDX-License-Identifier: Apache-2.0

// The read/write lock on a fake ensemble without faults. tests/seeds has faults.

#include "reader_writer.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace docent::detail {
namespace {

constexpr const char* read_write_path = "/lock";

struct ReadWriteFixture final : ScenarioFixture<ReaderWriter> {
    ReadWriteFixture(std::uint64_t seed, int clients, int actors, int turns)
        : ScenarioFixture(seed, clients, read_write_path, read_write_names()) {
        for (int n = 0; n < actors; ++n) all.emplace_back(world, static_cast<std::size_t>(n % clients), read_write_path, turns);
    }

    void step() override {
        world.step();
        const auto writers = std::count_if(all.begin(), all.end(), [](const auto& one) { return one.writes_now(); });
        const auto readers = std::count_if(all.begin(), all.end(), [](const auto& one) { return one.reads_now(); });
        if (writers > 1) ADD_FAILURE() << "two write at once";
        if (writers > 0 && readers > 0) ADD_FAILURE() << "somebody reads while another one writes";
        together = std::max(together, readers);
    }
    int holds() const {
        int total = 0;
        for (const auto& one : all) total += one.reads + one.writes;
        return total;
    }

    std::ptrdiff_t together = 0;
};

TEST(ReadWriteScenario, WithoutFaultsAllAreServed) {
    std::ptrdiff_t together = 0;
    for (std::uint64_t seed = 0; seed < seeds(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        ReadWriteFixture scenario(seed, 3, 6, 4);
        scenario.expect_good_end();
        EXPECT_EQ(scenario.holds(), 24);
        together = std::max(together, scenario.together);
        if (HasFailure()) break;
    }
    EXPECT_GT(together, 2);
}

} // namespace
} // namespace docent::detail
