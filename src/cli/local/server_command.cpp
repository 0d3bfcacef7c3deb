// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/exit_code.hpp"
#include "cli/hold/signals.hpp"
#include "cli/hold/wait_readable.hpp"
#include "cli/local/data_lock.hpp"
#include "cli/local/descriptors.hpp"
#include "cli/messages.hpp"

#include "posix/descriptor_reserve.hpp"

#include <docent/testing/testing_server.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace docent::cli {

using namespace std::chrono_literals;

namespace {

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
    std::optional<DataLock> lock; // released after the server has ended
    if (!temporary) lock.emplace(command.data_dir);
    const auto server = start_server(command);
    print("ZooKeeper listens on " + server->connect_string() + " until Ctrl-C; its data " +
          (temporary ? "is temporary" : "stays in " + server->data_dir().string()) + "\n");
    while (!signals.next()) {
        if (!server->running()) {
            print_error("server: ZooKeeper has ended by itself");
            return exit_code::failure;
        }
        wait_readable({signals.fd()}, 500ms);
    }
    server->stop();
    return exit_code::success;
}

} // namespace docent::cli
