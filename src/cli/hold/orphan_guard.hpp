// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/descriptor.hpp"

#include <string_view>

#include <sys/types.h>

namespace docent::cli {

/// A small process that outlives ours. When we are killed while a program runs under a lock, the kernel kills that program,
/// but nothing that it had started: this does, so that nothing goes on without the lock.
///
/// The kernel tells it of our end by closing our end of a socket. Must be made before the first thread is started.
class OrphanGuard {
public:
    OrphanGuard();
    /// Ends it, and waits for that.
    ~OrphanGuard();
    OrphanGuard(const OrphanGuard&) = delete;
    OrphanGuard& operator=(const OrphanGuard&) = delete;

    /// From now on our death means the end of all processes with this entry in their environment.
    void watch_over(std::string_view environment_entry);
    /// From now on it does not.
    void stand_down();

private:
    Descriptor to_guard_;
    pid_t pid_ = 0;
};

} // namespace docent::cli
