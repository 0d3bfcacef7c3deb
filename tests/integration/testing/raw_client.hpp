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

/// The answer of a server to one request.
struct RawReply {
    std::int32_t xid = 0;
    std::int64_t zxid = 0;
    std::int32_t error = 0;
    std::string body;
};

/// Speaks ZooKeeper's protocol without docent, one blocking step at a time, for tests of the testing library. A step that takes
/// longer than the given time, or finds the connection closed, returns nothing.
class RawClient {
public:
    /// Connects the socket only. Throws boost::system::system_error.
    explicit RawClient(std::uint16_t port);

    /// Asks for a new session and returns its id.
    std::optional<std::int64_t> handshake(std::chrono::milliseconds longest = default_wait);

    void send_connect_request();
    void send_create(std::int32_t xid, std::string_view path, std::string_view data = {});
    void send_exists(std::int32_t xid, std::string_view path);
    void send_get_watched(std::int32_t xid, std::string_view path);
    /// Removes servers from the ensemble, given by their ids, separated by commas.
    void send_reconfig_leave(std::int32_t xid, std::string_view ids);
    void send_ping();
    /// Returns false if the connection is gone.
    bool send_bytes(std::string_view bytes);

    std::optional<std::string> read_frame(std::chrono::milliseconds longest = default_wait);
    std::optional<RawReply> read_reply(std::chrono::milliseconds longest = default_wait);
    /// Returns true if the server closes the connection in this time, after any number of bytes.
    bool closed_within(std::chrono::milliseconds longest = default_wait);
    /// Returns true if closed_within() found a reset.
    bool was_reset() const noexcept { return was_reset_; }
    /// The received bytes that were not read as a frame.
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

/// Makes a node on the server at this port. Returns the error of the answer; nothing if there is no answer.
std::optional<std::int32_t> create_at(std::uint16_t port, std::string_view path);
/// Asks that server for the node. Returns nothing if there is no answer.
std::optional<bool> exists_at(std::uint16_t port, std::string_view path);

/// The bytes of a request, for tests that send them in pieces.
std::string create_request(std::int32_t xid, std::string_view path, std::string_view data = {});

} // namespace docent::test
