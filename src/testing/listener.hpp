// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/ports.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace docent::testing {

namespace asio = boost::asio;

/// A port of 127.0.0.1 on which a server in memory or a proxy listens. A port that this object chose stays reserved
/// while the object lives, also after close(). Used by one thread.
class Listener {
public:
    using OnAccept = std::function<void(asio::ip::tcp::socket)>;

    /// `port` is 0 for a free port. Throws std::runtime_error if it cannot be opened. Errors name `owner`.
    Listener(asio::io_context& context, std::uint16_t port, std::string owner, OnAccept on_accept);
    ~Listener() { close(); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    std::uint16_t port() const noexcept { return port_; }
    /// Does nothing if it is open. Throws std::runtime_error if another program listens on the port.
    void open();
    void close();

private:
    bool try_open(boost::system::error_code& ec);
    void accept();

    asio::ip::tcp::acceptor acceptor_;
    asio::steady_timer pause_;
    const std::string owner_;
    const OnAccept on_accept_;
    std::optional<PortLease> lease_;
    std::uint16_t port_;
    std::size_t closed_ = 0; // calls of close(): a handler from before the last one does nothing
};

} // namespace docent::testing
