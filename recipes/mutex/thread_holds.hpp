// SPDX-License-Identifier: Apache-2.0
#pragma once

// What threads hold by lock(): each its own, counted.

#include "local/thread_key.hpp"
#include "local/thread_kind.hpp"

#include "posix/process_mark.hpp"

#include <docent/recipes/lease.hpp>

#include <boost/thread/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <unordered_map>

namespace docent::detail {

/// Each asks for itself alone, so that those of one kind may have their own part. In a child of the process that has made this
/// a thread holds nothing, and may leave what its parent holds: that does nothing.
class ThreadHolds {
public:
    enum class Threads { few, many };
    explicit ThreadHolds(Threads threads = Threads::few)
        : count_(threads == Threads::few ? 1 : kinds_of_threads), parts_(new Part[count_]) {}

    /// What the calling thread holds.
    enum class Held { nothing, surely, lost };
    Held held() const;

    /// One level more, for a thread that holds already.
    void enter_again();
    void enter(Lease lease);
    /// One level less; the last one gives the lease back. False if the calling thread holds nothing.
    bool leave();

    std::stop_token stop_token() const;       // without a hold, one that never stops
    std::int64_t fencing_token() const;       // without a hold, 0
    std::shared_ptr<LeaseCore> lease() const; // without a hold, null

private:
    struct Hold {
        Lease lease;
        int count = 1;
    };
    struct alignas(apart) Part {
        boost::mutex mutex;
        std::unordered_map<ThreadKey, Hold> holds;
        std::atomic<std::size_t> size{0}; // of that
    };
    Part& part() const { return parts_[kind_of_this_thread() % count_]; }
    template <typename Function> auto with_own(Function function) const;

    const posix::ProcessMark process_;
    const std::size_t count_;
    const std::unique_ptr<Part[]> parts_;
};

} // namespace docent::detail
