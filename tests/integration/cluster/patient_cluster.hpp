// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"

#include <docent/client.hpp>
#include <docent/testing/testing_cluster.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

namespace docent {

/// A session timeout for sessions that must survive killed servers and an election on a slow machine.
inline constexpr std::chrono::seconds patient_timeout{30};

/// Options of a cluster that grants this timeout.
inline docent::testing::ClusterOptions patient_cluster() {
    return {.properties = {{"maxSessionTimeout", "60000"}}};
}

/// Waits until the client is connected, and returns the index of its server.
inline std::size_t server_of(const Client& client, const docent::testing::TestingCluster& cluster) {
    std::optional<std::size_t> found;
    EXPECT_TRUE(test::eventually([&] { return (found = cluster.server_of(client.session().session_id)).has_value(); }));
    return found.value_or(0);
}

} // namespace docent
