// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"

#include <docent/detail/acquire_wait.hpp>
#include <docent/recipes/lease.hpp>

#include <memory>
#include <string>

namespace docent::detail {

/// A lock, as seen by those who take several at once: it can be asked for a lease. What implements this can be a member of an
/// InterProcessMultiLock. From any thread.
class LockSource {
public:
    virtual ~LockSource() = default;

    virtual const std::shared_ptr<ClientView>& view() const noexcept = 0;
    /// As its user gave it. Two locks with one path (on the servers) count as one.
    virtual const std::string& path() const noexcept = 0;
    /// Whether the calling thread would wait for itself.
    virtual bool held_by_this_thread() const { return false; }

    /// An attempt that has not begun yet. `view` is view(), or observes it. As every operation it completes once, at
    /// once when it is aborted; with `error::not_acquired` if it is not to wait and the lock is not free.
    virtual std::shared_ptr<Operation> attempt(std::shared_ptr<ClientView> view, AcquireWait wait, Done<Lease> done) const = 0;
};

} // namespace docent::detail
