// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <vector>

#include <poll.h>

namespace docent::cli {

/// Waits until one of these descriptors is readable, or `timeout` has passed. May return early: look what has happened.
inline void wait_readable(std::initializer_list<int> descriptors, std::optional<std::chrono::milliseconds> timeout = {}) {
    std::vector<pollfd> wanted;
    for (const int fd : descriptors) wanted.push_back({fd, POLLIN, 0});
    ::poll(wanted.data(), wanted.size(), timeout ? static_cast<int>(timeout->count()) : -1);
}

} // namespace docent::cli
