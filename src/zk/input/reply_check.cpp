// SPDX-License-Identifier: Apache-2.0
#include "zk/input/reply_check.hpp"

#include <boost/endian/conversion.hpp>

#include <limits>

namespace docent::zk {
namespace {

constexpr std::size_t reply_header_size = 16; // xid, zxid, error
constexpr std::size_t longest_length = std::numeric_limits<std::int32_t>::max();
static_assert(reply_head_size == length_size + reply_header_size);
constexpr std::size_t stat_size = 68;
constexpr std::size_t password_size = 16;

// Frames that are not answers to docent's requests.
constexpr std::int32_t watch_event_xid = -1;
constexpr std::int32_t ping_xid = -2;
constexpr std::int32_t auth_xid = -4;
constexpr std::int32_t set_watches_xid = -8;

constexpr std::int32_t failed_operation = -1; // stands for the type of a failed operation in the reply to a multi

/// Reads the jute encoding. After the first missing byte, every read fails.
class Reader {
public:
    explicit Reader(std::string_view bytes) : left_(bytes) {}

    bool sound() const { return sound_; }

    bool skip(std::size_t size) {
        if (size > left_.size()) sound_ = false;
        if (sound_) left_.remove_prefix(size);
        return sound_;
    }
    std::int32_t number() {
        const auto at = left_;
        return skip(4) ? boost::endian::load_big_s32(bytes(at)) : 0;
    }
    std::int64_t long_number() {
        const auto at = left_;
        return skip(8) ? boost::endian::load_big_s64(bytes(at)) : 0;
    }
    bool flag() {
        const auto at = left_;
        return skip(1) && at.front() != 0;
    }
    bool text() { return counted(0); }
    bool data() { return counted(-1); } // -1: none

    bool part(ReplyPart part) {
        switch (part) {
        case ReplyPart::nothing: return sound_;
        case ReplyPart::path: return text();
        case ReplyPart::stat: return skip(stat_size);
        case ReplyPart::data: return data();
        case ReplyPart::names: return list([this] { return text(); });
        case ReplyPart::acl: return list([this] { return skip(4) && text() && text(); });
        }
        return false;
    }

private:
    static const unsigned char* bytes(std::string_view at) { return reinterpret_cast<const unsigned char*>(at.data()); }

    bool counted(std::int32_t least) {
        const std::int32_t size = number();
        if (size < least) sound_ = false;
        return size <= 0 ? sound_ : skip(static_cast<std::size_t>(size));
    }
    /// Each element takes at least a byte, so a count that is too large fails soon.
    template <typename Element> bool list(Element element) {
        const std::int32_t count = number();
        if (count < 0) sound_ = false;
        for (std::int32_t i = 0; sound_ && i < count; ++i) element();
        return sound_;
    }

    std::string_view left_;
    bool sound_ = true;
};

bool is_sound_multi(Reader& reader, const std::vector<ReplyPart>& operations) {
    const auto next_header = [&reader](std::int32_t& type) { // false: no more
        type = reader.number();
        const bool done = reader.flag();
        return reader.skip(4) && !done;
    };
    std::int32_t type = 0;
    for (const ReplyPart operation : operations) {
        if (!next_header(type)) return false;
        const bool complete = type == failed_operation ? reader.skip(4) : reader.part(operation);
        if (!complete) return false;
    }
    return !next_header(type) && reader.sound();
}

bool is_sound_reply(std::string_view frame, const ReplyShape* due) {
    Reader reader(frame);
    const std::int32_t xid = reader.number();
    reader.long_number();
    const bool failed = reader.number() != 0;
    if (!reader.sound()) return false;
    switch (xid) {
    case ping_xid:
    case auth_xid:
    case set_watches_xid: return true;
    case watch_event_xid: return reader.number() > 0 && reader.skip(4) && reader.text(); // other types would be session events
    default: break;
    }
    if (due == nullptr) return false;
    if (failed) return true; // the C client reads no further
    if (due->multi) return is_sound_multi(reader, *due->multi);
    return reader.part(due->first) && reader.part(due->second);
}

bool is_sound_handshake(std::string_view frame, bool had_session) {
    Reader reader(frame);
    reader.number(); // the protocol's version
    const std::int32_t timeout = reader.number();
    const std::int64_t session = reader.long_number();
    if (reader.number() != password_size || !reader.skip(password_size)) return false;
    if (session == 0) return had_session;                                          // the session has expired
    return timeout > 0 && timeout <= std::numeric_limits<std::int32_t>::max() / 4; // the C client multiplies it by 2
}

/// Whether the reply due begins with data or names. Only such a reply may be longer than longest_frame. It becomes an error
/// instead of the end of the connection.
bool may_be_too_large(const FrameDue& due) {
    const auto* reply = std::get_if<const ReplyShape*>(&due);
    if (reply == nullptr || *reply == nullptr || (*reply)->multi) return false;
    return (*reply)->first == ReplyPart::names || (*reply)->first == ReplyPart::data;
}

FrameLook look_at_too_large(std::string_view arrived, std::size_t size) {
    if (arrived.size() < reply_head_size) return {FrameVerdict::incomplete, reply_head_size};
    const std::int32_t xid = Reader(arrived.substr(length_size)).number();
    const bool unasked = xid == watch_event_xid || xid == ping_xid || xid == auth_xid || xid == set_watches_xid;
    return {unasked ? FrameVerdict::refused : FrameVerdict::too_large, size};
}

/// 37 bytes; 36 from a server before ZooKeeper 3.4, which does not know read-only mode.
bool is_handshake_size(std::size_t length) {
    return length == 36 || length == 37;
}

} // namespace

ReplyShape reply_shape(const Request& request) {
    using enum ReplyPart;
    struct Shapes {
        ReplyShape operator()(const CreateRequest&) const { return {path, stat}; }
        ReplyShape operator()(const SetRequest&) const { return {stat}; }
        ReplyShape operator()(const GetRequest&) const { return {data, stat}; }
        ReplyShape operator()(const ExistsRequest&) const { return {stat}; }
        ReplyShape operator()(const ChildrenRequest&) const { return {names, stat}; }
        ReplyShape operator()(const SyncRequest&) const { return {path}; }
        ReplyShape operator()(const GetAclRequest&) const { return {acl, stat}; }
        ReplyShape operator()(const ReconfigRequest&) const { return {data, stat}; }
        ReplyShape operator()(const RemoveRequest&) const { return {}; }
        ReplyShape operator()(const CheckRequest&) const { return {}; }
        ReplyShape operator()(const SetAclRequest&) const { return {}; }
        ReplyShape operator()(const MultiRequest& r) const {
            ReplyShape shape{.multi = std::vector<ReplyPart>{}};
            shape.multi->reserve(r.operations.size());
            for (const auto& o : r.operations) shape.multi->push_back(std::visit(Shapes{}, o).first); // without a Stat
            return shape;
        }
    };
    return std::visit(Shapes{}, request);
}

std::string too_large_reply(std::string_view head) {
    std::string reply(head.substr(0, reply_head_size));
    const std::int32_t length = Reader(head).number();
    const auto put = [&reply](std::size_t at, std::int32_t number) {
        boost::endian::store_big_s32(reinterpret_cast<unsigned char*>(reply.data()) + at, number);
    };
    put(0, static_cast<std::int32_t>(reply_header_size));
    put(reply_head_size - sizeof(std::int32_t), -length);
    return reply;
}

std::size_t length_of_too_large(std::int32_t error_number) {
    const std::int64_t length = -std::int64_t{error_number};
    return length > static_cast<std::int64_t>(detail::longest_answer) ? static_cast<std::size_t>(length) : 0;
}

FrameLook look_at_frame(std::string_view arrived, const FrameDue& due) {
    if (std::holds_alternative<SilenceDue>(due) && !arrived.empty()) return {FrameVerdict::refused, arrived.size()};
    if (arrived.size() < length_size) return {FrameVerdict::incomplete, length_size};
    const auto length =
        static_cast<std::size_t>(boost::endian::load_big_u32(reinterpret_cast<const unsigned char*>(arrived.data())));
    const auto* handshake = std::get_if<HandshakeDue>(&due);
    const std::size_t size = length_size + length;
    if (size > longest_frame && length <= longest_length && may_be_too_large(due)) return look_at_too_large(arrived, size);
    const bool plausible =
        handshake != nullptr ? is_handshake_size(length) : length >= reply_header_size && size <= longest_frame;
    if (!plausible) return {FrameVerdict::refused, size};
    if (arrived.size() < size) return {FrameVerdict::incomplete, size};
    const std::string_view frame = arrived.substr(length_size, length);
    bool sound = false;
    if (handshake == nullptr) sound = is_sound_reply(frame, std::get<const ReplyShape*>(due));
    else // nothing may follow 36 bytes, because the C client would read the next byte as the 37th
        sound = is_sound_handshake(frame, handshake->had_session) && (length == 37 || arrived.size() == size);
    return {sound ? FrameVerdict::sound : FrameVerdict::refused, size};
}

} // namespace docent::zk
