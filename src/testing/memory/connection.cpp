// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/connection.hpp"

#include "testing/sockets.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>

namespace docent::testing {

using boost::system::error_code;

namespace {

/// The default of ZooKeeper's `jute.maxbuffer`.
constexpr std::size_t longest_frame = 0xfffff;
constexpr std::size_t length_size = 4;
/// The server reads no further requests while more bytes than this wait: replies that the client has not read, or requests of a
/// connection that is held up (MemoryService::holds()).
constexpr std::size_t most_bytes = 8 << 20;

std::size_t length_of(std::string_view bytes) {
    std::size_t length = 0;
    for (const char byte : bytes.substr(0, length_size)) length = length << 8U | static_cast<unsigned char>(byte);
    return length;
}

bool is_word(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.begin() + length_size,
                       [](char byte) { return std::isalpha(static_cast<unsigned char>(byte)) != 0; });
}

} // namespace

MemoryConnection::MemoryConnection(asio::ip::tcp::socket socket, asio::ssl::context* tls, std::size_t server_number,
                                   MemoryService& service)
    : stream_(std::in_place_type<Plain>, socket.get_executor()), service_(service) {
    server = server_number;
    error_code ec;
    port = socket.remote_endpoint(ec).port();
    socket.set_option(asio::ip::tcp::no_delay(true), ec);
    if (tls != nullptr) stream_.emplace<Tls>(std::move(socket), *tls);
    else stream_.emplace<Plain>(std::move(socket));
    service_.add(*this);
}

MemoryConnection::Plain& MemoryConnection::socket() {
    if (auto* const plain = std::get_if<Plain>(&stream_)) return *plain;
    return std::get<Tls>(stream_).next_layer();
}

void MemoryConnection::start() {
    auto* const tls = std::get_if<Tls>(&stream_);
    if (tls == nullptr) return read();
    reading_ = true; // the handshake reads
    tls->async_handshake(Tls::server, [this, self = shared_from_this()](error_code ec) {
        reading_ = false;
        if (ec) refuse();
        else read();
    });
}

/// Ends a handshake that failed. Reads what the client still sends: otherwise the kernel would send a reset, and the client
/// could lose the alert with the reason.
void MemoryConnection::refuse() {
    if (over_) return;
    closed = true;
    if (std::exchange(known_, false)) service_.forget(*this);
    end_of_output();
    reading_ = true;
    socket().async_read_some(asio::buffer(buffer_), [this, self = shared_from_this()](error_code ec, std::size_t) {
        reading_ = false;
        if (ec) abandon();
        else refuse();
    });
}

void MemoryConnection::read() {
    if (over_ || reading_ || !has_room() || waiting_bytes > most_bytes) return;
    reading_ = true;
    std::visit(
        [this](auto& stream) {
            stream.async_read_some(asio::buffer(buffer_), [this, self = shared_from_this()](error_code ec, std::size_t size) {
                reading_ = false;
                if (ec) return abandon();
                if (!closed) {
                    received_.append(buffer_.data(), size);
                    on_bytes();
                }
                read();
            });
        },
        stream_);
}

void MemoryConnection::on_bytes() {
    if (!is_protocol_ && received_.size() >= length_size) {
        if (is_word(received_)) return on_word();
        is_protocol_ = true;
    }
    std::size_t begin = 0;
    while (!closed && has_room() && received_.size() - begin >= length_size) {
        const std::size_t length = length_of(std::string_view(received_).substr(begin));
        if (length > longest_frame) return cut();
        if (received_.size() - begin - length_size < length) break;
        service_.on_frame(*this, received_.substr(begin + length_size, length));
        begin += length_size + length;
    }
    received_.erase(0, begin);
}

void MemoryConnection::on_word() {
    word_ = std::exchange(received_, {}).substr(0, length_size);
    flush();
}

void MemoryConnection::send(std::string frame) {
    if (closed) return;
    ++sent;
    output_ += JuteWriter().number(static_cast<std::int32_t>(frame.size())).take();
    output_ += frame;
    flush();
}

void MemoryConnection::flush() {
    if (over_ || !writing_.empty() || (!closed && service_.holds(*this))) return;
    if (!word_.empty()) {
        output_ += answer_word(service_, server, std::exchange(word_, {}));
        return cut();
    }
    if (output_.empty()) {
        if (closed) end_of_output();
        return read(); // frames that were held up are handled now
    }
    writing_ = std::exchange(output_, {});
    std::visit(
        [this](auto& stream) {
            asio::async_write(stream, asio::buffer(writing_), [this, self = shared_from_this()](error_code ec, std::size_t) {
                writing_.clear();
                if (ec) return abandon();
                flush();
                service_.handle_waiting_frames(*this);
                if (!closed && is_protocol_) on_bytes();
                read();
            });
        },
        stream_);
}

bool MemoryConnection::has_room() const {
    return output_.size() <= most_bytes;
}

void MemoryConnection::cut() {
    if (service_.holds(*this)) output_.clear();
    waiting.clear();
    waiting_bytes = 0;
    closed = true;
    if (std::exchange(known_, false)) service_.forget(*this);
    flush();
}

/// Tells the client that no bytes follow. The client then closes its side. Until then its bytes are read: otherwise the kernel
/// would send a reset, and the client could lose the last frames.
void MemoryConnection::end_of_output() {
    if (std::exchange(output_ended_, true)) return;
    error_code ec;
    socket().shutdown(asio::ip::tcp::socket::shutdown_send, ec);
}

void MemoryConnection::abandon() {
    if (std::exchange(over_, true)) return;
    closed = true;
    if (std::exchange(known_, false)) service_.forget(*this);
    close_for_all(socket());
}

} // namespace docent::testing
