// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/testing_server.hpp>

#include <cstdint>
#include <string>

namespace docent::resources {

/// What this process has of the machine, and of the server.
struct Usage {
    std::int64_t heap = 0;     // bytes that are allocated
    std::int64_t resident = 0; // bytes of this process in memory
    std::int64_t threads = 0;
    std::int64_t descriptors = 0;
    std::int64_t watches = 0; // on the server, as the rest
    std::int64_t nodes = 0;
    std::int64_t ephemeral_nodes = 0;
};
Usage usage(const testing::TestingServer& server);

/// Collects what does not hold.
class Report {
public:
    /// Prints what became of the usage by `work`, and checks it: of each as much as before, and of memory no more than the
    /// allocator's habits explain, and bytes of `tables` that stay as large as they had to be once. What is given back in the
    /// background is waited for.
    void compare(const std::string& work, const testing::TestingServer& server, const Usage& before, std::int64_t tables = 0);
    void check(bool holds, const std::string& what);
    int exit_code() const { return failures_ == 0 ? 0 : 1; }

private:
    int failures_ = 0;
};

} // namespace docent::resources
