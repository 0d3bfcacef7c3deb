// SPDX-License-Identifier: Apache-2.0
#include "client/data/data_codec.hpp"

#include "client/data/gzip.hpp"

#include <exception>
#include <utility>

namespace docent::detail {
namespace {

bool applies(const ClientConfig& config, Compression compression) {
    return (compression == Compression::client_default ? config.compression : compression) == Compression::compressed;
}

/// Converts `data` with `convert`. On a failure, `data` stays unchanged.
error_code replace(std::string& data, const auto& convert) {
    try {
        data = convert();
        return {};
    } catch (const std::exception&) {
        return error::corrupt_data;
    }
}

} // namespace

error_code encode_data(const ClientConfig& config, const std::string& path, Compression compression, std::string& data) {
    if (!applies(config, compression)) return {};
    const auto& provider = config.compression_provider;
    return replace(data, [&] { return provider ? provider->compress(path, data) : gzip(data); });
}

error_code decode_data(const ClientConfig& config, const std::string& path, Compression compression, std::string& data) {
    if (!applies(config, compression) || data.empty()) return {};
    const auto& provider = config.compression_provider;
    return replace(data, [&] { return provider ? provider->decompress(path, data) : gunzip(data); });
}

} // namespace docent::detail
