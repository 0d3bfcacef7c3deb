// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests to release a lock, in the data of the holder's node. Pure.

#include <docent/client_config.hpp>

#include <string>

namespace docent::detail {

/// The request, as Curator writes it.
inline constexpr auto revocation_request = "__REVOKE__";

/// Whether the data is a request, compressed or not: Curator compresses it if it compresses all data. `docent revoke` keeps the
/// node's earlier data after the request and a line end.
bool is_revocation_request(const ClientConfig& config, const std::string& path, std::string data);

} // namespace docent::detail
