// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "in_threads.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace docent {
namespace {

using namespace std::chrono_literals;

/// A limit that ends while a test waits for the next holder.
const LockOptions short_hold{.max_hold = 200ms};
const CallOptions patient{.timeout = 60s};

class MaxHoldTest : public ProxiedTest {
protected:
    /// Expects that the lease has expired and the next waiter has the lock.
    void expect_expired(Lease& lease) {
        EXPECT_EQ(lease.state(), LeaseState::expired);
        EXPECT_FALSE(lease.owns());
        EXPECT_TRUE(lease.stop_token().stop_requested());
        EXPECT_FALSE(other.exists(lease.node_path()));
        error_code ec;
        lease.extend(1h, ec);
        EXPECT_EQ(ec, error::lease_lost);
        lease.release(ec);
        EXPECT_EQ(ec, error::lease_lost);
    }
};

TEST_F(MaxHoldTest, AMutexGoesToTheNext) {
    Lease held = InterProcessMutex(client, "/lock", short_hold).acquire();
    const Lease next = InterProcessMutex(other, "/lock").acquire(patient);
    expect_expired(held);
    EXPECT_TRUE(next.owns());
    EXPECT_GT(next.fencing_token(), held.fencing_token());
}

TEST_F(MaxHoldTest, AReadLockGoesToAWriter) {
    Lease held = InterProcessReadWriteLock(client, "/rw", short_hold).read_lock().acquire();
    const Lease next = InterProcessReadWriteLock(other, "/rw").write_lock().acquire(patient);
    expect_expired(held);
}

TEST_F(MaxHoldTest, AWriteLockGoesToAReader) {
    Lease held = InterProcessReadWriteLock(client, "/rw", short_hold).write_lock().acquire();
    const Lease next = InterProcessReadWriteLock(other, "/rw").read_lock().acquire(patient);
    expect_expired(held);
}

TEST_F(MaxHoldTest, ASemaphoreMutexGoesToTheNext) {
    InterProcessSemaphoreMutex mutex(client, "/s", short_hold);
    mutex.lock();
    const Lease next = InterProcessSemaphoreMutex(other, "/s").acquire(patient);
    EXPECT_FALSE(mutex.is_locked());
    EXPECT_TRUE(mutex.stop_token().stop_requested());
    mutex.unlock();
}

TEST_F(MaxHoldTest, AThreadUnlocksAnExpiredLockBeforeItLocksAgain) {
    InterProcessMutex mutex(client, "/lock", short_hold);
    mutex.lock();
    const Lease next = InterProcessMutex(other, "/lock").acquire(patient);
    EXPECT_FALSE(mutex.is_owned_by_current_thread());
    EXPECT_TRUE(mutex.stop_token().stop_requested());
    EXPECT_THROW(mutex.lock(), Error);
    mutex.unlock();
    EXPECT_FALSE(mutex.try_lock()) << "the next one has it";
}

TEST_F(MaxHoldTest, TransactionsOfAnExpiredHolderFail) {
    const Lease held = InterProcessMutex(client, "/lock", short_hold).acquire();
    held.wait_lost(patient);
    Transaction transaction;
    transaction.guard(held).create("/written", "late");
    error_code ec;
    client.commit(transaction, ec);
    EXPECT_EQ(ec, error::lease_lost);
    const Lease next = InterProcessMutex(other, "/lock").acquire(patient);
    other.commit(Transaction().check(held.node_path(), any_version).create("/written", "late"), ec);
    EXPECT_EQ(ec, server_error::no_node) << "the server refuses it, too";
    EXPECT_FALSE(other.exists("/written"));
}

TEST_F(MaxHoldTest, ExtensionsFromManyThreadsHaveOneOrderWithTheEnd) {
    for (int round = 0; round < 20; ++round) {
        const Lease held = InterProcessMutex(client, "/lock", {.max_hold = 5ms}).acquire();
        test::in_threads(3, [&](int) {
            error_code ec;
            for (int n = 0; n < 100 && !ec; ++n) {
                const bool was_over = held.state() == LeaseState::expired;
                held.extend(1ms, ec);
                EXPECT_FALSE(was_over && !ec);
            }
        });
        held.wait_lost(patient);
        EXPECT_EQ(held.state(), LeaseState::expired);
    }
}

TEST_F(MaxHoldTest, ALimitOfZeroIsRefused) {
    for (const auto refused : {0ms, -1ms}) {
        const LockOptions options{.max_hold = refused};
        const auto refuses = [&](const std::function<void()>& make) {
            const Failure failure = failure_of(make);
            EXPECT_EQ(failure.code, server_error::bad_arguments);
            EXPECT_PRED_FORMAT2(::testing::IsSubstring, "max_hold must be longer than 0", failure.text);
        };
        refuses([&] { InterProcessMutex(client, "/lock", options); });
        refuses([&] { InterProcessReadWriteLock(client, "/lock", options); });
        refuses([&] { InterProcessSemaphore(client, "/lock", 1, options); });
        refuses([&] { InterProcessSemaphoreMutex(client, "/lock", options); });
        refuses([&] { LeaderLatch(client, "/lock", {.max_hold = refused}); });
        refuses([&] { LeaderSelector(client, "/lock", LeaderSelector::Work([](const Lease&) {}), {.max_hold = refused}); });
    }
    const Lease for_ever = InterProcessMutex(client, "/lock", {.max_hold = std::chrono::milliseconds::max()}).acquire();
    EXPECT_EQ(for_ever.remaining_hold(), std::nullopt);
    EXPECT_TRUE(for_ever.owns());
}

} // namespace
} // namespace docent
