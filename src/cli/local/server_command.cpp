// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/signals.hpp"
#include "cli/local/stop_on_signal.hpp"
#include "cli/messages.hpp"
#include "cli/run.hpp"
#include "posix/descriptors.hpp"
#include "posix/event_fd.hpp"

#include <docent/testing/testing_server.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

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

docent::testing::ServerOptions server_options(const ServerCommand& command) {
    return {.port = command.port,
            .data_dir = command.data_dir,
            .tick_time = 500ms,
            .properties = {{"maxSessionTimeout", "60000"}}}; // the default of 20 ticks is too short for a debugger
}

/// The reason why a server was not started, without the name of the class.
std::string reason_of(const std::exception& failure) {
    constexpr std::string_view class_name = "TestingServer: ";
    const std::string_view text = failure.what();
    return std::string(text.starts_with(class_name) ? text.substr(class_name.size()) : text);
}

std::unique_ptr<docent::testing::TestingServer> start_server(const ServerCommand& command) {
    try {
        return std::make_unique<docent::testing::TestingServer>(server_options(command));
    } catch (const std::exception& failure) {
        throw std::runtime_error("server: " + reason_of(failure));
    }
}

} // namespace

int run(const ServerCommand& command) {
    Signals signals{SIGTERM, SIGINT, SIGHUP};
    posix::require_descriptors(descriptors_of_a_server); // without them, Java only reports a missing class
    const bool temporary = command.data_dir.empty();
    const posix::UniqueFd lock = temporary ? posix::UniqueFd() : lock_data(command.data_dir); // until the server has ended
    const auto server = start_server(command);
    print("ZooKeeper listens on " + server->connect_string() + " until Ctrl-C; its data " +
          (temporary ? "is temporary" : "stays in " + server->data_dir().string()) + "\n");
    while (!signals.next()) {
        if (!server->running()) {
            print_error("server: ZooKeeper has ended by itself");
            return exit_code::failure;
        }
        posix::wait_readable({signals.fd()}, 500ms);
    }
    server->stop();
    return exit_code::success;
}

} // namespace docent::cli
