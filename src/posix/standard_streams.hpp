// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace docent::posix {

/// Opens the descriptors 0, 1 and 2 if they are closed. Otherwise a socket could get one of these numbers, and output would be
/// written to it. Reads and writes on them still fail. Call this before anything is opened.
inline void occupy_standard_streams() noexcept {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); // the lowest free number
    }
}

} // namespace docent::posix
