// SPDX-License-Identifier: Apache-2.0
#include "testing/listener.hpp"

#include "testing/sockets.hpp"

#include <boost/asio/error.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace docent::testing {

using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// The pause before the next accept after an error, for example because no descriptor is left. Clients wait meanwhile.
constexpr std::chrono::milliseconds pause_after_error{10};
constexpr std::size_t most_taken_ports = 10;

} // namespace

Listener::Listener(asio::io_context& context, std::uint16_t port, std::string owner, OnAccept on_accept)
    : acceptor_(context), pause_(context), owner_(std::move(owner)), on_accept_(std::move(on_accept)), port_(port) {
    if (port != 0) {
        open();
        return;
    }
    std::vector<PortLease> taken; // kept, so that no port is tried twice
    for (error_code ec;;) {
        port_ = lease_.emplace().port();
        if (try_open(ec)) return;
        if (taken.size() == most_taken_ports)
            throw std::runtime_error(owner_ + ": found no port to listen on: " + ec.message());
        taken.push_back(std::move(*lease_));
    }
}

void Listener::open() {
    if (error_code ec; !try_open(ec)) {
        throw std::runtime_error(owner_ + ": cannot listen on port " + std::to_string(port_) + ": " + ec.message() +
                                 (lease_ ? "; end the program that listens on it" : "; choose another port"));
    }
}

bool Listener::try_open(error_code& ec) {
    if (acceptor_.is_open()) return true;
    acceptor_.open(tcp::v4(), ec);
    if (!ec) close_on_exec(acceptor_.native_handle());
    if (!ec) acceptor_.set_option(tcp::acceptor::reuse_address(true), ec);
    if (!ec) acceptor_.bind({asio::ip::address_v4::loopback(), port_}, ec);
    if (!ec) acceptor_.listen(tcp::acceptor::max_listen_connections, ec);
    ec ? close() : accept();
    return !ec;
}

void Listener::close() {
    ++closed_;
    pause_.cancel();
    close_for_all(acceptor_);
}

void Listener::accept() {
    acceptor_.async_accept([this, closed = closed_](error_code ec, tcp::socket socket) {
        if (ec == asio::error::operation_aborted || closed != closed_) return;
        if (!ec) {
            close_on_exec(socket.native_handle());
            on_accept_(std::move(socket));
            return accept();
        }
        pause_.expires_after(pause_after_error);
        pause_.async_wait([this, closed](error_code aborted) {
            if (!aborted && closed == closed_) accept();
        });
    });
}

} // namespace docent::testing
