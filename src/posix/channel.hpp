// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

#include <system_error>

#include <sys/socket.h>

namespace docent::posix {

/// The error in errno of the call that has just failed, with `doing` as its text.
std::system_error last_error(const char* doing);

/// Two connected descriptors. An exec closes both.
struct Channel {
    UniqueFd ours;
    UniqueFd theirs;
};

/// Makes a pair of UNIX sockets of this type. A send with MSG_NOSIGNAL never raises SIGPIPE, which a write to a pipe can.
Channel make_channel(int type = SOCK_STREAM);

} // namespace docent::posix
