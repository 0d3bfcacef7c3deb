// SPDX-License-Identifier: Apache-2.0
#include "cli/local/local_server.hpp"
#include "cli/messages.hpp"
#include "cli/run.hpp"
#include "cli/signals.hpp"
#include "posix/descriptors.hpp"
#include "posix/event_fd.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace docent::cli {

using namespace std::chrono_literals;

namespace {

/// The process id in the lock file; empty if it cannot be read.
std::string holder_in(int fd) {
    std::array<char, 32> text{};
    const ssize_t length = ::pread(fd, text.data(), text.size(), 0);
    const std::string_view read(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    return std::string(read.substr(0, read.find_first_not_of("0123456789")));
}

/// Locks a folder for one server: two servers would damage the data. The kernel releases the lock when the process ends. The
/// file `docent-server.lock` stays in the folder, and has no effect by itself. Creates a missing folder. Throws
/// std::runtime_error, with one line, if another process has the lock or the file cannot be made.
posix::UniqueFd lock_data(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    const auto name = folder / "docent-server.lock";
    posix::UniqueFd file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file) throw std::system_error(errno, std::generic_category(), "server: " + name.string());
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) throw std::system_error(errno, std::generic_category(), "server: " + name.string());
        const std::string holder = holder_in(file.get());
        throw std::runtime_error("server: another docent server" + (holder.empty() ? "" : " (process " + holder + ")") +
                                 " runs on the data in " + folder.string());
    }
    const std::string own = std::to_string(::getpid()) + '\n';
    const bool written = ::ftruncate(file.get(), 0) == 0 && ::pwrite(file.get(), own.data(), own.size(), 0) > 0;
    static_cast<void>(written); // only messages use it
    return file;
}

} // namespace

int run(const ServerCommand& command) {
    Signals signals{SIGTERM, SIGINT, SIGHUP};
    const bool temporary = command.data_dir.empty();
    const posix::UniqueFd lock = temporary ? posix::UniqueFd() : lock_data(command.data_dir); // until the server has ended
    LocalServer server("server", {.kind = command.kind,
                                  .port = command.port,
                                  .data_dir = command.data_dir,
                                  .tls = command.tls,
                                  .longest_session = 60s}); // long enough for a debugger
    print((command.kind == ServerKind::real ? "ZooKeeper" : "A server in memory") + std::string(" listens on ") +
          server.connect_string() + " until Ctrl-C; its data " +
          (temporary ? "is temporary" : "stays in " + command.data_dir.string()) + "\n");
    if (command.tls) {
        const TlsConfig files = server.tls_config();
        print("With TLS: docent --connect tls://" + server.tls_connect_string() + " --tls-ca " + files.ca_file +
              " --tls-cert " + files.certificate_file + " ls /\n");
    }
    while (!signals.next()) {
        if (!server.running()) {
            print_error("server: ZooKeeper has ended by itself");
            return exit_code::failure;
        }
        posix::wait_readable({signals.fd()}, 500ms);
    }
    server.stop();
    return exit_code::success;
}

} // namespace docent::cli
