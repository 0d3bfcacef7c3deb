// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/detail/process_owned.hpp>
#include <docent/export.hpp>

#include <memory>
#include <string>

namespace docent {

class InterProcessMutex;
class InterProcessSemaphore;
class InterProcessSemaphoreMutex;

namespace detail {
class LockSource;
struct Access;
} // namespace detail

/// One of the locks of an InterProcessMultiLock.
///
/// ```cpp
/// docent::InterProcessMutex accounts{client, "/locks/accounts"};
/// docent::InterProcessSemaphore seats{client, "/locks/seats", 3};
/// docent::InterProcessMultiLock both{{accounts, seats}};
/// ```
///
/// A member is a mutex, one side of a read/write lock, one permit of a semaphore, or a semaphore
/// mutex. It stands for the same lock as the object from which it was made. That object may be
/// destroyed first.
/// @ingroup locks
class DOCENT_EXPORT LockMember {
public:
    // Implicit, so that a list of locks can be written as a list of members.
    /// A mutex, or one side of a read/write lock.
    LockMember(const InterProcessMutex& mutex);
    /// One permit of a semaphore.
    LockMember(const InterProcessSemaphore& semaphore);
    /// A semaphore mutex.
    LockMember(const InterProcessSemaphoreMutex& mutex);
    /// For recipes: a member of this source.
    explicit LockMember(std::shared_ptr<detail::LockSource> source);

    /// The path of the lock; empty after a move.
    const std::string& path() const noexcept;

private:
    friend struct detail::Access;
    detail::ProcessOwned<detail::LockSource> source_;
};

} // namespace docent
