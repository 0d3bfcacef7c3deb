// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace docent::posix {

/// Takes the numbers 0, 1 and 2 if they are closed, so that no socket gets one of them and is written to as standard output.
/// Reading and writing there fail as if they were closed still. To be called before anything is opened.
inline void occupy_standard_streams() noexcept {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); // the lowest free number
    }
}

} // namespace docent::posix
