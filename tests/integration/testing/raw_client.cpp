// SPDX-License-Identifier: Apache-2.0
#include "integration/testing/raw_client.hpp"

#include "hostile_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/endian/conversion.hpp>

#include <poll.h>

#include <array>

namespace docent::test {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

const unsigned char* bytes_of(const std::string& frame) {
    return reinterpret_cast<const unsigned char*>(frame.data());
}

} // namespace

std::optional<std::int32_t> create_at(std::uint16_t port, std::string_view path) {
    RawClient client(port);
    if (!client.handshake()) return std::nullopt;
    client.send_create(1, path);
    const auto reply = client.read_reply();
    return reply ? std::optional(reply->error) : std::nullopt;
}

std::optional<bool> exists_at(std::uint16_t port, std::string_view path) {
    RawClient client(port);
    if (!client.handshake()) return std::nullopt;
    client.send_exists(1, path);
    const auto reply = client.read_reply();
    return reply ? std::optional(reply->error == 0) : std::nullopt;
}

std::string create_request(std::int32_t xid, std::string_view path, std::string_view data) {
    const std::string open_acl = wire(1) + wire(31) + wire_text("world") + wire_text("anyone");
    const std::string persistent = wire(0);
    return wire_frame(wire(xid) + wire(1) + wire_text(path) + wire_text(data) + open_acl + persistent);
}

RawClient::RawClient(std::uint16_t port) {
    socket_.connect({asio::ip::address_v4::loopback(), port});
    socket_.set_option(asio::ip::tcp::no_delay(true));
    socket_.non_blocking(true);
}

std::optional<std::int64_t> RawClient::handshake(milliseconds longest) {
    send_connect_request();
    const auto frame = read_frame(longest);
    if (!frame || frame->size() < 16) return std::nullopt;
    return boost::endian::load_big_s64(bytes_of(*frame) + 8); // after the protocol version and the timeout
}

void RawClient::send_connect_request() {
    const std::string version = wire(0), last_zxid = wire_long(0), timeout = wire(10'000), new_session = wire_long(0);
    const std::string password = wire_text(std::string(16, '\0'));
    send_bytes(wire_frame(version + last_zxid + timeout + new_session + password + '\0')); // not read-only
}

void RawClient::send_create(std::int32_t xid, std::string_view path, std::string_view data) {
    send_bytes(create_request(xid, path, data));
}

void RawClient::send_exists(std::int32_t xid, std::string_view path) {
    send_bytes(wire_frame(wire(xid) + wire(3) + wire_text(path) + '\0')); // no watch
}

void RawClient::send_get_watched(std::int32_t xid, std::string_view path) {
    send_bytes(wire_frame(wire(xid) + wire(4) + wire_text(path) + '\1'));
}

void RawClient::send_reconfig_leave(std::int32_t xid, std::string_view ids) {
    const std::string joining = wire(-1), new_list = wire(-1), version = wire_long(-1); // none, none, any
    send_bytes(wire_frame(wire(xid) + wire(16) + joining + wire_text(ids) + new_list + version));
}

void RawClient::send_ping() {
    send_bytes(wire_frame(wire(-2) + wire(ping_opcode)));
}

bool RawClient::send_bytes(std::string_view bytes) {
    boost::system::error_code ec;
    asio::write(socket_, asio::buffer(bytes), ec); // short requests: the socket's buffer takes them at once
    return !ec;
}

std::optional<std::string> RawClient::read_frame(milliseconds longest) {
    const auto deadline = steady_clock::now() + longest;
    const auto head = read_bytes(4, longest);
    if (!head) return std::nullopt;
    const auto length = static_cast<std::size_t>(boost::endian::load_big_s32(bytes_of(*head)));
    auto body = read_bytes(length, std::chrono::ceil<milliseconds>(deadline - steady_clock::now()));
    if (!body) received_.insert(0, *head); // the next call may get the whole frame
    return body;
}

std::optional<RawReply> RawClient::read_reply(milliseconds longest) {
    const auto frame = read_frame(longest);
    if (!frame || frame->size() < 16) return std::nullopt;
    return RawReply{.xid = boost::endian::load_big_s32(bytes_of(*frame)),
                    .zxid = boost::endian::load_big_s64(bytes_of(*frame) + 4),
                    .error = boost::endian::load_big_s32(bytes_of(*frame) + 12),
                    .body = frame->substr(16)};
}

bool RawClient::closed_within(milliseconds longest) {
    const auto deadline = steady_clock::now() + longest;
    while (!closed_) {
        const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
        if (left <= milliseconds(0)) return false;
        if (const auto more = read_bytes(received_.size() + 1, left)) received_.insert(0, *more);
    }
    return true;
}

std::optional<std::string> RawClient::read_bytes(std::size_t count, milliseconds longest) {
    const auto deadline = steady_clock::now() + longest;
    while (received_.size() < count) {
        std::array<char, 4096> buffer{};
        boost::system::error_code ec;
        const std::size_t n = socket_.read_some(asio::buffer(buffer), ec);
        if (ec == asio::error::would_block) {
            const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
            pollfd item{socket_.native_handle(), POLLIN, 0};
            if (left <= 0 || ::poll(&item, 1, static_cast<int>(left)) == 0) return std::nullopt;
        } else if (ec) {
            closed_ = true;
            was_reset_ = ec == asio::error::connection_reset;
            return std::nullopt;
        } else {
            received_.append(buffer.data(), n);
        }
    }
    std::string out = received_.substr(0, count);
    received_.erase(0, count);
    return out;
}

} // namespace docent::test
