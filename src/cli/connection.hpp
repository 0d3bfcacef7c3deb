// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <docent/client.hpp>
#include <docent/client_config.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace docent::cli {

/// " (below /app)" if a chroot or a namespace is in use. If the user has misspelt it, no node exists below it, and this text
/// shows why.
std::string below_which(const Connection& connection);

/// How long to wait for a server: 5 s, and 2 s more for each further server, 15 s at most.
milliseconds connection_timeout(std::string_view connect_string);
/// The longest time that the client waits before its first attempt to connect (see docent::Heartbeats::relaxed).
milliseconds pause_at_start(const Connection& connection);

ClientConfig client_config(const Connection& connection);

/// The same as client_config(), for commands that only read. The namespace becomes a part of the chroot: a read of `/` creates
/// a missing namespace, but no missing chroot.
ClientConfig reading_config(const Connection& connection);

/// Whether Client::last_connect_error() says that each server's machine has refused the connection, so that no server runs.
bool every_server_refused(std::string_view reason);

/// Whether a later call may succeed: servers come back, and so do sessions.
bool is_outage(const error_code& ec);

/// Prints one line that says why `doing` failed (for example "ls /a"), and returns the exit code.
int report_failure(const error_code& ec, std::string_view doing, const Client& client);

/// Runs `body` with a started client. If `body` throws a docent::Error, reports it with report_failure(). With an executor, the
/// client runs on this executor, and `body` runs it. Then `body` makes no blocking calls of the client, and closes the client.
int with_client(ClientConfig config, std::string_view doing, const std::function<int(Client&)>& body,
                const boost::asio::any_io_executor& executor = {});

/// The same as with_client(), for commands that only read.
int with_reading_client(const Connection& connection, std::string_view doing, const std::function<int(Client&)>& body);

/// The same as with_reading_client(). `body` sees every write that was done before the call, on any server.
int with_synced_client(const Connection& connection, std::string_view doing, const std::function<int(Client&)>& body);

} // namespace docent::cli
