// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <atomic>
#include <cstddef>

namespace docent::test {

/// Counts the heartbeats that have passed through a proxy.
class HeartbeatCounter {
public:
    explicit HeartbeatCounter(testing::FaultProxy& proxy) : proxy_(proxy) {
        proxy_.on_forwarded(testing::Opcode::sync, [this] { ++count_; });
    }
    ~HeartbeatCounter() { proxy_.heal(); } // no calls after this; waits for a call under way
    HeartbeatCounter(const HeartbeatCounter&) = delete;
    HeartbeatCounter& operator=(const HeartbeatCounter&) = delete;
    HeartbeatCounter(HeartbeatCounter&&) = delete;
    HeartbeatCounter& operator=(HeartbeatCounter&&) = delete;

    std::size_t count() const { return count_; }
    /// Returns true after `more` heartbeats; false if they do not come, for example because the caller holds them up.
    bool go_on(std::size_t more = 2) const {
        return eventually([this, wanted = count() + more] { return count() >= wanted; });
    }

private:
    testing::FaultProxy& proxy_;
    std::atomic<std::size_t> count_{0};
};

} // namespace docent::test
