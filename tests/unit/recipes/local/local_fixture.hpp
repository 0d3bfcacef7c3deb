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
    BootNow boot_now(std::size_t index) {
        return [this, index] { return world.client(index).boot_now(); };
    }
    std::shared_ptr<MutexCore> keeping(std::size_t index, milliseconds keep_for = kept) {
        return lock(index, {.keep_for = keep_for});
    }
    std::shared_ptr<MutexCore> handing_on(std::size_t index, std::uint32_t max) {
        return lock(index, {.max_local_handovers = max});
    }

    OutcomePtr start_on(const std::shared_ptr<MutexCore>& core, AcquireWait wait = {}, CallOptions call = {}) {
        const auto outcome = std::make_shared<Outcome>();
        initiate_acquire(core, wait, std::move(call), [outcome](error_code ec, Lease lease) {
            ++outcome->times;
            outcome->ec = ec;
            outcome->lease = std::move(lease);
        });
        return outcome;
    }
    Lease acquire_on(const std::shared_ptr<MutexCore>& core) {
        const auto outcome = start_on(core);
        wait_for(outcome);
        EXPECT_EQ(outcome->ec, error_code{});
        return std::move(outcome->lease);
    }
    /// Acquires a lock with a kept node until the client knows that no other client wants it.
    void keep(const std::shared_ptr<MutexCore>& core) {
        std::ignore = acquire_on(core);
        settle();
        ASSERT_EQ(world.queue().size(), 1U);
    }
    std::uint64_t sent(std::size_t index) { return client(index).requests_sent(); }
};

} // namespace docent::detail
