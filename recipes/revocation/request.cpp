// SPDX-License-Identifier: Apache-2.0

#include "revocation/request.hpp"
#include "client/data/data_codec.hpp"

#include <cstddef>

namespace docent::detail {
namespace {

constexpr std::size_t longest_compressed = 256; // larger data cannot be a request, so it is not decompressed

} // namespace

bool is_revocation_request(const ClientConfig& config, const std::string& path, std::string data) {
    constexpr std::string_view request = revocation_request;
    if (data == request || (data.starts_with(request) && data[request.size()] == '\n')) return true;
    if (data.size() > longest_compressed) return false;
    return !decode_data(config, path, Compression::compressed, data) && data == revocation_request;
}

} // namespace docent::detail
