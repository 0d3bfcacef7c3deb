// SPDX-License-Identifier: Apache-2.0
#pragma once

// What docent, its guard and the child that becomes the program say to each other: one message a packet.

#include "posix/boot_clock.hpp"

#include <cstddef>
#include <string_view>

#include <sys/socket.h>

namespace docent::cli {

using zk::BootClock;

/// From docent to its guard. `arm` is followed by the environment entry by which the program's processes are found.
struct GuardOrder {
    enum class Kind { arm, extend, stop_by, disarm };
    Kind kind = Kind::disarm;
    BootClock::time_point time{}; // arm, extend: until when the lock is certainly ours. stop_by: when to kill
    BootClock::duration grace{};  // arm
};

/// From the guard to docent: the child's process id, how it ended (as waitpid() has it), or why there is none (errno).
struct GuardReport {
    enum class Kind { started, ended, failed };
    Kind kind = Kind::failed;
    int value = 0;
};

/// From docent to the child: begin, unless it is too late. Followed by environment entries, each ended by a zero byte.
struct StartOrder {
    BootClock::time_point latest{};
};

/// What the child says when it was too late; else errno of its exec.
constexpr int too_late = -1;

/// More than the largest packet, whose entries are limited by what an exec takes.
constexpr std::size_t longest_message = std::size_t{256} * 1024;

inline std::string_view bytes_of(const auto& message) {
    return {reinterpret_cast<const char*>(&message), sizeof message};
}

} // namespace docent::cli
