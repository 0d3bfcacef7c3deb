// SPDX-License-Identifier: Apache-2.0
#include "testing/proxy/frame_parser.hpp"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <utility>

namespace docent::testing {

namespace {

constexpr std::size_t length_size = 4;

std::int32_t int_at(std::string_view bytes, std::size_t offset) {
    return boost::endian::load_big_s32(reinterpret_cast<const unsigned char*>(bytes.data() + offset));
}

} // namespace

void FrameParser::append(std::string_view bytes) {
    buffer_.erase(0, begin_);
    begin_ = 0;
    buffer_ += bytes;
}

std::optional<Piece> FrameParser::next() {
    const std::string_view left = std::string_view(buffer_).substr(begin_);
    if (not_our_protocol_) return rest();
    if (left.size() < length_size) return std::nullopt;
    const std::int32_t length = int_at(left, 0);
    if (length < 0 || static_cast<std::size_t>(length) > longest_frame) {
        not_our_protocol_ = true;
        return rest();
    }
    const std::size_t size = length_size + static_cast<std::size_t>(length);
    if (left.size() < size) return std::nullopt;
    return take(size, true);
}

std::optional<Piece> FrameParser::rest() {
    if (begin_ == buffer_.size()) return std::nullopt;
    return take(buffer_.size() - begin_, false);
}

std::optional<Piece> FrameParser::take(std::size_t count, bool whole_frame) {
    Piece piece{buffer_.substr(begin_, count), whole_frame};
    begin_ += count;
    return piece;
}

std::optional<RequestHead> request_head(std::string_view frame) {
    if (frame.size() < length_size + 8) return std::nullopt;
    return RequestHead{int_at(frame, length_size), static_cast<Opcode>(int_at(frame, length_size + 4))};
}

std::optional<std::int32_t> reply_xid(std::string_view frame) {
    if (frame.size() < length_size + 16) return std::nullopt;
    return int_at(frame, length_size);
}

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
