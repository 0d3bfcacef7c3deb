// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/fault_proxy.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace docent::testing {

/// Bytes of one direction, as on the wire.
struct Piece {
    std::string bytes;
    bool whole_frame; ///< False: not ZooKeeper's protocol (a four-letter word), or the connection ended inside a frame.
    friend bool operator==(const Piece&, const Piece&) = default;
};

/// Splits one direction of a connection into frames: a length of four bytes, and as many bytes. If the length is not plausible,
/// it passes on all further bytes as they come.
class FrameParser {
public:
    /// With Traffic::bytes, passes on all bytes as they come.
    explicit FrameParser(Traffic traffic = Traffic::requests) : not_our_protocol_(traffic == Traffic::bytes) {}

    void append(std::string_view bytes);
    /// The next piece; empty if more bytes are needed.
    std::optional<Piece> next();
    /// The bytes of an unfinished frame.
    std::optional<Piece> rest();

    static constexpr std::size_t longest_frame = 64U << 20U; // far more than jute.maxbuffer allows

private:
    std::optional<Piece> take(std::size_t count, bool whole_frame);

    std::string buffer_;
    std::size_t begin_ = 0;
    bool not_our_protocol_;
};

/// The head of a request frame. Not for the first frame, which is the handshake.
struct RequestHead {
    std::int32_t xid;
    Opcode opcode;
    friend bool operator==(const RequestHead&, const RequestHead&) = default;
};
std::optional<RequestHead> request_head(std::string_view frame);

/// The xid of the request that this frame answers; -1 for a watch event. Not for the first frame, which answers the handshake.
std::optional<std::int32_t> reply_xid(std::string_view frame);

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
