// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace docent {

class InterProcessMutex;

namespace detail {
class LockSource;
} // namespace detail

/// One of the locks of an InterProcessMultiLock: a mutex, or one side of a read/write lock. Means the same lock as what it was
/// made of, which may be destroyed before.
class LockMember {
public:
    LockMember(const InterProcessMutex& mutex); // implicit: a list of locks is a list of members
    /// For recipes.
    explicit LockMember(std::shared_ptr<detail::LockSource> source);

    /// Path of the lock.
    const std::string& path() const noexcept;

    /// For recipes.
    const std::shared_ptr<detail::LockSource>& source() const noexcept { return source_; }

private:
    std::shared_ptr<detail::LockSource> source_;
};

} // namespace docent
