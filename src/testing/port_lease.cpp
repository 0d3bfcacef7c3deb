// SPDX-License-Identifier: Apache-2.0
#include "testing/port_lease.hpp"

#include "posix/descriptors.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

namespace docent::testing {

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

} // namespace docent::testing
