// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace docent::testing {

/// The counters of a FaultProxy or a MemoryServer. One thread writes them. Any thread may read them and wait for them.
class Counters {
public:
    void add_connection() {
        const std::lock_guard lock(mutex_);
        ++connections_;
    }
    void add_request(std::int32_t opcode) {
        const std::lock_guard lock(mutex_);
        ++requests_[opcode];
    }
    void add_faults(std::size_t count) {
        const std::lock_guard lock(mutex_);
        faults_ += count;
        changed_.notify_all();
    }

    std::size_t connections() const {
        const std::lock_guard lock(mutex_);
        return connections_;
    }
    /// The number of requests with an opcode for which `counts` returns true.
    template <typename Counts> std::size_t requests(const Counts& counts) const {
        const std::lock_guard lock(mutex_);
        std::size_t count = 0;
        for (const auto& [opcode, requests] : requests_) {
            if (counts(opcode)) count += requests;
        }
        return count;
    }
    bool wait_faults(std::size_t count, std::chrono::milliseconds timeout) const {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, timeout, [&] { return faults_ >= count; });
    }

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::size_t connections_ = 0;
    std::size_t faults_ = 0;
    std::map<std::int32_t, std::size_t> requests_;
};

} // namespace docent::testing
