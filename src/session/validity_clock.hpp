// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"
#include "posix/process_mark.hpp"

#include <atomic>
#include <cstdint>

namespace docent::session {

using zk::BootClock;

/// The validity bound of one session (see ValidityBound). The client's strand writes it; leases read it from any thread. In a
/// child of the client's process, nothing is valid.
class ValidityClock {
public:
    explicit ValidityClock(std::uint64_t epoch) : epoch_(epoch) {}

    std::uint64_t epoch() const noexcept { return epoch_; }

    /// Moves the bound forward, never back. A session that has ended stays ended.
    void extend(BootClock::time_point until) noexcept {
        const auto ticks = until.time_since_epoch().count();
        auto old = until_.load(std::memory_order_relaxed);
        while (old < ticks && !until_.compare_exchange_weak(old, ticks, std::memory_order_release)) {
        }
    }
    void end() noexcept { ended_.store(true, std::memory_order_release); }
    void set_suspended(bool suspended) noexcept { suspended_.store(suspended, std::memory_order_release); }

    BootClock::time_point valid_until() const noexcept {
        return BootClock::time_point{BootClock::duration{until_.load(std::memory_order_acquire)}};
    }
    bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }
    bool suspended() const noexcept { return suspended_.load(std::memory_order_acquire); }
    bool valid_at(BootClock::time_point now) const noexcept { return !ended() && now < valid_until() && process_.is_here(); }

private:
    const std::uint64_t epoch_;
    const posix::ProcessMark process_;
    std::atomic<BootClock::rep> until_{0};
    std::atomic<bool> ended_{false};
    std::atomic<bool> suspended_{false};
};

} // namespace docent::session
