// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests to release a lock, in the data of the holder's node. Pure.

#include "client/events/user_listener.hpp"

#include <docent/client_config.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

/// The request, as Curator writes it.
inline constexpr auto revocation_request = "__REVOKE__";

/// Whether the data is a request, compressed or not: Curator compresses it if it compresses all data. `docent revoke` keeps the
/// node's earlier data after the request and a line end.
bool is_revocation_request(const ClientConfig& config, const std::string& path, std::string data);

/// A user's function for requests to release a lock, with its executor. It gets the path of the lock's node.
struct RevocationListener {
    std::function<void(const std::string& node_path)> function;
    asio::any_io_executor executor;
};
using RevocationListenerPtr = std::shared_ptr<const RevocationListener>;

/// Returns null if the function is empty.
inline RevocationListenerPtr make_revocation_listener(const ClientView& view,
                                                      std::function<void(const std::string& node_path)> function,
                                                      const asio::any_io_executor& executor) {
    if (!function) return nullptr;
    return std::make_shared<RevocationListener>(RevocationListener{std::move(function), user_executor(view, executor)});
}

} // namespace docent::detail
