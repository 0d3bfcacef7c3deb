// SPDX-License-Identifier: Apache-2.0
#include "testing/proxy/proxy_connection.hpp"

#include "testing/sockets.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>

#include <cstdint>
#include <utility>

namespace docent::testing {

using boost::system::error_code;
using std::chrono::steady_clock;

std::optional<std::size_t> FaultRules::Way::take_bytes(std::size_t wanted) {
    if (!bytes_left) return std::nullopt;
    if (*bytes_left <= wanted) return std::exchange(bytes_left, std::nullopt);
    *bytes_left -= wanted;
    return std::nullopt;
}

bool take_cut(std::multiset<Opcode>& cuts, Opcode opcode) {
    const auto found = cuts.find(opcode);
    if (found == cuts.end()) return false;
    cuts.erase(found);
    return true;
}

namespace {

void reset(asio::ip::tcp::socket& socket) {
    error_code ignored; // the socket may be closed or broken already
    socket.set_option(asio::socket_base::linger(true, 0), ignored);
    socket.close(ignored);
}

} // namespace

ProxyConnection::ProxyConnection(asio::ip::tcp::socket client, asio::ip::tcp::endpoint server, Traffic traffic,
                                 FaultRules& rules, Counters& counters)
    : client_(std::move(client)), server_(client_.get_executor()), server_endpoint_(std::move(server)), rules_(rules),
      counters_(counters), to_server_(Direction::to_server, traffic, client_, server_),
      to_client_(Direction::to_client, traffic, server_, client_) {}

void ProxyConnection::rules_changed() {
    if (closed_) return;
    if (server_state_ == Server::not_connected && !rules_.to_server.held) connect();
    read(to_server_);
    forward(to_server_);
    read(to_client_);
    forward(to_client_);
}

void ProxyConnection::heal() {
    exchange_.await_none();
    rules_changed();
}

void ProxyConnection::cut() {
    closed_ = true;
    reset(client_);
    reset(server_);
    to_server_.timer.cancel();
    to_client_.timer.cancel();
}

void ProxyConnection::strike() {
    cut();
    counters_.add_faults(1);
}

void ProxyConnection::connect() {
    server_state_ = Server::connecting;
    error_code not_open; // async_connect() reports it
    server_.open(server_endpoint_.protocol(), not_open);
    if (!not_open) close_on_exec(server_.native_handle());
    server_.async_connect(server_endpoint_, [this, self = shared_from_this()](error_code ec) {
        if (closed_) return;
        if (ec) return cut(); // no server; after an accept, this is nearest to "connection refused"
        error_code ignored;
        server_.set_option(asio::ip::tcp::no_delay(true), ignored);
        client_.set_option(asio::ip::tcp::no_delay(true), ignored);
        server_state_ = Server::connected;
        rules_changed();
    });
}

void ProxyConnection::read(Way& way) {
    if (closed_ || way.reading || way.read_to_end || rules_[way.direction].held) return;
    if (way.direction == Direction::to_client && server_state_ != Server::connected) return;
    way.reading = true;
    way.from.async_read_some(asio::buffer(way.buffer),
                             [this, &way, self = shared_from_this()](error_code ec, std::size_t size) {
                                 way.reading = false;
                                 if (!closed_) on_read(way, ec, size);
                             });
}

void ProxyConnection::on_read(Way& way, error_code ec, std::size_t size) {
    const auto now = steady_clock::now();
    way.parser.append({way.buffer.data(), size});
    while (auto piece = way.parser.next()) way.queue.push_back({now, std::move(*piece)});
    if (ec) {
        if (auto rest = way.parser.rest()) way.queue.push_back({now, std::move(*rest)});
        way.queue.push_back({now, {}, ec});
        way.read_to_end = true;
    }
    read(way);
    forward(way);
}

/// Forwards the next piece, if it is due. The rules at that moment decide.
void ProxyConnection::forward(Way& way) {
    if (closed_ || way.writing || way.finished || way.queue.empty()) return;
    if (server_state_ != Server::connected || rules_[way.direction].held) return;
    const auto due = way.queue.front().arrived + rules_[way.direction].delay;
    if (due <= steady_clock::now()) return forward_piece(way);
    way.timer.expires_at(due);
    way.timer.async_wait([this, &way, self = shared_from_this()](error_code ec) {
        if (!ec) forward(way);
    });
}

void ProxyConnection::forward_piece(Way& way) {
    const QueuedBytes& next = way.queue.front();
    if (next.end) return finish(way, next.end);
    if (way.direction == Direction::to_server) {
        if (request_is_cut(next)) return strike();
    } else if (exchange_.is_awaited_reply(next.piece)) {
        return strike();
    }
    const std::size_t size = next.piece.bytes.size();
    const auto allowed = rules_[way.direction].take_bytes(size);
    if (allowed == 0U) return strike();
    write(way, allowed.value_or(size), allowed.has_value());
}

bool ProxyConnection::request_is_cut(const QueuedBytes& next) {
    request_on_its_way_ = exchange_.read_request(next.piece);
    if (!request_on_its_way_) return false;
    if (take_cut(rules_.request_cuts, request_on_its_way_->opcode)) return true;
    exchange_.expect_reply(*request_on_its_way_, take_cut(rules_.reply_cuts, request_on_its_way_->opcode));
    return false;
}

void ProxyConnection::write(Way& way, std::size_t size, bool then_cut) {
    const std::string& bytes = way.queue.front().piece.bytes;
    const bool whole = size == bytes.size();
    way.writing = true;
    asio::async_write(way.to, asio::buffer(bytes.data(), size),
                      [this, &way, whole, then_cut, self = shared_from_this()](error_code ec, std::size_t) {
                          way.writing = false;
                          if (!closed_) on_written(way, ec, whole, then_cut);
                      });
}

void ProxyConnection::on_written(Way& way, error_code ec, bool whole, bool then_cut) {
    way.queue.pop_front();
    if (ec) way.discards = true; // the receiver is gone; the other direction goes on until it has read to the end
    if (then_cut) strike();
    if (!ec && whole && way.direction == Direction::to_server) announce_forwarded();
    if (way.discards) {
        way.queue.clear();
        way.finished = true;
        if (to_server_.finished && to_client_.finished) cut();
    }
    forward(way);
}

void ProxyConnection::announce_forwarded() {
    if (!request_on_its_way_) return;
    const Opcode opcode = request_on_its_way_->opcode;
    counters_.add_request(static_cast<std::int32_t>(opcode));
    const auto found = rules_.actions.find(opcode);
    if (found == rules_.actions.end()) return;
    if (const auto action = found->second) action(); // a copy, because the action may change the rules
}

void ProxyConnection::finish(Way& way, error_code end) {
    if (end != asio::error::eof) return cut(); // a reset is passed on as a reset
    error_code ignored;
    way.to.shutdown(asio::socket_base::shutdown_send, ignored);
    way.finished = true;
    if (!to_server_.finished || !to_client_.finished) return;
    closed_ = true;
    client_.close(ignored);
    server_.close(ignored);
}

} // namespace docent::testing
