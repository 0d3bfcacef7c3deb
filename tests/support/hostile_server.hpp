// SPDX-License-Identifier: Apache-2.0
#pragma once

// A server that violates ZooKeeper's protocol as a test wants.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace docent::test {

/// Returns a number as it is on the wire.
std::string wire(std::int32_t number);
std::string wire_long(std::int64_t number);
/// Returns a length, and that many bytes.
std::string wire_text(std::string_view text);
inline std::string wire_frame(std::string_view body) {
    return wire_text(body);
}
std::string wire_header(std::int32_t xid, std::int32_t error = 0, std::int64_t zxid = 1);
std::string wire_stat();

struct Greeting {
    std::int32_t timeout = 2'000;
    std::int64_t session = 0x1234;
    std::int32_t password_size = 16;
};
std::string wire_greeting(const Greeting& greeting = {});

class HostileServer {
public:
    using Tls = boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>;

    /// A connection, with its thread.
    class Line {
    public:
        /// `tls`: null without TLS.
        Line(boost::asio::ip::tcp::socket& socket, Tls* tls, const std::atomic<bool>& stop)
            : socket_(socket), tls_(tls), stop_(stop) {}
        /// Returns the next frame, without its length; nothing when the connection is over.
        std::optional<std::string> read();
        bool write(std::string_view bytes);
        /// Writes each byte in a separate packet.
        bool trickle(std::string_view bytes);
        /// Sends nothing until the connection is over.
        void wait_for_end();
        bool stopped() const { return stop_; }

    private:
        bool read_whole(const boost::asio::mutable_buffer& buffer);

        boost::asio::ip::tcp::socket& socket_;
        Tls* tls_;
        const std::atomic<bool>& stop_;
    };
    using Talk = std::function<void(Line&)>;

    /// `certificates`: a folder of write_certificates(); without a folder, the server does not speak TLS.
    explicit HostileServer(Talk talk, const std::filesystem::path& certificates = {});
    ~HostileServer();
    HostileServer(const HostileServer&) = delete;
    HostileServer& operator=(const HostileServer&) = delete;

    std::string connect_string() const;
    int connections() const { return connections_; }

private:
    void accept();
    void serve(boost::asio::ip::tcp::socket& socket);

    Talk talk_;
    std::optional<boost::asio::ssl::context> certificates_;
    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor acceptor_;
    std::atomic<bool> stop_ = false;
    std::atomic<int> connections_ = 0;
    std::mutex mutex_;
    std::list<boost::asio::ip::tcp::socket> sockets_;
    std::list<std::thread> lines_;
    std::thread acceptor_thread_;
};

/// A request as a server sees it.
struct WireRequest {
    std::int32_t xid;
    std::int32_t opcode;
};
inline constexpr std::int32_t ping_opcode = 11;
inline constexpr std::int32_t list_opcode = 12;
inline constexpr std::int32_t sync_opcode = 9;
inline constexpr std::int32_t close_opcode = -11;

WireRequest wire_request(std::string_view frame);

/// Greets, answers pings and syncs correctly, and answers everything else with these bytes.
HostileServer::Talk answers_with(std::function<std::string(const WireRequest&)> reply);

} // namespace docent::test
