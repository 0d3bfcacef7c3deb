// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include "zk/input/reply_check.hpp"

#include <zookeeper/zookeeper.jute.h>

#include <string>

namespace {

using namespace docent::zk;
using docent::fuzz::require;

/// The decoding functions of the C client, which must find everything that it will look for.
class Decoder {
public:
    explicit Decoder(std::string_view frame) : frame_(frame), archive_(create_buffer_iarchive(frame_.data(), size())) {
        ReplyHeader header{};
        require(deserialize_ReplyHeader(archive_, "hdr", &header) == 0);
        xid = header.xid;
        failed = header.err != 0;
    }
    ~Decoder() { close_buffer_iarchive(&archive_); }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    template <typename Record> void take(int (*read)(iarchive*, const char*, Record*), void (*release)(Record*)) {
        Record record{};
        require(read(archive_, "reply", &record) == 0);
        release(&record);
    }
    void take(const ReplyShape& shape) {
        using enum ReplyPart;
        if (shape == ReplyShape{path, stat}) take(deserialize_Create2Response, deallocate_Create2Response);
        if (shape == ReplyShape{path}) take(deserialize_CreateResponse, deallocate_CreateResponse);
        if (shape == ReplyShape{stat}) take(deserialize_SetDataResponse, deallocate_SetDataResponse);
        if (shape == ReplyShape{data, stat}) take(deserialize_GetDataResponse, deallocate_GetDataResponse);
        if (shape == ReplyShape{names, stat}) take(deserialize_GetChildren2Response, deallocate_GetChildren2Response);
        if (shape == ReplyShape{acl, stat}) take(deserialize_GetACLResponse, deallocate_GetACLResponse);
        if (shape.multi) take_multi(*shape.multi);
    }
    void take_event() { take(deserialize_WatcherEvent, deallocate_WatcherEvent); }

    int xid = 0;
    bool failed = false;

private:
    int size() const { return static_cast<int>(frame_.size()); }

    /// Reads like the C client: as long as there are headers, each of which needs an operation.
    void take_multi(const std::vector<ReplyPart>& operations) {
        MultiHeader header{};
        require(deserialize_MultiHeader(archive_, "multiheader", &header) == 0);
        std::size_t next = 0;
        for (; header.done == 0; ++next) {
            require(next < operations.size());
            if (header.type == -1) take(deserialize_ErrorResponse, deallocate_ErrorResponse);
            else take(ReplyShape{operations[next]});
            require(deserialize_MultiHeader(archive_, "multiheader", &header) == 0);
        }
        require(next == operations.size());
    }

    std::string frame_;
    iarchive* archive_;
};

const std::vector<ReplyShape>& shapes() {
    using enum ReplyPart;
    static const std::vector<ReplyShape> all = {
        {},           {path, stat},  {path},      {stat},
        {data, stat}, {names, stat}, {acl, stat}, {.multi = std::vector{path, stat, nothing}}};
    return all;
}

} // namespace

/// The first byte chooses the expected reply. The C client must be able to read every reply that is let through.
DOCENT_FUZZ_TARGET(reply)(std::string_view input) {
    if (input.empty()) return;
    const std::size_t which = static_cast<unsigned char>(input.front());
    const std::string_view arrived = input.substr(1);
    FrameDue due = SilenceDue{};
    const ReplyShape* shape = nullptr;
    if (which == 1 || which == 2) due = HandshakeDue{.had_session = which == 2};
    if (which == 3) due = shape;
    if (which > 3) due = shape = &shapes()[which % shapes().size()];
    const FrameLook look = look_at_frame(arrived, due);
    if (look.verdict == FrameVerdict::incomplete) require(look.size > arrived.size());
    if (look.verdict != FrameVerdict::sound) return;
    require(look.size <= arrived.size() && which != 0);
    if (which < 3) return require(look.size == 40 || look.size == 41);
    Decoder decoder(arrived.substr(4, look.size - 4));
    if (decoder.xid == -1) return decoder.take_event();
    if (decoder.xid == -2 || decoder.xid == -4 || decoder.xid == -8 || decoder.failed) return;
    require(shape != nullptr);
    decoder.take(*shape);
}
