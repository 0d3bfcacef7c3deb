// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace docent::zk {

/// What may stand behind the header of a reply.
enum class ReplyPart : std::uint8_t { nothing, path, stat, data, names, acl };

/// What the reply to one request consists of, unless it is an error.
struct ReplyShape {
    ReplyPart first = ReplyPart::nothing;
    ReplyPart second = ReplyPart::nothing;
    std::optional<std::vector<ReplyPart>> multi = {}; // of a multi: of each operation
    friend bool operator==(const ReplyShape&, const ReplyShape&) = default;
};
ReplyShape reply_shape(const Request& request);

/// What a server may send next: nothing before we have spoken, the answer to our handshake, or anything that belongs to a
/// connection. There the reply that is due is that to the oldest request; null if none is out.
struct SilenceDue {};
struct HandshakeDue {
    bool had_session = false; // which the server may declare over
};
using FrameDue = std::variant<SilenceDue, HandshakeDue, const ReplyShape*>;

/// `too_large`: an answer to the request that is due, longer than `longest_frame`.
enum class FrameVerdict { sound, incomplete, refused, too_large };
struct FrameLook {
    FrameVerdict verdict;
    std::size_t size; // of the whole frame, with the length before it; if incomplete, how many bytes are needed to know more
    friend bool operator==(const FrameLook&, const FrameLook&) = default;
};

/// Longer answers are not read: a list of a million children has about so many bytes.
inline constexpr std::size_t longest_frame = 64U << 20U;

/// The length and the header of a reply.
inline constexpr std::size_t reply_head_size = 20;
/// In place of a server's error number.
inline constexpr std::int32_t reply_too_large_code = -32'000;
/// A reply with that error, in place of one that begins with `head`.
std::string too_large_reply(std::string_view head);

/// Judges the first frame of what a server has sent. The C client believes every byte: what is not sound would make it allocate
/// what a length says, read what is not there, or end the process.
FrameLook look_at_frame(std::string_view arrived, const FrameDue& due);

} // namespace docent::zk
