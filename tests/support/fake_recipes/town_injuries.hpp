// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_recipes/town.hpp"
#include "scenario/injuries.hpp"

#include <vector>

namespace docent::detail {

/// Faults that every recipe without locks must survive.
inline std::vector<Injury<Town>> town_injuries() {
    using Fault = FakeWorld::Fault;
    return {
        {"ConnectionBroken",
         [](Town& town) {
             town.world.inflict(Fault::break_link, 0);
             town.run(500);
             EXPECT_TRUE(town[0].failed.empty()) << town[0].failed.front().message(); // lost replies are never reported
         }},
        {"ConnectionCutUnnoticed", [](Town& town) { town.world.inflict(Fault::cut_link, 0); }},
        {"SessionEnded", [](Town& town) { town.world.inflict(Fault::end_session, 0); }},
        {"ProcessStopped", [](Town& town) { town.world.client(0).freeze(std::chrono::seconds{60}); }},
        {"QuorumLost", [](Town& town) { town.world.inflict(Fault::lose_quorum, 0); }},
        {"ServerTooBusy", [](Town& town) { town.world.inflict(Fault::throttle, 0); }},
        {"EventLost", [](Town& town) { town.world.inflict(Fault::lose_event, 0); }},
    };
}

/// Changes of a recipe's nodes by an administrator.
inline std::vector<Injury<Town>> injuries_of_nodes() {
    return {
        {"NodeDeleted",
         [](Town& town) {
             if (const auto path = town.any_node(); !path.empty()) town.world.surroundings().ensemble.delete_node(path);
         }},
        {"NodeChanged",
         [](Town& town) {
             if (const auto path = town.any_node(); !path.empty()) town.world.surroundings().ensemble.change_node(path);
         }},
    };
}

inline std::vector<Injury<Town>> all_town_injuries() {
    auto all = town_injuries();
    for (const auto& injury : injuries_of_nodes()) all.push_back(injury);
    return all;
}

} // namespace docent::detail
