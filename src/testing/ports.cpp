// SPDX-License-Identifier: Apache-2.0
#include "testing/ports.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>

namespace docent::testing {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

struct PortRange {
    unsigned first;
    unsigned last;
};

PortRange usable_ports() {
    unsigned first_ephemeral = 0;
    std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first_ephemeral;
    if (first_ephemeral < 2048) first_ephemeral = 32768; // not known, or no room below it
    const unsigned last = std::min(31999U, first_ephemeral - 1);
    return {std::max(1024U, last - std::min(last, 10999U)), last};
}

/// Reserves a port by a name in the abstract namespace of Unix sockets. A name has one owner at a time. The kernel frees it
/// when the owner ends in any way. It needs no file, and it belongs to the network namespace, as the port does.
posix::UniqueFd reserve(unsigned port) {
    posix::UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!fd) throw posix::last_error("docent::testing: cannot look for a free port");
    const std::string name = "docent-testing-port-" + std::to_string(port);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) return {};
    return fd;
}

} // namespace

bool port_is_free(std::uint16_t port) {
    const posix::UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) throw posix::last_error("docent::testing: cannot look whether a port is free");
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
           ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

PortLease::PortLease() {
    const PortRange range = usable_ports();
    const unsigned count = range.last - range.first + 1;
    const unsigned start = std::random_device{}() % count;
    for (unsigned i = 0; i < count; ++i) {
        const unsigned candidate = range.first + (start + i) % count;
        reservation_ = reserve(candidate);
        port_ = static_cast<std::uint16_t>(candidate);
        if (reservation_ && port_is_free(port_)) return;
    }
    throw std::runtime_error("docent::testing: no free port between " + std::to_string(range.first) + " and " +
                             std::to_string(range.last));
}

std::string ask_server(std::uint16_t port, std::string_view word, std::chrono::milliseconds timeout) {
    asio::io_context context;
    asio::ip::tcp::socket socket(context, asio::ip::tcp::v4());
    std::string answer;
    std::string failure = "no answer in time";
    const auto end = [&](error_code ec) { failure = ec == asio::error::eof ? "" : ec.message(); };
    socket.async_connect({asio::ip::address_v4::loopback(), port}, [&](error_code ec) {
        if (ec) return end(ec);
        asio::async_write(socket, asio::buffer(word), [&](error_code not_sent, std::size_t) {
            if (not_sent) return end(not_sent);
            asio::async_read(socket, asio::dynamic_buffer(answer), [&](error_code at_end, std::size_t) { end(at_end); });
        });
    });
    context.run_for(timeout);
    if (failure.empty()) return answer;
    throw std::runtime_error("'" + std::string(word) + "' to 127.0.0.1:" + std::to_string(port) + " failed: " + failure);
}

std::string_view answer_field(std::string_view answer, std::string_view name, char separator) {
    while (!answer.empty()) {
        const auto end = std::min(answer.find('\n'), answer.size());
        const std::string_view line = answer.substr(0, end);
        if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == separator) {
            return line.substr(name.size() + 1);
        }
        answer.remove_prefix(std::min(end + 1, answer.size()));
    }
    return {};
}

} // namespace docent::testing
