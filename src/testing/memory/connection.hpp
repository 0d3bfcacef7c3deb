// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/memory/service.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <array>
#include <memory>
#include <string>
#include <variant>

namespace docent::testing {

namespace asio = boost::asio;

/// The socket of one client of a MemoryServer, with or without TLS: bytes to frames, and frames to bytes. Its operations own
/// it. Used by one thread.
class MemoryConnection final : public Peer, public std::enable_shared_from_this<MemoryConnection> {
public:
    /// `tls` is null for a connection without TLS.
    MemoryConnection(asio::ip::tcp::socket socket, asio::ssl::context* tls, std::size_t server, MemoryService& service);

    void start();
    void send(std::string frame) override;
    void flush() override;
    void cut() override;
    bool has_room() const override;
    /// Closes the socket. No bytes are sent any more.
    void abandon();
    bool is_over() const noexcept { return over_; }

private:
    using Plain = asio::ip::tcp::socket;
    using Tls = asio::ssl::stream<Plain>;

    Plain& socket();
    void read();
    void refuse();
    void on_bytes();
    void on_word();
    void end_of_output();

    std::variant<Plain, Tls> stream_;
    MemoryService& service_;
    std::array<char, 16384> buffer_{};
    std::string received_;
    std::string output_;
    std::string writing_;
    std::string word_;          // a four-letter word that waits for its answer
    bool is_protocol_ = false;  // the first bytes were no four-letter word
    bool known_ = true;         // the service still has this connection in its list
    bool output_ended_ = false; // the client has been told the end
    bool reading_ = false;      // a read is under way
    bool over_ = false;         // the socket is closed
};

} // namespace docent::testing
