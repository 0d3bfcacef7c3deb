// SPDX-License-Identifier: Apache-2.0

// The read/write lock on a fake ensemble without faults. tests/seeds has faults.

#include "client/core/access.hpp"
#include "fake_recipes/actor.hpp"
#include "lease/node_lease.hpp"
#include "queue/acquire_driver.hpp"
#include "read_write/read_write_core.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <docent/recipes/lease.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

/// Reads, writes and downgrades in a FakeWorld.
class ReaderWriter final : public Actor {
public:
    ReaderWriter(FakeWorld& world, std::size_t client, const std::string& path, int turns)
        : Actor(world, client), cores_(make_read_write(client_, path, boot_now())), turns_(turns) {}

    bool ready() const override { return turns_ > 0 && !busy_ && !lease_; }
    void act() override {
        --turns_;
        busy_ = true;
        writes_ = chance(0.4);
        const SharedPlace place = writes_ ? cores_.write->place() : cores_.read->place();
        const auto driver = std::make_shared<AcquireDriver>(
            client_, place, AcquireWait{}, [this](error_code ec, GrantedNode node) { on_acquired(ec, std::move(node)); },
            boot_now());
        driver->start();
    }

    bool finished() const override { return turns_ == 0 && !busy_ && !lease_; }
    bool reads_now() const { return owns() && !writes_; }
    bool writes_now() const { return owns() && writes_; }

    int reads = 0;
    int writes = 0;

private:
    bool owns() const { return lease_ && lease_.owns() && !world_.was_taken(lease_.node_path()); }

    void after_a_while(std::function<void()> next) { after(random_ms(30), std::move(next)); }

    BootNow boot_now() const {
        return [client = client_] { return client->boot_now(); };
    }
    void on_acquired(error_code ec, GrantedNode node) {
        busy_ = false;
        if (ec) return;
        lease_ = Lease(NodeLease::make(client_, std::move(node), boot_now()));
        ++(writes_ ? writes : reads);
        const bool downgrades_it = writes_ && chance(0.5);
        after_a_while([this, downgrades_it] { downgrades_it ? downgrade() : drop(); });
    }
    void downgrade() {
        busy_ = true;
        initiate_downgrade(Access::core(lease_), {}, Handler<Lease>([this](error_code ec, Lease read) {
                               busy_ = false;
                               if (!ec && lease_.state() != LeaseState::released && lease_.state() != LeaseState::lost) {
                                   complain("the write lease outlived its downgrade");
                               }
                               if (ec) return drop();
                               lease_ = std::move(read);
                               writes_ = false;
                               after_a_while([this] { drop(); });
                           }));
    }
    void drop() { lease_ = Lease{}; }

    const ReadWriteCores cores_;
    int turns_;
    bool busy_ = false;
    bool writes_ = false;
    Lease lease_;
};

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
    for_each_seed(seeds(300), [&](std::uint64_t seed) {
        ReadWriteFixture scenario(seed, 3, 6, 4);
        scenario.expect_good_end();
        EXPECT_EQ(scenario.holds(), 24);
        together = std::max(together, scenario.together);
    });
    EXPECT_GT(together, 2);
}

} // namespace
} // namespace docent::detail
