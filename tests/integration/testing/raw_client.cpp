// SPDX-License-Identifier: Apache-2.0
#include "integration/testing/raw_client.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/endian/conversion.hpp>

#include <poll.h>

#include <algorithm>
#include <array>
#include <concepts>

namespace docent::test {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

template <std::integral Int> void put(std::string& out, Int value) {
    boost::endian::native_to_big_inplace(value);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& out, std::string_view text) {
    put(out, static_cast<std::int32_t>(text.size()));
    out += text;
}

template <std::integral Int> Int take(std::string_view& in) {
    Int value{};
    std::copy_n(in.data(), sizeof value, reinterpret_cast<char*>(&value));
    in.remove_prefix(sizeof value);
    return boost::endian::big_to_native(value);
}

} // namespace

std::string framed(std::string_view body) {
    std::string out;
    put(out, body);
    return out;
}

std::string connect_request() {
    std::string body;
    put(body, std::int32_t{0});       // protocol version
    put(body, std::int64_t{0});       // last zxid seen
    put(body, std::int32_t{10'000});  // session timeout
    put(body, std::int64_t{0});       // session id: a new one
    put(body, std::string(16, '\0')); // password
    body += '\0';                     // not read-only
    return framed(body);
}

std::string create_request(std::int32_t xid, std::string_view path, std::string_view data) {
    std::string body;
    put(body, xid);
    put(body, std::int32_t{1});
    put(body, path);
    put(body, data);
    put(body, std::int32_t{1});  // one entry of the list:
    put(body, std::int32_t{31}); // everything is allowed
    put(body, "world");
    put(body, "anyone");
    put(body, std::int32_t{0}); // persistent
    return framed(body);
}

std::string exists_request(std::int32_t xid, std::string_view path) {
    std::string body;
    put(body, xid);
    put(body, std::int32_t{3});
    put(body, path);
    body += '\0'; // no watch
    return framed(body);
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
    std::string_view rest = std::string_view(*frame).substr(8); // after the protocol version and the timeout
    return take<std::int64_t>(rest);
}

void RawClient::send_connect_request() {
    send_bytes(connect_request());
}

void RawClient::send_create(std::int32_t xid, std::string_view path, std::string_view data) {
    send_bytes(create_request(xid, path, data));
}

void RawClient::send_set(std::int32_t xid, std::string_view path, std::string_view data) {
    std::string body;
    put(body, xid);
    put(body, std::int32_t{5});
    put(body, path);
    put(body, data);
    put(body, std::int32_t{-1}); // any version
    send_bytes(framed(body));
}

void RawClient::send_exists(std::int32_t xid, std::string_view path) {
    send_bytes(exists_request(xid, path));
}

void RawClient::send_get_watched(std::int32_t xid, std::string_view path) {
    std::string body;
    put(body, xid);
    put(body, std::int32_t{4});
    put(body, path);
    body += '\1';
    send_bytes(framed(body));
}

void RawClient::send_reconfig_leave(std::int32_t xid, std::string_view ids) {
    std::string body;
    put(body, xid);
    put(body, std::int32_t{16});
    put(body, std::int32_t{-1}); // no server joins
    put(body, ids);
    put(body, std::int32_t{-1}); // no new list
    put(body, std::int64_t{-1}); // any version of the configuration
    send_bytes(framed(body));
}

void RawClient::send_ping() {
    std::string body;
    put(body, std::int32_t{-2});
    put(body, std::int32_t{11});
    send_bytes(framed(body));
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
    std::string_view rest = *head;
    const auto length = static_cast<std::size_t>(take<std::int32_t>(rest));
    auto body = read_bytes(length, std::chrono::ceil<milliseconds>(deadline - steady_clock::now()));
    if (!body) received_.insert(0, *head); // the next call may get the whole frame
    return body;
}

std::optional<RawReply> RawClient::read_reply(milliseconds longest) {
    const auto frame = read_frame(longest);
    if (!frame || frame->size() < 16) return std::nullopt;
    std::string_view rest = *frame;
    RawReply reply;
    reply.xid = take<std::int32_t>(rest);
    reply.zxid = take<std::int64_t>(rest);
    reply.error = take<std::int32_t>(rest);
    reply.body = rest;
    return reply;
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
