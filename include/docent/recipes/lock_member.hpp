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

/// One of the locks of an InterProcessMultiLock: a mutex, one side of a read/write lock, one permit of a semaphore, or a
/// semaphore mutex. Means the same lock as what it was made of, which may be destroyed before.
class DOCENT_EXPORT LockMember {
public:
    // Implicit: a list of locks is a list of members.
    LockMember(const InterProcessMutex& mutex);
    LockMember(const InterProcessSemaphore& semaphore);
    LockMember(const InterProcessSemaphoreMutex& mutex);
    /// For recipes.
    explicit LockMember(std::shared_ptr<detail::LockSource> source);

    /// Path of the lock; empty after it was moved from.
    const std::string& path() const noexcept;

private:
    friend struct detail::Access;
    detail::ProcessOwned<detail::LockSource> source_;
};

} // namespace docent
