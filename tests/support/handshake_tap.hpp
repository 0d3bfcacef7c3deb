// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <poll.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace docent::test {

/// The parts of a ClientHello or a ServerHello that say whether a session of TLS is resumed (RFC 8446, section 4.1; RFC 5246,
/// section 7.4.1; RFC 5077). A hello is not encrypted.
struct TlsHello {
    std::string session_id;
    std::map<std::size_t, std::string> extensions;

    static constexpr std::size_t session_ticket = 35;
    static constexpr std::size_t pre_shared_key = 41;
    static constexpr std::size_t supported_versions = 43; // in a ServerHello: TLS 1.3

    enum class By { client, server };
    /// `bytes` begin with the record of the hello.
    TlsHello(std::string_view bytes, By by) {
        constexpr std::size_t before_session_id = 5 + 4 + 2 + 32; // heads of record and message, version, random
        take(bytes, before_session_id);
        session_id = take_sized(bytes, 1);
        if (by == By::client) take_sized(bytes, 2); // ciphers
        else take(bytes, 2);                        // cipher
        if (by == By::client) take_sized(bytes, 1); // compressions
        else take(bytes, 1);
        for (std::string_view rest = take_sized(bytes, 2); !rest.empty();) {
            const std::size_t kind = number(take(rest, 2));
            extensions[kind] = take_sized(rest, 2);
        }
    }
    bool has(std::size_t extension) const { return extensions.contains(extension); }

private:
    static std::string_view take(std::string_view& from, std::size_t size) {
        const std::string_view taken = from.substr(0, size);
        from.remove_prefix(taken.size());
        return taken;
    }
    static std::string_view take_sized(std::string_view& from, std::size_t size_of_length) {
        const std::size_t length = number(take(from, size_of_length));
        return take(from, length);
    }
    static std::size_t number(std::string_view bytes) {
        std::size_t value = 0;
        for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
        return value;
    }
};

/// A proxy that records how each connection begins. It carries one connection at a time.
class HandshakeTap {
public:
    struct Beginning {
        std::string by_client;
        std::string by_server;
        TlsHello client_hello() const { return {by_client, TlsHello::By::client}; }
        TlsHello server_hello() const { return {by_server, TlsHello::By::server}; }
        /// Whether the server resumes an earlier session of TLS.
        bool resumes() const {
            const TlsHello asks = client_hello();
            const TlsHello answers = server_hello();
            if (answers.has(TlsHello::supported_versions)) return answers.has(TlsHello::pre_shared_key);
            return !asks.session_id.empty() && asks.session_id == answers.session_id;
        }
    };

    explicit HandshakeTap(std::uint16_t server_port)
        : server_port_(server_port), acceptor_(context_, {boost::asio::ip::address_v4::loopback(), 0}),
          thread_([this] { run(); }) {}
    ~HandshakeTap() {
        over_ = true;
        cut();
        boost::system::error_code ec;
        tcp::socket wake(context_); // wakes accept()
        wake.connect(acceptor_.local_endpoint(), ec);
        thread_.join();
    }
    HandshakeTap(const HandshakeTap&) = delete;
    HandshakeTap& operator=(const HandshakeTap&) = delete;

    std::string connect_string() const { return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }
    std::vector<Beginning> beginnings() const {
        const std::lock_guard lock(mutex_);
        return beginnings_;
    }
    /// Ends the present connection.
    void cut() {
        const std::lock_guard lock(mutex_);
        boost::system::error_code ignored; // the client may have closed it
        if (client_ != nullptr) client_->shutdown(tcp::socket::shutdown_both, ignored);
    }

private:
    using tcp = boost::asio::ip::tcp;

    void run() {
        while (!over_) {
            boost::system::error_code ec;
            tcp::socket client = acceptor_.accept(ec);
            tcp::socket server(context_);
            if (!ec) server.connect({boost::asio::ip::address_v4::loopback(), server_port_}, ec);
            if (ec || over_) continue;
            begin(&client);
            while (carry(client, server, &Beginning::by_client) && carry(server, client, &Beginning::by_server)) {
                std::array<pollfd, 2> both{{{client.native_handle(), POLLIN, 0}, {server.native_handle(), POLLIN, 0}}};
                ::poll(both.data(), both.size(), -1);
            }
            begin(nullptr);
        }
    }
    void begin(tcp::socket* client) {
        const std::lock_guard lock(mutex_);
        client_ = client;
        if (client != nullptr) beginnings_.emplace_back();
    }
    /// Carries the bytes that have arrived. Returns false at the end of the connection.
    bool carry(tcp::socket& from, tcp::socket& to, std::string Beginning::*side) {
        constexpr std::size_t enough = 4096;
        std::array<char, 4096> bytes{};
        pollfd readable{from.native_handle(), POLLIN, 0};
        if (::poll(&readable, 1, 0) <= 0) return true;
        boost::system::error_code ec;
        const std::size_t count = from.read_some(boost::asio::buffer(bytes), ec);
        if (ec) return false;
        {
            const std::lock_guard lock(mutex_);
            std::string& beginning = beginnings_.back().*side;
            if (beginning.size() < enough) beginning.append(bytes.data(), count);
        }
        boost::asio::write(to, boost::asio::buffer(bytes.data(), count), ec);
        return !ec;
    }

    const std::uint16_t server_port_;
    boost::asio::io_context context_;
    tcp::acceptor acceptor_;
    std::atomic<bool> over_ = false;
    mutable std::mutex mutex_;
    std::vector<Beginning> beginnings_;
    tcp::socket* client_ = nullptr; // of the present connection
    std::thread thread_;            // the last member: it uses the others
};

} // namespace docent::test
