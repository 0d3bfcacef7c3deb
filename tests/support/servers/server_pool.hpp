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

/// Most tests need an empty server for a few hundred milliseconds, and starting its virtual machine takes more processor time
/// than the test. So servers are used again: each by one test at a time, and only when nothing of the last one is left there.
///
/// Thread safety: all members may be called at any time.
class ServerPool {
public:
    using Server = std::unique_ptr<docent::testing::TestingServer>;

    /// Sessions that killed clients have left may end so long after a server was given back.
    explicit ServerPool(std::chrono::milliseconds longest_farewell = std::chrono::seconds(15)) : farewell_(longest_farewell) {}

    /// One that waits, or a new one. Throws what TestingServer throws.
    Server take(const std::string& options);
    /// Keeps it for the next test that wants these options, after its nodes were removed; ends it if it is not like a new one
    /// then: if it does not run, if sessions are left, if the root has been changed.
    void give_back(const std::string& options, Server server);

    /// Ends those that wait. Says how often one was taken, and how many were started.
    std::string end_all();

private:
    struct Waiting {
        std::string options;
        Server server;
    };

    const std::chrono::milliseconds farewell_;
    std::mutex mutex_;
    std::list<Waiting> waiting_; // used last, first
    int taken_ = 0;
    int started_ = 0;
};

} // namespace docent::test
