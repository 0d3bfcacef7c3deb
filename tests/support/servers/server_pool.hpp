// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servers/pooled_server.hpp"

#include <docent/testing/testing_server.hpp>

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace docent::test {

/// Most tests need an empty server for a few hundred milliseconds. The start of its virtual machine takes more processor time
/// than the test. So servers are used again: by one test at a time, and only if nothing of the last test is left.
///
/// Thread safety: all members may be called at any time.
class ServerPool {
public:
    using Server = std::unique_ptr<docent::testing::TestingServer>;

    /// `longest_farewell`: after a server was given back, sessions of killed clients may take so long to end.
    explicit ServerPool(std::chrono::milliseconds longest_farewell = std::chrono::seconds(15)) : farewell_(longest_farewell) {}

    /// Returns a server that waits, or a new one. Throws as TestingServer does.
    Server take(const std::string& options);
    /// Removes the server's nodes, and keeps it for the next test with these options. Ends it if it does not become like a new
    /// server: it does not run, sessions are left, the root has changed, or there are too many nodes to remove.
    void give_back(const std::string& options, Server server);

    /// Ends the servers that wait. Says how often a server was taken, and how many were started.
    std::string end_all();

private:
    struct Waiting {
        std::string options;
        Server server;
    };

    const std::chrono::milliseconds farewell_;
    std::mutex mutex_;
    std::list<Waiting> waiting_; // last used first
    int taken_ = 0;
    int started_ = 0;
};

} // namespace docent::test
