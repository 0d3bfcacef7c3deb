// SPDX-License-Identifier: Apache-2.0
#pragma once

// The locks that threads hold by lock(), with a count for each thread.

#include "local/shared_by_threads.hpp"

#include "posix/process_mark.hpp"

#include <docent/recipes/lease.hpp>

#include <boost/thread/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <unordered_map>

namespace docent::detail {

/// A thread asks only for itself, so the holds can be divided among parts. In a child of the process that made this object, a
/// thread holds nothing, and leave() does nothing.
class ThreadHolds {
public:
    enum class Threads { few, many };
    explicit ThreadHolds(Threads threads = Threads::few)
        : count_(threads == Threads::few ? 1 : kinds_of_threads), parts_(new Part[count_]) {}

    /// Whether the calling thread holds the lock.
    enum class Ownership { nothing, surely, lost };
    Ownership held() const;

    /// Adds a level for a thread that holds the lock.
    void enter_again();
    void enter(Lease lease);
    /// Removes a level. The last one releases the lease. Returns false if the calling thread holds nothing.
    bool leave();

    /// The lease of the calling thread; null without a hold.
    std::shared_ptr<LeaseCore> lease() const;

private:
    struct ThreadHold {
        Lease lease;
        int count = 1;
    };
    struct alignas(apart) Part {
        boost::mutex mutex;
        std::unordered_map<ThreadKey, ThreadHold> holds;
        std::atomic<std::size_t> size{0}; // of `holds`
    };
    Part& part() const { return parts_[kind_of_this_thread() % count_]; }
    template <typename Function> auto with_own(Function function) const;

    const posix::ProcessMark process_;
    const std::size_t count_;
    const std::unique_ptr<Part[]> parts_;
};

} // namespace docent::detail
