// SPDX-License-Identifier: Apache-2.0
#include "posix/read_file.hpp"

#include "posix/unique_fd.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace docent::posix {

std::optional<std::string> read_file(const std::string& name) {
    return read_file_at(AT_FDCWD, name);
}

std::optional<std::string> read_file_at(int folder, const std::string& name) {
    const UniqueFd file(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return std::nullopt;
    std::string text;
    std::array<char, 4096> block{};
    for (;;) {
        const ssize_t length = ::read(file.get(), block.data(), block.size());
        if (length > 0) text.append(block.data(), static_cast<std::size_t>(length));
        else if (length == 0) return text;
        else if (errno != EINTR) return std::nullopt;
    }
}

} // namespace docent::posix
