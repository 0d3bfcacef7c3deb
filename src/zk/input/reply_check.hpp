// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/reply_too_large.hpp"
#include "zk/request.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace docent::zk {

/// The parts that may follow the header of a reply.
enum class ReplyPart : std::uint8_t { nothing, path, stat, data, names, acl };

/// The parts of a successful reply to one request.
struct ReplyShape {
    ReplyPart first = ReplyPart::nothing;
    ReplyPart second = ReplyPart::nothing;
    std::optional<std::vector<ReplyPart>> multi = {}; // for a multi: the part of each operation
    friend bool operator==(const ReplyShape&, const ReplyShape&) = default;
};
ReplyShape reply_shape(const Request& request);

/// The frames that a server may send next: none before the client has spoken, then the answer to the handshake, then any frame.
/// The pointer is the shape of the reply to the oldest outstanding request; null without one.
struct SilenceDue {};
struct HandshakeDue {
    bool had_session = false; // the server may answer that the session has expired
};
using FrameDue = std::variant<SilenceDue, HandshakeDue, const ReplyShape*>;

/// `too_large`: the answer to the oldest request is longer than `longest_frame`.
enum class FrameVerdict { sound, incomplete, refused, too_large };
struct FrameLook {
    FrameVerdict verdict;
    std::size_t size; // the size of the frame with its length field; if incomplete, the number of bytes needed to continue
    friend bool operator==(const FrameLook&, const FrameLook&) = default;
};

/// The size of the length in front of each frame.
inline constexpr std::size_t length_size = 4;
/// The longest frame that is read.
inline constexpr std::size_t longest_frame = length_size + detail::longest_answer;
/// The size of the length and the header of a reply.
inline constexpr std::size_t reply_head_size = 20;
/// Makes a reply with an error, in place of the reply that begins with `head`. The error number is the negative length of that
/// reply. No server has such numbers.
std::string too_large_reply(std::string_view head);
/// Returns the length of the reply that this error number stands for; 0 for other error numbers.
std::size_t length_of_too_large(std::int32_t error_number);

/// Checks the first frame of a server's bytes. The C client trusts every byte: a bad frame makes it allocate any size, read
/// beyond the frame, or end the process.
FrameLook look_at_frame(std::string_view arrived, const FrameDue& due);

} // namespace docent::zk
