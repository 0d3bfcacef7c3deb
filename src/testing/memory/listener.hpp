// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/memory/connection.hpp"
#include "testing/ports.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace docent::testing {

/// A port of 127.0.0.1 on which a server in memory listens. Reserved while this object lives. Used by one thread.
class Listener {
public:
    using OnAccept = std::function<void(asio::ip::tcp::socket)>;

    /// `port` is 0 for a free port. Throws std::runtime_error if it cannot be opened.
    Listener(asio::io_context& context, std::uint16_t port, OnAccept on_accept);
    ~Listener() { close(); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    std::uint16_t port() const noexcept { return port_; }
    /// Throws std::runtime_error if another program listens on the port.
    void open();
    void close();

private:
    bool try_open(boost::system::error_code& ec);
    void accept();

    asio::ip::tcp::acceptor acceptor_;
    asio::steady_timer pause_;
    const OnAccept on_accept_;
    std::optional<PortLease> lease_;
    std::uint16_t port_;
};

} // namespace docent::testing
