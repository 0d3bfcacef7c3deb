// SPDX-License-Identifier: Apache-2.0
#include "zk/socket_calls.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <array>
#include <limits>

namespace docent::zk {

int ready_for(int descriptor, int interest) {
    const bool read = (interest & ZOOKEEPER_READ) != 0;
    const bool write = (interest & ZOOKEEPER_WRITE) != 0;
    pollfd polled{descriptor, static_cast<short>((read ? POLLIN : 0) | (write ? POLLOUT : 0)), 0};
    if (::poll(&polled, 1, 0) <= 0) return 0;
    const bool broken = (polled.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
    return (read && (broken || (polled.revents & POLLIN) != 0) ? ZOOKEEPER_READ : 0) |
           (write && (broken || (polled.revents & POLLOUT) != 0) ? ZOOKEEPER_WRITE : 0);
}

bool is_over(int descriptor) {
    pollfd polled{descriptor, POLLRDHUP, 0};
    return ::poll(&polled, 1, 0) > 0;
}

std::size_t bytes_in(int descriptor) {
    int count = 0;
    return ::ioctl(descriptor, FIONREAD, &count) == 0 && count > 0 ? static_cast<std::size_t>(count) : 0;
}

/// Whether the socket belongs to a pair. Such a socket is readable as soon as it has a byte, whatever SO_RCVLOWAT says.
static bool is_of_pair(int descriptor) {
    int domain = 0;
    socklen_t length = sizeof domain;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX;
}

bool wake_at(int descriptor, std::size_t size) {
    if (size > 1 && is_of_pair(descriptor)) return false;
    const int wanted = static_cast<int>(size);
    if (::setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof wanted) != 0) return true; // wakes too often
    int is = 0;
    socklen_t length = sizeof is;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &is, &length) != 0 || is >= wanted;
}

/// The kernel counts a buffer as used until its last byte is read: 100 KiB were seen counted for 10 KiB of data. Setting
/// SO_RCVLOWAT enlarges the buffer, and it stays large.
void make_room(int descriptor) {
    const int wanted = std::numeric_limits<int>::max();
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof wanted);
}

void cork(int descriptor, bool on) {
    const int value = on ? 1 : 0;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_CORK, &value, sizeof value);
}

/// Setting TCP_NODELAY sends the bytes that wait, also in a corked socket: see tcp(7).
void uncork_once(int descriptor) {
    const int value = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &value, sizeof value);
}

ssize_t discard(int descriptor, std::size_t most) {
    std::array<char, 64U << 10U> bytes; // MSG_TRUNC without a buffer discards nothing from a socket of a pair
    return ::recv(descriptor, bytes.data(), std::min(bytes.size(), most), MSG_DONTWAIT);
}

void shut_and_discard(int descriptor) {
    ::shutdown(descriptor, SHUT_RDWR);
    while (discard(descriptor, 1U << 20U) > 0) {
    }
}

} // namespace docent::zk
