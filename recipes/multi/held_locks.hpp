// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of a MultiLease.

#include "client/core/operation.hpp"

#include <docent/recipes/multi_lease.hpp>

#include <boost/thread/mutex.hpp>

#include <deque>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

struct HeldLock {
    std::string path; // the path of the lock
    Lease lease;
};

/// Throws MultiLockError if `ec` is set.
void throw_if(const error_code& ec, std::string_view operation, const std::vector<std::string>& paths,
              const std::vector<LockFailure>& failures);

class HeldLocks {
public:
    /// All locks are held.
    HeldLocks(std::shared_ptr<ClientView> view, std::vector<HeldLock> locks);
    /// No lock is held.
    explicit HeldLocks(std::vector<LockFailure> failures);
    ~HeldLocks();
    HeldLocks(const HeldLocks&) = delete;
    HeldLocks& operator=(const HeldLocks&) = delete;

    const std::shared_ptr<ClientView>& view() const noexcept { return view_; } // null if there are no leases
    const std::vector<std::string>& paths() const noexcept { return paths_; }
    const std::vector<Lease>& leases() const noexcept { return leases_; }
    std::vector<Lease>& leases() noexcept { return leases_; }
    std::stop_token stop_token() const noexcept { return lost_.get_token(); }

    std::vector<LockFailure> failures() const;
    void set_failures(std::vector<LockFailure> failures);

private:
    struct PassOn {
        std::stop_source to;
        // A copy, because the request may lead to the destruction of this object.
        void operator()() const noexcept { std::stop_source(to).request_stop(); }
    };
    using Forwards = std::deque<std::stop_callback<PassOn>>;

    std::shared_ptr<ClientView> view_;
    std::vector<std::string> paths_;
    std::vector<Lease> leases_;
    std::stop_source lost_;
    std::shared_ptr<Forwards> forwards_;
    mutable boost::mutex mutex_;
    std::vector<LockFailure> failures_;
};

} // namespace docent::detail
