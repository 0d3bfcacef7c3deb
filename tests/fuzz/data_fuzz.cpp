// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include "client/data/data_codec.hpp"
#include "shared/number_bytes.hpp"

#include <stdexcept>
#include <string>

using namespace docent::detail;
using docent::fuzz::require;

/// Any data can be packed and unpacked to the same bytes. Unpacked data is never larger than the limit. A count that was read
/// is written as the same bytes.
DOCENT_FUZZ_TARGET(data)(std::string_view bytes) {
    if (const auto count = decode_count(bytes)) require(encode_count(*count) == bytes);
    require(gunzip(gzip(bytes)) == bytes);
    try {
        require(gunzip(bytes).size() <= max_unpacked_size);
    } catch (const std::runtime_error&) {
    }
}
