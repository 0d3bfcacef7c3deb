// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/journal.hpp"
#include "worker/sampler.hpp"
#include "worker/store.hpp"
#include "worker/worker.hpp"

#include <docent/docent.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace docent::chaos {

/// Draws the lock options by the worker's seed: nodes are kept, handed over among its lanes, both, or neither.
LockOptions lock_options_of(const WorkerTask& task);

/// Records that the work was granted the lease.
void record_grant(Journal& journal, std::int64_t work, const std::string& resource, const std::string& mode,
                  const Lease& lease);

/// While this object lives, nodes are kept, though no lane has a lock object for them.
class KeptLocks {
public:
    KeptLocks(Client& client, const LockOptions& options);

private:
    std::deque<InterProcessMutex> mutexes_;
    InterProcessReadWriteLock read_write_;
};

/// Shared by the lanes of a worker.
struct WorkerContext {
    const WorkerTask& task;
    Client& client;
    const LockOptions lock_options; // of most of its locks; the others use the defaults
    Journal& journal;
    Sampler& sampler;
    std::atomic<std::int64_t> works = 0;
    std::atomic<bool> pausing = false;
};

/// Does one work after the other, each drawn at random, on one thread. A work acquires a lock, holds it and releases it, or it
/// asks a holder to give up its lock.
class Lane {
public:
    Lane(WorkerContext& context, std::uint64_t seed);
    void do_one();

private:
    struct Claim { // of a lease
        std::string resource;
        std::string mode;
    };

    bool chance(double probability);
    std::chrono::milliseconds between(std::chrono::milliseconds least, std::chrono::milliseconds most);
    std::chrono::milliseconds holding_time();
    void rest(std::chrono::milliseconds time);
    LockOptions lock_options();
    std::int64_t ask(std::string_view what, std::string_view of);
    void failed(std::int64_t work, const error_code& ec);
    /// Uses one of the forms of acquire. Returns an empty lease on failure.
    template <typename Held, typename Lock> Held acquire(Lock& lock, std::int64_t work);
    void granted(std::int64_t work, const Claim& claim, const Lease& lease);
    /// Acquires one lease, and records that it was granted.
    template <typename Lock> Lease take(std::int64_t work, Lock& lock, const Claim& claim);
    /// Records a broken promise.
    void broken(std::int64_t work, const std::string& what);
    /// Holds until the time is over, the lease is lost, or another reason to end. `asked`: a request to give the lock up.
    void hold(Sampler::Watch& watch, const std::atomic<bool>* asked = nullptr);
    void hold(Sampler::Watch& watch, const std::atomic<bool>* asked, std::chrono::milliseconds time, bool yields);
    void hold_while(std::int64_t work, std::function<bool()> owns);
    template <typename Held> void release(std::int64_t work, Held& held);
    void hold_and_release(std::int64_t work, Lease lease);

    void use_mutex();
    void use_mutex_as_thread();
    void use_read_write_as_thread();
    bool enter(std::int64_t work, InterProcessMutex& lock);
    void leave(std::int64_t work, InterProcessMutex& lock);
    void hold_as_thread(std::int64_t work, const Claim& claim, InterProcessMutex& lock, InterProcessMutex* inner);
    void use_read_write();
    void downgrade(std::int64_t work, Lease write);
    void use_semaphore();
    void use_semaphore_mutex();
    void use_multi_lock();
    void use_counter();
    bool increment(std::int64_t work, const Lease& lease, Sampler::Watch& watch);
    void use_store();
    void ask_somebody();

    WorkerContext& context_;
    std::mt19937_64 random_;
    Store unchecked_;
    Store checked_;
};

} // namespace docent::chaos
