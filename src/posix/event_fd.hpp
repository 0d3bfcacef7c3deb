// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace docent::posix {

/// A flag that any thread can raise and clear. Its descriptor is readable while the flag is raised, so poll() can wait for it.
class EventFd {
public:
    /// Throws std::system_error.
    EventFd();
    /// A flag that is raised when all copies of the other end of `pipe` are closed, also because their processes have ended.
    /// Do not raise or clear it here.
    explicit EventFd(UniqueFd pipe) noexcept : descriptor_(std::move(pipe)) {}

    void raise() noexcept;
    void clear() noexcept;
    bool raised() const noexcept;
    int fd() const noexcept { return descriptor_.get(); }

private:
    UniqueFd descriptor_;
};

/// Waits until one of these descriptors is readable, or `timeout` has passed. May return early: the caller must check.
/// If the kernel refuses to wait (more descriptors than RLIMIT_NOFILE, no memory), it returns after 100 ms at most, so that a
/// caller that looks and waits in a loop does not occupy a processor.
inline void wait_readable(std::initializer_list<int> descriptors, std::optional<std::chrono::milliseconds> timeout = {}) {
    std::vector<pollfd> wanted;
    for (const int fd : descriptors) wanted.push_back({fd, POLLIN, 0});
    const int longest = timeout ? static_cast<int>(timeout->count()) : -1;
    if (::poll(wanted.data(), wanted.size(), longest) >= 0 || errno == EINTR) return;
    constexpr int pause = 100;
    ::poll(nullptr, 0, longest < 0 ? pause : std::min(longest, pause));
}

} // namespace docent::posix
