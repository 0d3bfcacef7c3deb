// SPDX-License-Identifier: Apache-2.0
#pragma once

// What threads hold by lock(): each its own, counted.

#include "mutex/thread_key.hpp"

#include <docent/recipes/lease.hpp>

#include <boost/thread/mutex.hpp>

#include <cstdint>
#include <stop_token>
#include <unordered_map>

namespace docent::detail {

class ThreadHolds {
public:
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
    mutable boost::mutex mutex_;
    std::unordered_map<ThreadKey, Hold> holds_;
};

} // namespace docent::detail
