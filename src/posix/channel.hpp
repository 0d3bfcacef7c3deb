// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

#include <system_error>

#include <sys/socket.h>

namespace docent::posix {

/// What the call that has just failed left in errno, with what was to be done.
std::system_error last_error(const char* doing);

/// Two ends that are connected; both are closed by an exec.
struct Channel {
    UniqueFd ours;
    UniqueFd theirs;
};

/// A pair of UNIX sockets of that type. Unlike writing into a pipe, sending with MSG_NOSIGNAL never raises SIGPIPE.
Channel make_channel(int type = SOCK_STREAM);

} // namespace docent::posix
