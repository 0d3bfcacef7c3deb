// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/fault_proxy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace docent::testing {

/// Some bytes of one direction, as they are on the wire.
struct Piece {
    std::string bytes;
    bool whole_frame; ///< False: not of ZooKeeper's protocol (a four-letter word), or the connection ended in the middle.
    friend bool operator==(const Piece&, const Piece&) = default;
};

/// Cuts one direction of a connection into frames, each a length of four bytes and so many bytes. What does not begin with a
/// plausible length is passed on as it comes, and so is everything after it.
class FrameParser {
public:
    /// Bytes are passed on as they come from the beginning.
    explicit FrameParser(Traffic traffic = Traffic::requests) : not_our_protocol_(traffic == Traffic::bytes) {}

    void append(std::string_view bytes);
    /// The next piece; empty when more bytes are needed.
    std::optional<Piece> next();
    /// What is left of an unfinished frame.
    std::optional<Piece> rest();

    static constexpr std::size_t longest_frame = 64U << 20U; // far more than jute.maxbuffer allows

private:
    std::optional<Piece> take(std::size_t count, bool whole_frame);

    std::string buffer_;
    std::size_t begin_ = 0;
    bool not_our_protocol_;
};

/// The head of a request frame; not of the first one, which asks for a connection.
struct RequestHead {
    std::int32_t xid;
    Opcode opcode;
    friend bool operator==(const RequestHead&, const RequestHead&) = default;
};
std::optional<RequestHead> request_head(std::string_view frame);

/// Whose reply this frame is; -1 for a watch event. Not for the first one, which answers the connect request.
std::optional<std::int32_t> reply_xid(std::string_view frame);

} // namespace docent::testing
