// SPDX-License-Identifier: Apache-2.0
#include "cli/local/data_lock.hpp"

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace docent::cli {
namespace {

/// The process id in the lock file; empty if it cannot be read.
std::string holder_in(int fd) {
    std::array<char, 32> text{};
    const ssize_t length = ::pread(fd, text.data(), text.size(), 0);
    const std::string_view read(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    return std::string(read.substr(0, read.find_first_not_of("0123456789")));
}

} // namespace

DataLock::DataLock(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    const auto name = folder / "docent-server.lock";
    file_ = posix::UniqueFd(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file_) throw std::system_error(errno, std::generic_category(), "server: " + name.string());
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) throw std::system_error(errno, std::generic_category(), "server: " + name.string());
        const std::string holder = holder_in(file_.get());
        throw std::runtime_error("server: another docent server" + (holder.empty() ? "" : " (process " + holder + ")") +
                                 " runs on the data in " + folder.string());
    }
    const std::string own = std::to_string(::getpid()) + '\n';
    const bool written = ::ftruncate(file_.get(), 0) == 0 && ::pwrite(file_.get(), own.data(), own.size(), 0) > 0;
    static_cast<void>(written); // only messages use it
}

} // namespace docent::cli
