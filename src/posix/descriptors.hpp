// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace docent::posix {

/// Owns a file descriptor.
class UniqueFd {
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) noexcept : fd_(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~UniqueFd() { reset(); }

    int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }
    int release() noexcept { return std::exchange(fd_, -1); }
    void reset() noexcept {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }

private:
    int fd_ = -1;
};

/// Closes the descriptors from `first` to `last`; with CLOSE_RANGE_CLOEXEC as `flags`, lets an exec close them. Works also
/// where close_range(2) is missing (before Linux 5.11) or forbidden. Needs no memory, so that it can be used after fork().
void close_descriptors(unsigned first, unsigned last, unsigned flags) noexcept;

/// The error in errno of the call that has just failed, with `doing` as its text.
std::system_error last_error(const char* doing);

/// The inode of the socket that a descriptor stands for; 0 if it stands for none.
ino_t socket_of(int descriptor);

/// Two connected descriptors. An exec closes both.
struct Channel {
    UniqueFd ours;
    UniqueFd theirs;
};

/// Makes a pair of UNIX sockets of this type. A send with MSG_NOSIGNAL never raises SIGPIPE, which a write to a pipe can.
Channel make_channel(int type = SOCK_STREAM);

/// Throws std::system_error if fewer than `count` descriptors are free, so that the caller fails before it begins.
inline void require_descriptors(std::size_t count) {
    std::vector<UniqueFd> reserve;
    while (reserve.size() < count) {
        reserve.emplace_back(::open("/", O_PATH | O_CLOEXEC));
        if (!reserve.back()) throw last_error("cannot open what is needed");
    }
}

/// Reads a whole file. Returns nothing, and leaves errno, if it cannot be opened or read to its end: for example a folder, or a
/// file of /proc whose process has ended. (std::filebuf throws then.)
std::optional<std::string> read_file(const std::string& name);

/// The same for a name in an open folder.
std::optional<std::string> read_file_at(int folder, const std::string& name);

/// Opens the descriptors 0, 1 and 2 if they are closed. Otherwise a socket could get one of these numbers, and output would be
/// written to it. Reads and writes on them still fail. Call this before anything is opened.
inline void occupy_standard_streams() noexcept {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); // the lowest free number
    }
}

} // namespace docent::posix
