// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"
#include "testing/process/child_process.hpp"

#include <filesystem>

namespace docent::testing {

/// A small process that outlives ours: when we are gone, however that happened, it kills the server and removes the folder.
/// It reads process ids from a socket whose other end only we hold, so the kernel tells it of our end; the parent-death
/// signal would not do, because that one comes when the *thread* that started the server ends.
class Watchdog {
public:
    /// If it cannot be started, it removes the folder, which is empty, and throws std::runtime_error.
    explicit Watchdog(const std::filesystem::path& folder);
    /// Removes the folder, too, and returns when that is done.
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// For `ChildCommand::announce_to`: so no moment exists in which the server runs unguarded.
    int announce_to() const noexcept { return ours_.get(); }
    /// Nothing to kill any more: the process id may be used again by somebody else.
    void forget_process() noexcept;

private:
    void start();

    posix::UniqueFd ours_;
    ChildProcess process_;
    std::filesystem::path folder_;
};

} // namespace docent::testing
