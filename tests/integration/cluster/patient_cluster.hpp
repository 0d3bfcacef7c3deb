// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"

#include <docent/client.hpp>
#include <docent/testing/testing_cluster.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

namespace docent {

/// For sessions that must not end while servers are killed and elect another leader, however slow the machine is.
inline constexpr std::chrono::seconds patient_timeout{30};

/// Grants sessions of that length.
inline docent::testing::ClusterOptions patient_cluster() {
    return {.properties = {{"maxSessionTimeout", "60000"}}};
}

/// The server that this client is connected to, once it is.
inline std::size_t server_of(const Client& client, const docent::testing::TestingCluster& cluster) {
    std::optional<std::size_t> found;
    EXPECT_TRUE(test::eventually([&] { return (found = cluster.server_of(client.session().session_id)).has_value(); }));
    return found.value_or(0);
}

} // namespace docent
