// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a request to give a lock up looks like (wire-format.md). Pure.

#include <docent/client_config.hpp>

#include <string>

namespace docent::detail {

/// The data of a node whose holder is asked.
inline constexpr auto revocation_request = "__REVOKE__";

/// Whether this is what a node has whose holder is asked, compressed or not: Curator compresses it where it is told to compress
/// everything. `docent revoke` keeps the data that a node had, behind the request and a line end.
bool is_revocation_request(const ClientConfig& config, const std::string& path, std::string data);

} // namespace docent::detail
