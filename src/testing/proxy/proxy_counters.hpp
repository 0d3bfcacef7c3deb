// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/fault_proxy.hpp>

#include <condition_variable>
#include <map>
#include <mutex>

namespace docent::testing {

/// The counters of a FaultProxy. Its thread writes them; any thread may read them and wait for them.
class ProxyCounters {
public:
    void add_connection();
    void add_request(Opcode opcode);
    void add_cut();

    std::size_t connections() const;
    std::size_t requests(Opcode opcode) const;
    bool wait_cuts(std::size_t count, std::chrono::milliseconds timeout) const;

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::size_t connections_ = 0;
    std::size_t cuts_ = 0;
    std::map<Opcode, std::size_t> requests_;
};

} // namespace docent::testing
