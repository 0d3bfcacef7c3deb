// SPDX-License-Identifier: Apache-2.0
#include "nemesis/session_closer.hpp"

#include "hostile_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace docent::chaos {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t password_size = 16;

std::string greeting(std::int64_t session) {
    constexpr std::int32_t version = 0;
    constexpr std::int64_t last_zxid = 0;
    constexpr std::int32_t timeout = 10'000;
    return test::wire_frame(test::wire(version) + test::wire_long(last_zxid) + test::wire(timeout) + test::wire_long(session) +
                            test::wire_text(password_of(session)) + '\0'); // the last byte: not read-only
}

std::string farewell() {
    constexpr std::int32_t number_of_request = 1;
    return test::wire_frame(test::wire(number_of_request) + test::wire(test::close_opcode));
}

/// Returns whether the server knew the session, or nothing if the server did not answer. The session's owner reconnects at
/// once, and may take the session back before the server reads the close request. So only the next attempt shows whether the
/// session has ended.
std::optional<bool> ask_to_close(std::uint16_t server_port, std::int64_t session) {
    asio::io_context context;
    asio::ip::tcp::socket socket(context);
    const std::string all = greeting(session) + farewell();
    std::array<char, 4 + 4 + 4> head{}; // length, version, granted timeout (0: unknown session)
    std::array<char, 512> rest{};
    std::optional<bool> known;
    const auto on_welcome = [&](const boost::system::error_code& ec, std::size_t) {
        if (ec) return;
        known = std::string_view(head.data() + 8, 4) != std::string_view("\0\0\0\0", 4);
        asio::async_read(socket, asio::buffer(rest), [](const boost::system::error_code&, std::size_t) {}); // until it hangs up
    };
    socket.async_connect({asio::ip::address_v4::loopback(), server_port}, [&](const boost::system::error_code& ec) {
        if (ec) return;
        asio::async_write(socket, asio::buffer(all), [&](const boost::system::error_code& failure, std::size_t) {
            if (!failure) asio::async_read(socket, asio::buffer(head), on_welcome);
        });
    });
    context.run_for(1s);
    return known;
}

} // namespace

std::string password_of(std::int64_t session) {
    constexpr std::uint64_t salt = 0xB3415C00;
    constexpr std::uint64_t factor = 0x5DEECE66D; // of java.util.Random
    constexpr std::uint64_t mask = (std::uint64_t{1} << 48) - 1;
    std::uint64_t state = ((static_cast<std::uint64_t>(session) ^ salt) ^ factor) & mask;
    std::string password;
    while (password.size() < password_size) {
        state = (state * factor + 0xB) & mask;
        for (int byte = 0; byte < 4; ++byte) password += static_cast<char>(state >> (16 + 8 * byte));
    }
    return password;
}

bool close_session(std::uint16_t server_port, std::int64_t session) {
    const auto deadline = std::chrono::steady_clock::now() + 2s;
    for (bool asked = false; std::chrono::steady_clock::now() < deadline; asked = true) {
        const auto known = ask_to_close(server_port, session);
        if (known == false) return asked;
    }
    return false;
}

} // namespace docent::chaos
