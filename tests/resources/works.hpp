// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "usage.hpp"

#include "eventually.hpp"

#include <docent/client.hpp>
#include <docent/testing/testing_server.hpp>

#include <chrono>
#include <string>

namespace docent::resources {

// Longer than any of this work takes on a busy machine.
constexpr std::chrono::seconds longest{240};

template <typename Condition> bool comes_true(Condition condition) {
    return test::eventually(condition, longest);
}

/// Unless `session_timeout` is given, the session survives any stall of this process.
inline ClientConfig config_for(const std::string& servers,
                               std::chrono::milliseconds session_timeout = std::chrono::seconds{30}) {
    return {.connect_string = servers, .session_timeout = session_timeout, .ensemble_tracking = EnsembleTracking::off};
}

/// Makes a persistent node, so that the server removes no empty container while nodes are counted.
inline void keep(Client& client, const std::string& path) {
    client.create(path, "", {.parents = Parents::persistent});
}

/// One client locks and unlocks.
void count_cycles(Report& report, const testing::TestingServer& server, int cycles);
/// The connection of a client that holds a lock breaks, and the client reconnects.
void count_reconnects(Report& report, const testing::TestingServer& server, int reconnects);
/// The server expires the session of a client that holds a lock, and a new session begins.
void count_expiries(Report& report, const testing::TestingServer& server, int expiries);
/// A hundred waiters at each of so many locks, all on one client, twice.
void count_waiters(Report& report, const testing::TestingServer& server, int queues);
/// Clients are closed at so many moments, one after the other, while this process forks.
void count_closings(Report& report, const testing::TestingServer& server, int closings);

} // namespace docent::resources
