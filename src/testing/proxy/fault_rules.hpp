// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/fault_proxy.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace docent::testing {

/// The rules of a FaultProxy for all its connections. Values only. Used by one thread.
struct FaultRules {
    struct Way {
        bool held = false;
        std::chrono::milliseconds delay{0};
        std::optional<std::size_t> bytes_left = std::nullopt; // until a cut

        /// The number of bytes, of `wanted`, to forward before the connection is cut. Empty: all, and the connection is not
        /// cut.
        std::optional<std::size_t> take_bytes(std::size_t wanted);
    };
    Way to_server;
    Way to_client;
    std::multiset<Opcode> request_cuts;
    std::multiset<Opcode> reply_cuts;
    std::map<Opcode, std::function<void()>> actions; // after a request was forwarded

    Way& operator[](Direction direction) { return direction == Direction::to_server ? to_server : to_client; }
};

/// Whether to cut now, by one of these rules. Each rule applies once.
bool take_cut(std::multiset<Opcode>& cuts, Opcode opcode);

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
