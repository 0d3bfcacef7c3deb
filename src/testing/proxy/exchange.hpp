// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/proxy/frame_parser.hpp"

#include <deque>

namespace docent::testing {

/// What one connection has asked and not been answered yet, seen from between.
class Exchange {
public:
    /// The head of a request; empty for the first frame and for what is none.
    std::optional<RequestHead> read_request(const Piece& piece);
    /// The request goes out. Its reply will be `awaited`, or is of no interest.
    void expect_reply(const RequestHead& request, bool awaited);
    /// Takes a piece from the server; whether it is a reply that is awaited.
    bool is_awaited_reply(const Piece& piece);
    /// No reply is of interest any more.
    void await_none();

private:
    struct Pending {
        std::int32_t xid;
        bool awaited;
    };
    bool connect_request_seen_ = false;
    bool connect_response_seen_ = false;
    std::deque<Pending> pending_; // in the order sent; pings and the like share their xid
};

} // namespace docent::testing
