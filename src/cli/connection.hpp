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

/// " (below /app)" if a chroot or a namespace stands in front of all paths: one that is misspelt would show nothing but nodes
/// that are not there.
std::string below_which(const Connection& connection);

/// How long a server is waited for: 5 s, and 2 s more for each further one, at most 15 s.
milliseconds connection_timeout(std::string_view connect_string);

ClientConfig client_config(const Connection& connection);

/// The same for commands that only read, and so make nothing: the namespace is a part of the chroot, which is not made for
/// reading it.
ClientConfig reading_config(const Connection& connection);

/// Whether Client::last_connect_error() says that the machine of each server has refused the connection: none of them runs.
bool every_server_refused(std::string_view reason);

/// Says in one line why `doing` (say, "ls /a") failed, and returns the exit code for that.
int report_failure(const error_code& ec, std::string_view doing, const Client& client);

/// Runs `body` with a started client. What it throws as docent::Error is reported with report_failure.
int with_client(ClientConfig config, std::string_view doing, const std::function<int(Client&)>& body);

/// The same with a client on an executor, which has to run: nothing may block on it. The caller closes the client.
int with_client_on(const boost::asio::any_io_executor& executor, ClientConfig config, std::string_view doing,
                   const std::function<int(Client&)>& body);

/// The same as with_client for commands that only read.
int with_reading_client(const Connection& connection, std::string_view doing, const std::function<int(Client&)>& body);

/// The same as with_reading_client: `body` sees every write that was done before the call, through whichever server.
int with_synced_client(const Connection& connection, std::string_view doing, const std::function<int(Client&)>& body);

} // namespace docent::cli
