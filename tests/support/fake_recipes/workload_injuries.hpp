// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_recipes/workload.hpp"
#include "scenario/injuries.hpp"

#include <vector>

namespace docent::detail {

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
