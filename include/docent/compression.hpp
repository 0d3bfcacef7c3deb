// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <string>
#include <string_view>

namespace docent {

/// Whether the client compresses data that it writes and decompresses data that it reads.
/// @ingroup client
enum class Compression {
    client_default, ///< Follow `ClientConfig::compression`.
    none,           ///< Write and read the data as it is.
    compressed,     ///< Use `ClientConfig::compression_provider`; without a provider use gzip, as Curator does.
};

/// A compression method other than gzip. Derive from it and set `ClientConfig::compression_provider`.
/// ```cpp
/// struct Reversing : docent::CompressionProvider {
///     std::string compress(std::string_view, std::string_view data) override {
///         return {data.rbegin(), data.rend()};
///     }
///     std::string decompress(std::string_view, std::string_view data) override {
///         return {data.rbegin(), data.rend()};
///     }
/// };
/// ```
/// - Thread safety: any thread may call the members, several threads at a time. The members must be quick: the client sends no
///   heartbeat while they run.
/// - Errors: an exception derived from `std::exception` makes the operation fail with `error::corrupt_data`.
/// @ingroup client
class DOCENT_EXPORT CompressionProvider {
public:
    /// Allows a destruction through the base class.
    virtual ~CompressionProvider() = default;
    /// Returns the compressed form of `data`. `path` is a hint: the path in the call, which lacks the namespace and the
    /// sequence number; for a lock's node, the path of the lock; empty for `ClientConfig::default_data`.
    virtual std::string compress(std::string_view path, std::string_view data) = 0;
    /// Returns the data that compress() was given. `path` may differ from the path in compress() for the same node, so the
    /// result must not depend on it.
    virtual std::string decompress(std::string_view path, std::string_view compressed) = 0;
};

} // namespace docent
