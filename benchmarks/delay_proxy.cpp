// SPDX-License-Identifier: Apache-2.0
// A TCP proxy that delays all bytes, for any protocol. usage: delay_proxy SERVER_PORT ONE_WAY_MS; prints its port, and runs
// until it is killed.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

namespace {

/// One direction of a connection. Bytes are written after the delay, and the end of the stream is passed on, too.
class Direction : public std::enable_shared_from_this<Direction> {
public:
    Direction(std::shared_ptr<tcp::socket> from, std::shared_ptr<tcp::socket> to, steady_clock::duration delay)
        : from_(std::move(from)), to_(std::move(to)), delay_(delay), timer_(from_->get_executor()) {}

    void read() {
        from_->async_read_some(asio::buffer(buffer_), [self = shared_from_this()](error_code ec, std::size_t size) {
            self->chunks_.push_back({steady_clock::now() + self->delay_, std::string(self->buffer_.data(), size)});
            if (self->chunks_.size() == 1) self->wait();
            if (!ec) self->read();
        });
    }

private:
    struct Chunk {
        steady_clock::time_point due;
        std::string bytes; // empty: the end of the stream
    };

    void wait() {
        timer_.expires_at(chunks_.front().due);
        timer_.async_wait([self = shared_from_this()](error_code) { self->write(); });
    }
    void write() {
        error_code ignored;
        if (chunks_.front().bytes.empty()) {
            to_->shutdown(tcp::socket::shutdown_send, ignored);
            return;
        }
        asio::async_write(*to_, asio::buffer(chunks_.front().bytes), [self = shared_from_this()](error_code ec, std::size_t) {
            if (ec) return void(self->from_->close());
            self->chunks_.pop_front();
            if (!self->chunks_.empty()) self->wait();
        });
    }

    std::shared_ptr<tcp::socket> from_;
    std::shared_ptr<tcp::socket> to_;
    steady_clock::duration delay_;
    asio::steady_timer timer_;
    std::array<char, 65536> buffer_ = {};
    std::deque<Chunk> chunks_;
};

class Proxy {
public:
    Proxy(asio::io_context& io, std::uint16_t server_port, steady_clock::duration delay)
        : acceptor_(io, {asio::ip::address_v4::loopback(), 0}), server_(asio::ip::address_v4::loopback(), server_port),
          delay_(delay) {}
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    void accept() {
        acceptor_.async_accept([this](error_code ec, tcp::socket client) {
            if (!ec) join(std::make_shared<tcp::socket>(std::move(client)));
            accept();
        });
    }

private:
    void join(const std::shared_ptr<tcp::socket>& client) {
        const auto server = std::make_shared<tcp::socket>(client->get_executor());
        server->async_connect(server_, [client, server, delay = delay_](error_code ec) {
            if (ec) return; // the end of both sockets closes them
            client->set_option(tcp::no_delay(true));
            server->set_option(tcp::no_delay(true));
            std::make_shared<Direction>(client, server, delay)->read();
            std::make_shared<Direction>(server, client, delay)->read();
        });
    }

    tcp::acceptor acceptor_;
    tcp::endpoint server_;
    steady_clock::duration delay_;
};

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 3) throw std::invalid_argument("usage: delay_proxy SERVER_PORT ONE_WAY_MS");
        asio::io_context io{1};
        Proxy proxy(io, static_cast<std::uint16_t>(std::stoi(argv[1])),
                    std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                        std::chrono::duration<double, std::milli>(std::stod(argv[2]))));
        proxy.accept();
        std::cout << proxy.port() << std::endl;
        io.run();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "delay_proxy: " << e.what() << '\n';
        return 1;
    }
}
