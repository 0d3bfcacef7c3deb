// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <string>
#include <string_view>

namespace docent {

/// Whether data is compressed on its way to the server, and decompressed on its way back.
enum class Compression {
    client_default, ///< As `ClientConfig::compression` says.
    none,
    compressed, ///< By `ClientConfig::compression_provider`; gzip without one, as Curator does.
};

/// Another way to compress than gzip. Members may be called from any thread, several at a time; what they throw becomes
/// `error::corrupt_data`.
class DOCENT_EXPORT CompressionProvider {
public:
    virtual ~CompressionProvider() = default;
    virtual std::string compress(std::string_view path, std::string_view data) = 0;
    virtual std::string decompress(std::string_view path, std::string_view compressed) = 0;
};

} // namespace docent
