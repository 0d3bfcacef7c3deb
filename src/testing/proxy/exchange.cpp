// SPDX-License-Identifier: Apache-2.0
#include "testing/proxy/exchange.hpp"

#include <algorithm>
#include <utility>

namespace docent::testing {

std::optional<RequestHead> Exchange::read_request(const Piece& piece) {
    if (!piece.whole_frame || !std::exchange(connect_request_seen_, true)) return std::nullopt;
    return request_head(piece.bytes);
}

void Exchange::expect_reply(const RequestHead& request, bool awaited) {
    pending_.push_back({request.xid, awaited});
}

bool Exchange::is_awaited_reply(const Piece& piece) {
    if (!piece.whole_frame || !std::exchange(connect_response_seen_, true)) return false;
    const auto xid = reply_xid(piece.bytes);
    const auto request = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.xid == xid; });
    if (request == pending_.end()) return false; // a watch event
    const bool awaited = request->awaited;
    pending_.erase(request);
    return awaited;
}

void Exchange::await_none() {
    for (auto& request : pending_) request.awaited = false;
}

} // namespace docent::testing
