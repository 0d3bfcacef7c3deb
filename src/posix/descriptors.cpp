// SPDX-License-Identifier: Apache-2.0

#include "posix/descriptors.hpp"

#include <dirent.h>
#include <linux/close_range.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace docent::posix {

namespace {

/// The number that the name consists of; nothing if it has other characters.
std::optional<unsigned> number_in(std::string_view name) noexcept {
    unsigned number = 0;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data(), end, number);
    return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

void close_descriptor(unsigned descriptor, unsigned flags) noexcept {
    const int fd = static_cast<int>(descriptor);
    if (flags == CLOSE_RANGE_CLOEXEC) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    else ::close(fd);
}

/// The limit for open descriptors can be a billion, so this looks for those that are open.
void close_one_by_one(unsigned first, unsigned last, unsigned flags) noexcept {
    const int folder = ::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        constexpr unsigned usual_limit = 65'536;
        for (unsigned fd = first; fd <= last && fd < usual_limit; ++fd) close_descriptor(fd, flags);
        return;
    }
    alignas(dirent64) std::array<char, 4096> block{};
    for (ssize_t length = 0; (length = ::getdents64(folder, block.data(), block.size())) > 0;) {
        for (ssize_t position = 0; position < length;) {
            const auto* const entry = reinterpret_cast<const dirent64*>(&block[static_cast<std::size_t>(position)]);
            const auto number = number_in(entry->d_name);
            if (number && *number >= first && *number <= last && static_cast<int>(*number) != folder)
                close_descriptor(*number, flags);
            position += entry->d_reclen;
        }
    }
    ::close(folder);
}

} // namespace

void close_descriptors(unsigned first, unsigned last, unsigned flags) noexcept {
    if (first <= last && ::close_range(first, last, static_cast<int>(flags)) != 0) close_one_by_one(first, last, flags);
}

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
