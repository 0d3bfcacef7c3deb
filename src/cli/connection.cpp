// SPDX-License-Identifier: Apache-2.0
#include "cli/connection.hpp"

#include "cli/arguments/parse.hpp"
#include "cli/arguments/values.hpp"
#include "cli/messages.hpp"

#include "base/start_pause.hpp"
#include "posix/descriptors.hpp"

#include <docent/error.hpp>

#include <algorithm>
#include <utility>

namespace docent::cli {

using namespace std::chrono_literals;

milliseconds connection_timeout(std::string_view connect_string) {
    const auto further = std::count(connect_string.begin(), connect_string.end(), ',');
    return std::min<milliseconds>(5s + 2s * further, 15s);
}

milliseconds pause_at_start(const Connection& connection) {
    return detail::longest_pause_at_start(connection.session_timeout, connection.heartbeats);
}

ClientConfig client_config(const Connection& connection) {
    ClientConfig config;
    config.connect_string = connection.connect_string;
    config.session_timeout = connection.session_timeout;
    config.heartbeats = connection.heartbeats;
    config.connection_timeout = pause_at_start(connection) + connection_timeout(connection.connect_string);
    config.name_space = connection.name_space;
    config.auth = connection.auth;
    config.tls = connection.tls;
    return config;
}

ClientConfig reading_config(const Connection& connection) {
    ClientConfig config = client_config(connection);
    if (config.name_space.empty()) return config;
    auto& servers = config.connect_string;
    if (servers.ends_with('/') && servers.find('/') + 1 == servers.size()) servers.pop_back();
    servers += "/" + std::exchange(config.name_space, {});
    return config;
}

std::string below_which(const Connection& connection) {
    const std::string servers = reading_config(connection).connect_string;
    const auto slash = servers.find('/');
    return slash == std::string::npos || slash + 1 == servers.size() ? "" : " (below " + servers.substr(slash) + ")";
}

bool every_server_refused(std::string_view reason) {
    constexpr std::string_view refused = "(connection refused)";
    if (!reason.starts_with("no answer from ") || !reason.ends_with(refused)) return false;
    for (auto at = reason.find('('); at != reason.npos; at = reason.find('(', at + 1)) {
        if (!reason.substr(at).starts_with(refused)) return false;
    }
    return reason.find(';') == reason.npos; // otherwise there are names without an address
}

namespace {

/// A few more descriptors than a client and the search for processes need.
constexpr std::size_t most_descriptors = 12;

/// The text of a configuration error, without the error code at its end.
std::string text_of(const Error& error) {
    const std::string whole = error.what();
    return whole.substr(0, whole.rfind(": " + error.code().message()));
}

} // namespace

bool is_outage(const error_code& ec) {
    return ec == error::not_connected || ec == condition::retryable || ec == server_error::session_expired;
}

int report_failure(const error_code& ec, std::string_view doing, const Client& client) {
    const auto line = std::string(doing) + ": " + ec.message();
    if (ec == error::invalid_path || ec == error::too_large) {
        print_error(line);
        return exit_code::usage;
    }
    if (ec == error::not_connected || ec == error::tls_failed) {
        const auto reason = client.last_connect_error();
        print_error("no ZooKeeper answered" + (reason.empty() ? "" : ": " + reason));
        return exit_code::unavailable;
    }
    print_error(line);
    return is_outage(ec) ? exit_code::unavailable : exit_code::failure;
}

int with_client(ClientConfig config, std::string_view doing, const std::function<int(Client&)>& body,
                const boost::asio::any_io_executor& executor) {
    posix::require_descriptors(most_descriptors); // fail now, with a clear message, and not halfway
    Client client = executor ? Client(executor, std::move(config)) : Client(std::move(config));
    try {
        client.start();
    } catch (const Error& e) {
        throw UsageError(text_of(e));
    }
    try {
        return body(client);
    } catch (const Error& e) {
        return report_failure(e.code(), doing, client);
    }
}

int with_reading_client(const Connection& connection, std::string_view doing, const std::function<int(Client&)>& body) {
    return with_client(reading_config(connection), std::string(doing) + below_which(connection), body);
}

int with_synced_client(const Connection& connection, std::string_view doing, const std::function<int(Client&)>& body) {
    return with_reading_client(connection, doing, [&](Client& client) {
        client.sync();
        return body(client);
    });
}

} // namespace docent::cli
