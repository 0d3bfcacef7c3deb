// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace docent::detail {

/// Larger data than this is not unpacked: a znode of 1 MiB can be made to unpack to a thousand times as much.
inline constexpr std::size_t max_unpacked_size = std::size_t{64} * 1024 * 1024;

/// RFC 1952, as java.util.zip.GZIPOutputStream writes it. Throws std::runtime_error.
std::string gzip(std::string_view data);

/// The opposite. Throws std::runtime_error for what is not gzip, is damaged or cut off, or is larger than max_unpacked_size.
std::string gunzip(std::string_view packed);

} // namespace docent::detail
