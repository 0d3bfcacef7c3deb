// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace docent::test {

/// What a server answered to one request.
struct RawReply {
    std::int32_t xid = 0;
    std::int64_t zxid = 0;
    std::int32_t error = 0;
    std::string body;
};

/// Speaks ZooKeeper's protocol by hand, one blocking step at a time, so that tests of the tools need no client of ours. What
/// takes longer than the given time, or finds the connection closed, gives nothing.
class RawClient {
public:
    /// Connects the socket only. Throws boost::system::system_error.
    explicit RawClient(std::uint16_t port);

    /// Asks for a new session; its id.
    std::optional<std::int64_t> handshake(std::chrono::milliseconds longest = default_wait);

    void send_connect_request();
    void send_create(std::int32_t xid, std::string_view path, std::string_view data = {});
    void send_set(std::int32_t xid, std::string_view path, std::string_view data);
    void send_exists(std::int32_t xid, std::string_view path);
    void send_get_watched(std::int32_t xid, std::string_view path);
    /// Takes servers out of the ensemble: their ids, separated by commas.
    void send_reconfig_leave(std::int32_t xid, std::string_view ids);
    void send_ping();
    /// False when the connection is gone.
    bool send_bytes(std::string_view bytes);

    std::optional<std::string> read_frame(std::chrono::milliseconds longest = default_wait);
    std::optional<RawReply> read_reply(std::chrono::milliseconds longest = default_wait);
    /// Whether the server's side closes the connection in this time, whatever comes before.
    bool closed_within(std::chrono::milliseconds longest = default_wait);
    /// Whether the end that closed_within() found was a reset.
    bool was_reset() const noexcept { return was_reset_; }
    /// What has come and was not read as a frame.
    const std::string& unread() const noexcept { return received_; }

    static constexpr std::chrono::milliseconds default_wait{30000};

private:
    std::optional<std::string> read_bytes(std::size_t count, std::chrono::milliseconds longest);

    boost::asio::io_context context_;
    boost::asio::ip::tcp::socket socket_{context_};
    std::string received_;
    bool closed_ = false;
    bool was_reset_ = false;
};

/// Parts of a request, for those who send bytes in pieces.
std::string framed(std::string_view body);
std::string create_request(std::int32_t xid, std::string_view path, std::string_view data = {});
std::string exists_request(std::int32_t xid, std::string_view path);
std::string connect_request();

} // namespace docent::test
