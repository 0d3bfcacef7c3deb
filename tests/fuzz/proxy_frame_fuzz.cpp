// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include "testing/proxy/frame_parser.hpp"

#include <algorithm>
#include <string>

using namespace docent::testing;

/// No byte is lost or changed, in whatever pieces the bytes arrive. The first byte chooses the pieces.
DOCENT_FUZZ_TARGET(proxy_frame)(std::string_view input) {
    if (input.empty()) return;
    const std::size_t step = static_cast<unsigned char>(input.front()) % 7 + 1;
    const std::string_view bytes = input.substr(1);
    FrameParser parser;
    std::string passed;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        parser.append(bytes.substr(at, step));
        while (const auto piece = parser.next()) {
            docent::fuzz::require(!piece->bytes.empty());
            if (piece->whole_frame) static_cast<void>(request_head(piece->bytes)), static_cast<void>(reply_xid(piece->bytes));
            passed += piece->bytes;
        }
    }
    if (const auto rest = parser.rest()) passed += rest->bytes;
    docent::fuzz::require(passed == bytes);
}
