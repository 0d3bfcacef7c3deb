// SPDX-License-Identifier: Apache-2.0
#include "hostile_server.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/endian/conversion.hpp>

#include <array>
#include <utility>

namespace docent::test {

using boost::asio::ip::tcp;
using boost::system::error_code;

std::string wire(std::int32_t number) {
    std::array<unsigned char, 4> bytes{};
    boost::endian::store_big_s32(bytes.data(), number);
    return {bytes.begin(), bytes.end()};
}

std::string wire_long(std::int64_t number) {
    std::array<unsigned char, 8> bytes{};
    boost::endian::store_big_s64(bytes.data(), number);
    return {bytes.begin(), bytes.end()};
}

std::string wire_text(std::string_view text) {
    return wire(static_cast<std::int32_t>(text.size())).append(text);
}

std::string wire_header(std::int32_t xid, std::int32_t error, std::int64_t zxid) {
    return wire(xid) + wire_long(zxid) + wire(error);
}

std::string wire_stat() {
    return std::string(68, '\1');
}

std::string wire_greeting(const Greeting& greeting) {
    return wire_frame(wire(0) + wire(greeting.timeout) + wire_long(greeting.session) + wire(greeting.password_size) +
                      std::string(16, 'p') + '\0');
}

bool HostileServer::Line::read_whole(const boost::asio::mutable_buffer& buffer) {
    error_code ec;
    if (tls_ != nullptr) boost::asio::read(*tls_, buffer, ec);
    else boost::asio::read(socket_, buffer, ec);
    return !ec;
}

std::optional<std::string> HostileServer::Line::read() {
    std::array<unsigned char, 4> length{};
    if (!read_whole(boost::asio::buffer(length))) return std::nullopt;
    std::string frame(boost::endian::load_big_u32(length.data()), '\0');
    if (!read_whole(boost::asio::buffer(frame))) return std::nullopt;
    return frame;
}

bool HostileServer::Line::write(std::string_view bytes) {
    error_code ec;
    if (tls_ != nullptr) boost::asio::write(*tls_, boost::asio::buffer(bytes), ec);
    else boost::asio::write(socket_, boost::asio::buffer(bytes), ec);
    return !ec;
}

bool HostileServer::Line::trickle(std::string_view bytes) {
    error_code ec;
    socket_.set_option(tcp::no_delay(true), ec);
    for (const char& byte : bytes) {
        if (!write({&byte, 1})) return false;
    }
    return true;
}

void HostileServer::Line::wait_for_end() {
    while (read()) {
    }
}

namespace {

std::optional<boost::asio::ssl::context> context_of(const std::filesystem::path& certificates) {
    if (certificates.empty()) return std::nullopt;
    boost::asio::ssl::context context(boost::asio::ssl::context::tls_server);
    context.use_certificate_chain_file(certificates / "server.pem");
    context.use_private_key_file(certificates / "server.pem", boost::asio::ssl::context::pem);
    return context;
}

} // namespace

HostileServer::HostileServer(Talk talk, const std::filesystem::path& certificates)
    : talk_(std::move(talk)), certificates_(context_of(certificates)),
      acceptor_(context_, {boost::asio::ip::address_v4::loopback(), 0}), acceptor_thread_([this] { accept(); }) {}

HostileServer::~HostileServer() {
    stop_ = true;
    error_code ec;
    tcp::socket wake(context_); // wakes accept()
    wake.connect(acceptor_.local_endpoint(), ec);
    acceptor_thread_.join();
    {
        const std::lock_guard hold(mutex_);
        for (auto& socket : sockets_) socket.shutdown(tcp::socket::shutdown_both, ec);
    }
    for (auto& line : lines_) line.join();
}

std::string HostileServer::connect_string() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

void HostileServer::accept() {
    for (;;) {
        tcp::socket socket(context_);
        error_code ec;
        acceptor_.accept(socket, ec);
        if (stop_) return;
        if (ec) continue;
        ++connections_;
        const std::lock_guard hold(mutex_);
        lines_.emplace_back([this, &kept = sockets_.emplace_back(std::move(socket))] { serve(kept); });
    }
}

void HostileServer::serve(tcp::socket& socket) {
    error_code ec;
    std::optional<Tls> tls;
    if (certificates_) tls.emplace(socket, *certificates_).handshake(Tls::server, ec);
    Line line(socket, tls ? &*tls : nullptr, stop_);
    if (!ec) talk_(line);
    const std::lock_guard hold(mutex_); // the destructor uses the socket, too
    socket.shutdown(tcp::socket::shutdown_both, ec);
}

WireRequest wire_request(std::string_view frame) {
    const auto number = [&](std::size_t at) {
        return boost::endian::load_big_s32(reinterpret_cast<const unsigned char*>(frame.data() + at));
    };
    return frame.size() < 8 ? WireRequest{} : WireRequest{number(0), number(4)};
}

HostileServer::Talk answers_with(std::function<std::string(const WireRequest&)> reply) {
    return [reply = std::move(reply)](HostileServer::Line& line) {
        if (!line.read() || !line.write(wire_greeting())) return;
        while (const auto frame = line.read()) {
            const WireRequest request = wire_request(*frame);
            if (request.opcode == close_opcode) return;
            std::string bytes;
            if (request.opcode == ping_opcode) bytes = wire_frame(wire_header(request.xid));
            else if (request.opcode == sync_opcode) bytes = wire_frame(wire_header(request.xid) + wire_text("/"));
            else bytes = reply(request);
            if (!line.write(bytes)) return;
        }
    };
}

} // namespace docent::test
