// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/access.hpp"
#include "fake_mutex.hpp"
#include "local/local_queue.hpp"

#include <chrono>
#include <memory>
#include <tuple>
#include <utility>

namespace docent::detail {
using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = AcquireWait::Kind;

inline constexpr seconds kept{60};

/// Locks with a kept node or with local hand-over. All locks of one client belong to one process.
class LocalQueueTest : public FakeMutexTest {
protected:
    std::shared_ptr<MutexCore> lock(std::size_t index, LeaseTerms terms) {
        return std::make_shared<MutexCore>(world.share(index), "/lock", boot_now(index), std::move(terms));
    }
    std::shared_ptr<MutexCore> keeping(std::size_t index, milliseconds keep_for = kept) {
        return lock(index, {.keep_for = keep_for});
    }
    std::shared_ptr<MutexCore> handing_on(std::size_t index, std::uint32_t max) {
        return lock(index, {.max_local_handovers = max});
    }

    /// Acquires and leaves a lock with a kept node. Runs until the client knows that no other client waits for the lock.
    void keep(const std::shared_ptr<MutexCore>& core) {
        std::ignore = acquire_on(core);
        settle();
        ASSERT_EQ(world.queue().size(), 1U);
    }
    std::shared_ptr<MutexCore> kept_lock(LeaseTerms terms = {.keep_for = kept}) {
        auto core = lock(0, std::move(terms));
        keep(core);
        return core;
    }
    std::uint64_t sent(std::size_t index) { return client(index).requests_sent(); }
};

} // namespace docent::detail
