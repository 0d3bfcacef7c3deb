// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_recipes/actor.hpp"
#include "scenario/injuries.hpp"

#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// A world with actors of all kinds.
class Workload {
public:
    /// `folders_of_nodes`: the parents of their nodes.
    Workload(std::uint64_t seed, int clients, std::vector<std::string> folders_of_nodes)
        : world(seed, clients, "/nothing"), folders(std::move(folders_of_nodes)) {}
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;

    template <typename One, typename... Arguments> One& add(std::size_t client, Arguments&&... arguments) {
        auto one = std::make_unique<One>(world, client, std::forward<Arguments>(arguments)...);
        One& result = *one;
        all_.push_back(std::move(one));
        result.name = "number " + std::to_string(all_.size());
        return result;
    }
    Actor& operator[](std::size_t index) { return *all_[index]; }

    void step() {
        ++steps_;
        world.step();
        for (const auto& one : all_) one->look();
    }
    /// expect_good_end_at_each_step() injects faults at each of these steps.
    int walk = 80;
    bool finished() const { return steps_ >= walk; }
    void run(int steps) {
        for (int n = 0; n < steps; ++n) step();
    }
    /// Without more faults, all actors come to their ends, and no ephemeral node remains.
    void expect_good_end() {
        world.fault_rate = 0;
        world.longest_step = std::chrono::milliseconds{3};
        for (const auto& one : all_) one->calm_down();
        const auto over = [this] {
            return std::all_of(all_.begin(), all_.end(), [](const auto& one) { return one->finished(); }) && world.all_idle() &&
                   ephemerals().empty();
        };
        for (int n = 0; n < 200'000 && !over() && !has_complaints(); ++n) step();
        for (const auto& one : all_) {
            for (const auto& complaint : one->complaints) ADD_FAILURE() << complaint;
            if (!has_complaints()) {
                EXPECT_TRUE(one->finished()) << one->name << " waits for ever";
            }
        }
        if (!has_complaints()) {
            EXPECT_EQ(ephemerals(), std::vector<std::string>{});
        }
    }
    int achieved() const {
        int sum = 0;
        for (const auto& one : all_) sum += one->achieved;
        return sum;
    }
    /// Returns a random node; empty if there is none.
    std::string any_node() {
        std::vector<std::string> paths;
        const NodeTree& truth = world.surroundings().ensemble.truth();
        for (const auto& folder : folders) {
            for (const auto& child : truth.children(folder)) paths.push_back(join_path(folder, child));
        }
        return paths.empty() ? std::string() : paths[world.surroundings().below(paths.size())];
    }
    std::vector<std::string> ephemerals() {
        const NodeTree& truth = world.surroundings().ensemble.truth();
        auto paths = truth.paths();
        std::erase_if(paths, [&](const auto& path) { return truth.find(path)->stat.ephemeral_owner == 0; });
        return paths;
    }

    FakeWorld world;
    const std::vector<std::string> folders;

private:
    bool has_complaints() const {
        return std::any_of(all_.begin(), all_.end(), [](const auto& one) { return !one->complaints.empty(); });
    }

    std::vector<std::unique_ptr<Actor>> all_;
    int steps_ = 0;
};

/// Faults that every recipe without locks must survive.
inline std::vector<Injury<Workload>> workload_injuries() {
    using Fault = FakeWorld::Fault;
    return {
        {"ConnectionBroken",
         [](Workload& workload) {
             workload.world.inflict(Fault::break_link, 0);
             workload.run(500);
             EXPECT_TRUE(workload[0].failed.empty()) << workload[0].failed.front().message(); // lost replies are never reported
         }},
        {"ConnectionCutUnnoticed", [](Workload& workload) { workload.world.inflict(Fault::cut_link, 0); }},
        {"SessionEnded", [](Workload& workload) { workload.world.inflict(Fault::end_session, 0); }},
        {"ProcessStopped", [](Workload& workload) { workload.world.client(0).freeze(std::chrono::seconds{60}); }},
        {"QuorumLost", [](Workload& workload) { workload.world.inflict(Fault::lose_quorum, 0); }},
        {"ServerTooBusy", [](Workload& workload) { workload.world.inflict(Fault::throttle, 0); }},
        {"EventLost", [](Workload& workload) { workload.world.inflict(Fault::lose_event, 0); }},
    };
}

/// Changes of a recipe's nodes by an administrator.
inline std::vector<Injury<Workload>> injuries_of_nodes() {
    return {
        {"NodeDeleted",
         [](Workload& workload) {
             if (const auto path = workload.any_node(); !path.empty()) workload.world.surroundings().ensemble.delete_node(path);
         }},
        {"NodeChanged",
         [](Workload& workload) {
             if (const auto path = workload.any_node(); !path.empty()) workload.world.surroundings().ensemble.change_node(path);
         }},
    };
}

inline std::vector<Injury<Workload>> all_workload_injuries() {
    auto all = workload_injuries();
    for (const auto& injury : injuries_of_nodes()) all.push_back(injury);
    return all;
}

} // namespace docent::detail
