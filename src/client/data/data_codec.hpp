// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client_config.hpp>
#include <docent/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace docent::detail {

/// The limit of decompressed data: a node of 1 MiB can expand to a thousand times its size.
inline constexpr std::size_t max_unpacked_size = std::size_t{64} * 1024 * 1024;

/// Compresses to the gzip format (RFC 1952), as java.util.zip.GZIPOutputStream does. Throws std::runtime_error.
std::string gzip(std::string_view data);

/// Decompresses. Throws std::runtime_error if the data is not gzip, is damaged or incomplete, or exceeds max_unpacked_size.
std::string gunzip(std::string_view packed);

/// Compresses `data`, if asked for. Errors: `error::corrupt_data`; then `data` is unchanged.
error_code encode_data(const ClientConfig& config, const std::string& path, Compression compression, std::string& data);

/// Decompresses `data`. Empty data stays empty: parents are created without data.
error_code decode_data(const ClientConfig& config, const std::string& path, Compression compression, std::string& data);

} // namespace docent::detail
