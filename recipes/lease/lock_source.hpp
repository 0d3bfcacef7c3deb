// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"

#include <docent/detail/acquire_wait.hpp>
#include <docent/error.hpp>
#include <docent/recipes/lease.hpp>

#include <memory>
#include <string>

namespace docent::detail {

/// The interface of a lock to an InterProcessMultiLock, which takes a lease of each member. Members may be called from any
/// thread.
class LockSource {
public:
    virtual ~LockSource() = default;

    virtual const std::shared_ptr<ClientView>& view() const noexcept = 0;
    /// The path as the user gave it. Two locks with one path on the servers count as one.
    virtual const std::string& path() const noexcept = 0;
    /// Whether the calling thread holds the lock, and so would wait for itself.
    virtual bool held_by_this_thread() const { return false; }

    /// Makes an attempt, which begins later. `view` is view(), or observes it. The attempt completes once, and at once when it
    /// is aborted. The error is `error::not_acquired` if `wait` allows no wait and the lock is not free.
    virtual std::shared_ptr<Operation> attempt(std::shared_ptr<ClientView> view, AcquireWait wait, Done<Lease> done) const = 0;
};

} // namespace docent::detail
