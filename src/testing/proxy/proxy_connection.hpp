// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/counters.hpp"
#include "testing/proxy/frame_parser.hpp"

#include <docent/testing/fault_proxy.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace docent::testing {

namespace asio = boost::asio;

/// The rules of a FaultProxy for all its connections. Values only. Used by one thread.
struct FaultRules {
    struct Way {
        bool held = false;
        std::chrono::milliseconds delay{0};
        std::optional<std::size_t> bytes_left = std::nullopt; // until a cut

        /// The number of bytes, of `wanted`, to forward before the connection is cut. Empty: all, and the connection is not
        /// cut.
        std::optional<std::size_t> take_bytes(std::size_t wanted);
    };
    Way to_server;
    Way to_client;
    std::multiset<Opcode> request_cuts;
    std::multiset<Opcode> reply_cuts;
    std::map<Opcode, std::function<void()>> actions; // after a request was forwarded

    Way& operator[](Direction direction) { return direction == Direction::to_server ? to_server : to_client; }
};

/// Whether to cut now, by one of these rules. Each rule applies once.
bool take_cut(std::multiset<Opcode>& cuts, Opcode opcode);

/// One connection through a FaultProxy: the sockets to the client and to the server, and the bytes in between. It asks the
/// rules when a piece is due. Its operations own it. Used by one thread.
class ProxyConnection : public std::enable_shared_from_this<ProxyConnection> {
public:
    ProxyConnection(asio::ip::tcp::socket client, asio::ip::tcp::endpoint server, Traffic traffic, FaultRules& rules,
                    Counters& counters);

    /// Forwards the pieces that the rules allow now. Call it also at the start.
    void rules_changed();
    void heal();
    /// Resets both sides.
    void cut();
    bool closed() const noexcept { return closed_; }

private:
    struct QueuedBytes {
        std::chrono::steady_clock::time_point arrived;
        Piece piece;
        boost::system::error_code end = {}; // set in the last entry
    };
    struct Way {
        Way(Direction d, Traffic traffic, asio::ip::tcp::socket& source, asio::ip::tcp::socket& target)
            : direction(d), from(source), to(target), timer(source.get_executor()), parser(traffic) {}

        const Direction direction;
        asio::ip::tcp::socket& from;
        asio::ip::tcp::socket& to;
        asio::steady_timer timer;
        FrameParser parser;
        std::deque<QueuedBytes> queue;
        std::array<char, 16384> buffer{};
        bool reading = false;
        bool writing = false;
        bool read_to_end = false;
        bool discards = false; // the receiving side has closed
        bool finished = false;
    };
    enum class Server { not_connected, connecting, connected };

    void connect();
    void read(Way& way);
    void on_read(Way& way, boost::system::error_code ec, std::size_t size);
    void forward(Way& way);
    void forward_piece(Way& way);
    /// Whether the rules cut now, before the next piece.
    bool request_is_cut(const QueuedBytes& next);
    void write(Way& way, std::size_t size, bool then_cut);
    void on_written(Way& way, boost::system::error_code ec, bool whole, bool then_cut);
    void announce_forwarded();
    void finish(Way& way, boost::system::error_code end);
    /// Cuts the connection, and counts this as a fault.
    void strike();

    asio::ip::tcp::socket client_;
    asio::ip::tcp::socket server_;
    const asio::ip::tcp::endpoint server_endpoint_;
    FaultRules& rules_;
    Counters& counters_;
    Exchange exchange_;
    Way to_server_;
    Way to_client_;
    Server server_state_ = Server::not_connected;
    std::optional<RequestHead> request_on_its_way_;
    bool closed_ = false;
};

} // namespace docent::testing
