// SPDX-License-Identifier: Apache-2.0

#include "posix/descriptors.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>

namespace docent::posix {

std::system_error last_error(const char* doing) {
    return {errno, std::generic_category(), doing};
}

ino_t socket_of(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

Channel make_channel(int type) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) throw last_error("socketpair");
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

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
