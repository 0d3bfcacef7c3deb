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

/// How a worker's locks have their nodes: one by one, kept, handed on among its lanes, or both; drawn by its seed.
LockOptions lock_options_of(const WorkerTask& task);

/// While these are there, nodes stay that no lane has a lock of.
class KeptLocks {
public:
    KeptLocks(Client& client, const LockOptions& options);

private:
    std::deque<InterProcessMutex> mutexes_;
    InterProcessReadWriteLock read_write_;
};

/// What the lanes of a worker share.
struct Workplace {
    const WorkerTask& task;
    Client& client;
    const LockOptions lock_options; // of some of its locks; those of the others are the library's
    Journal& journal;
    Sampler& sampler;
    std::atomic<std::int64_t> works = 0;
    std::atomic<bool> pausing = false;
};

/// Does one work after the other, each drawn at random. One thread.
class Lane {
public:
    Lane(Workplace& place, std::uint64_t seed);
    void do_one();

private:
    struct Claim { // what a lease is of
        std::string resource;
        std::string mode;
    };
    using Leases = std::vector<const Lease*>;

    bool chance(double probability);
    std::chrono::milliseconds between(std::chrono::milliseconds least, std::chrono::milliseconds most);
    std::chrono::milliseconds holding_time();
    void rest(std::chrono::milliseconds time);
    LockOptions lock_options();
    std::int64_t ask(std::string_view what, std::string_view of);
    void failed(std::int64_t work, const error_code& ec);
    /// By one of the forms of acquire; the lease is empty if it failed.
    template <typename Held, typename Lock> Held acquire(Lock& lock, std::int64_t work);
    void granted(std::int64_t work, const Claim& claim, const Lease& lease);
    /// What must never be.
    void broken(std::int64_t work, const std::string& what);
    /// Until the time is over, the lease lost, or there are other reasons to end.
    void hold(Sampler::Watch& watch, const std::atomic<bool>& asked);
    void hold(Sampler::Watch& watch, const std::atomic<bool>& asked, std::chrono::milliseconds time, bool yields);
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

    Workplace& place_;
    std::mt19937_64 random_;
    Store unchecked_;
    Store checked_;
};

} // namespace docent::chaos
