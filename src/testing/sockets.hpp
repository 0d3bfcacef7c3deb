// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace docent::testing {

/// Ends a socket also for children of this process, which have a copy of it after fork(): no port and no connection stays open.
template <typename Socket> void close_for_all(Socket& socket) {
    boost::system::error_code ec;
    if (!socket.is_open()) return;
    const auto descriptor = socket.release(ec); // takes it out of Asio's reactor; a close() would not if a child has a copy
    if (ec) return;
    ::shutdown(descriptor, SHUT_RDWR);
    ::close(descriptor);
}

/// An exec closes this descriptor.
inline void close_on_exec(int descriptor) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

} // namespace docent::testing
