// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace docent::test {

/// A named pipe that is full, and that nobody reads.
class FullPipe {
public:
    explicit FullPipe(const std::string& path) {
        if (::mkfifo(path.c_str(), 0600) == 0) fd_ = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
        const std::array<char, 4096> block{};
        while (::write(fd_, block.data(), block.size()) > 0) continue;
        while (::write(fd_, block.data(), 1) > 0) continue;
    }
    ~FullPipe() { ::close(fd_); }
    FullPipe(const FullPipe&) = delete;
    FullPipe& operator=(const FullPipe&) = delete;

private:
    int fd_ = -1;
};

} // namespace docent::test
