// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"

#include <docent/client.hpp>
#include <docent/testing/testing_server.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace docent::resources {

/// The resources that this process uses of the machine and of the server.
struct Usage {
    std::int64_t heap = 0;     // allocated bytes
    std::int64_t resident = 0; // bytes of this process in memory
    std::int64_t threads = 0;
    std::int64_t descriptors = 0;
    std::int64_t watches = 0; // these and the rest are on the server
    std::int64_t nodes = 0;
    std::int64_t ephemeral_nodes = 0;
};
Usage usage(const testing::TestingServer& server);

/// Collects failed checks.
class Report {
public:
    /// Prints how `work` has changed the usage, and checks it. No count may be larger than before. Memory may grow by no more
    /// than the allocator's habits explain, and by `tables`: the bytes of tables that keep their largest size. Waits for
    /// resources that are released in the background.
    void compare(const std::string& work, const testing::TestingServer& server, const Usage& before, std::int64_t tables = 0);
    void check(bool holds, const std::string& what);
    int exit_code() const { return failures_ == 0 ? 0 : 1; }

private:
    int failures_ = 0;
};

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
