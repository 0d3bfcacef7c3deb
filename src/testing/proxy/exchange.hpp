// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/proxy/frame_parser.hpp"

#include <deque>

namespace docent::testing {

/// The outstanding requests of one connection, as the proxy sees them.
class Exchange {
public:
    /// The head of a request; empty for the first frame, and for bytes that are not a request.
    std::optional<RequestHead> read_request(const Piece& piece);
    /// The request is forwarded. `awaited`: a rule waits for its reply.
    void expect_reply(const RequestHead& request, bool awaited);
    /// Takes a piece from the server. Returns whether it is an awaited reply.
    bool is_awaited_reply(const Piece& piece);
    /// No reply is awaited any more.
    void await_none();

private:
    struct Pending {
        std::int32_t xid;
        bool awaited;
    };
    bool connect_request_seen_ = false;
    bool connect_response_seen_ = false;
    std::deque<Pending> pending_; // in the order sent; pings, for example, share their xid
};

} // namespace docent::testing
