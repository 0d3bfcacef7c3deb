// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/testing_server.hpp>

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
    /// Prints how `work` has changed the usage, and checks it. Every count must be as before. Memory may grow by no more than
    /// the allocator's habits explain, and by `tables`: the bytes of tables that keep their largest size. Waits for resources
    /// that are released in the background.
    void compare(const std::string& work, const testing::TestingServer& server, const Usage& before, std::int64_t tables = 0);
    void check(bool holds, const std::string& what);
    int exit_code() const { return failures_ == 0 ? 0 : 1; }

private:
    int failures_ = 0;
};

} // namespace docent::resources
