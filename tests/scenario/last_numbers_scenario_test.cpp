// SPDX-License-Identifier: Apache-2.0

// The largest sequence number: each later child has the same number, so the numbers do not show the order any more.

#include "contestant.hpp"
#include "lock_request.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

struct NumberedRecipe {
    std::string name;
    std::string numbered; // the parent of the numbered children
    std::function<AttemptPtr(const LockRequests&)> start;
};

void PrintTo(const NumberedRecipe& recipe, std::ostream* stream) {
    *stream << recipe.name;
}

class LastNumbers : public testing::TestWithParam<NumberedRecipe> {
protected:
    FakeWorld world{1, 1, "/lock"};
    const LockRequests request{world};

    std::vector<std::string> ephemerals() {
        const auto& tree = world.surroundings().ensemble.truth();
        auto paths = tree.paths();
        std::erase_if(paths, [&](const auto& path) { return tree.find(path)->stat.ephemeral_owner == 0; });
        return paths;
    }
    AttemptPtr run() {
        auto attempt = GetParam().start(request);
        EXPECT_TRUE(world.run_until([&] { return attempt->completed > 0; })) << "never completed";
        return attempt;
    }
    void set_next(std::int32_t number) { world.surroundings().ensemble.number_next_child(GetParam().numbered, number); }
};

TEST_P(LastNumbers, TheyAdmitNoContenderAndNoNodeIsLeft) {
    set_next(last_number);
    for (int n = 0; n < 3; ++n) {
        EXPECT_EQ(run()->ec, error::numbers_used_up);
        EXPECT_TRUE(world.run_until([&] { return world.all_idle() && ephemerals().empty(); })) << "nodes are left";
    }
}

TEST_P(LastNumbers, TheLastButOneIsAsGoodAsAny) {
    set_next(last_number - 1);
    const auto holder = run();
    EXPECT_FALSE(holder->ec) << holder->ec.message();
    ASSERT_TRUE(world.run_until([&] { return world.all_idle(); }));
}

TEST_P(LastNumbers, BeginAnewWithTheirNode) {
    set_next(last_number);
    EXPECT_EQ(run()->ec, error::numbers_used_up);
    ASSERT_TRUE(world.run_until([&] { return world.all_idle() && ephemerals().empty(); }));
    world.surroundings().ensemble.reap_empty_containers();
    EXPECT_FALSE(run()->ec);
}

std::vector<NumberedRecipe> numbered_recipes() {
    return {
        {"Mutex", "/lock", [](const LockRequests& request) { return request.mutex(0, "/lock"); }},
        {"ReadLock", "/lock", [](const LockRequests& request) { return request.read(0, "/lock"); }},
        {"WriteLock", "/lock", [](const LockRequests& request) { return request.write(0, "/lock"); }},
        {"Gate", "/s/locks", [](const LockRequests& request) { return request.permits(0, "/s", 1); }},
        {"Permits", "/s/leases", [](const LockRequests& request) { return request.permits(0, "/s", 1); }},
        {"MultiLock", "/b",
         [](const LockRequests& request) {
             return request.all_of(0, {"/c", "/a", "/b"});
         }},
    };
}

INSTANTIATE_TEST_SUITE_P(Recipes, LastNumbers, testing::ValuesIn(numbered_recipes()),
                         [](const auto& each) { return each.param.name; });

/// If the last number gave a reader a turn, the reader would be admitted beside any holder.
class LastNumbersOfAWriter : public testing::Test {
protected:
    FakeWorld world{1, 1, "/lock", read_write_names()};
    const LockRequests request{world};

    /// Makes a contender hold the write lock with a node of this number.
    AttemptPtr writes_by(std::int32_t number) {
        EXPECT_TRUE(world.run_until([&] { return world.client(0).linked(); }));
        world.surroundings().ensemble.number_next_child("/lock", number);
        auto write = request.write(0, "/lock");
        EXPECT_TRUE(world.run_until([&] { return write->completed > 0; }));
        return write;
    }
    AttemptPtr downgrade(const AttemptPtr& write) {
        auto attempt = request.downgrade(write);
        EXPECT_TRUE(world.run_until([&] { return attempt->completed > 0; })) << "never completed";
        return attempt;
    }
};

TEST_F(LastNumbersOfAWriter, TheLastButOneIsKeptByADowngrade) {
    const auto read = downgrade(writes_by(last_number - 1));
    ASSERT_FALSE(read->ec) << read->ec.message();
    ASSERT_TRUE(world.run_until([&] { return world.all_idle() && world.queue().size() == 1; }));
    EXPECT_TRUE(world.first().ends_with("__READ__2147483646")) << world.first();
}

TEST_F(LastNumbersOfAWriter, ADowngradeOfThemIsRefusedAndMakesNothing) {
    for (const char* number : {"2147483647", "-2147483648"}) {
        const auto write = writes_by(7);
        const auto client = world.share(0);
        const auto boot_now = [client] { return client->boot_now(); };
        const auto own = Access::core(*static_cast<const Lease*>(write->got.get()));
        const auto node = std::string("/lock/_c_guid-__WRIT__") + number;
        const auto aged = std::make_shared<Attempt>();
        aged->got = std::make_shared<Lease>(NodeLease::make(client, {.path = node, .epoch = own->epoch()}, boot_now));
        const auto before = world.nodes();
        EXPECT_EQ(downgrade(aged)->ec, server_error::bad_arguments);
        EXPECT_EQ(world.nodes(), before);
    }
}

/// Some contenders get the lock with the last numbers. Later contenders fail, until the node is removed and created again.
TEST(LastNumbersScenario, TheLockIsNeverShared) {
    std::size_t refused = 0;
    std::size_t granted = 0;
    for_each_seed(seeds(500), [&](std::uint64_t seed) {
        FakeWorld world(seed, 3, "/lock");
        world.surroundings().ensemble.number_next_child("/lock", last_number - 4);
        world.fault_rate = 0.002 * static_cast<double>(seed % 8);
        std::deque<Contestant> all;
        for (std::size_t n = 0; n < 4; ++n) {
            all.emplace_back(world, n % 3, "/lock", 4, Contestant::Habits{.gives_up = 0.1, .lingers = 0.1});
        }
        const auto finished = [&] {
            for (auto& one : all) one.check_exclusion();
            return std::all_of(all.begin(), all.end(), [](const auto& one) { return one.finished(); });
        };
        world.run_until(finished, 600);
        world.fault_rate = 0;
        EXPECT_TRUE(world.run_until(finished)) << "somebody waits for ever";
        EXPECT_TRUE(world.run_until([&] { return world.all_idle() && world.queue().empty(); })) << "nodes are left";
        for (const auto& one : all) {
            for (const auto& complaint : one.complaints) ADD_FAILURE() << complaint;
            granted += one.granted.size();
            refused += static_cast<std::size_t>(
                std::count(one.failed.begin(), one.failed.end(), make_error_code(error::numbers_used_up)));
        }
    });
    EXPECT_GT(granted, 0u);
    EXPECT_GT(refused, 0u);
}

} // namespace
} // namespace docent::detail
