// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client_config.hpp>
#include <docent/error.hpp>

#include <string>

namespace docent::detail {

/// Compresses `data`, if asked for. Errors: `error::corrupt_data`; then `data` is unchanged.
error_code encode_data(const ClientConfig& config, const std::string& path, Compression compression, std::string& data);

/// Decompresses `data`. Empty data stays empty: parents are created without data.
error_code decode_data(const ClientConfig& config, const std::string& path, Compression compression, std::string& data);

} // namespace docent::detail
