// SPDX-License-Identifier: Apache-2.0
#include "client/core/access.hpp"
#include "client/core/client_view.hpp"
#include "posix/descriptors.hpp"
#include "posix/spawn.hpp"

#include <docent/client.hpp>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

namespace docent::detail {
namespace {

/// Gives the loopback interface this address only.
bool set_loopback_address(const char* text) {
    const posix::UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const std::string name = "lo";
    ifreq request{};
    std::copy(name.begin(), name.end(), request.ifr_name);
    request.ifr_flags = IFF_UP; // first: the interface gets 127.0.0.1 then, which the other address replaces
    if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) return false;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, text, &address.sin_addr);
    std::memcpy(&request.ifr_addr, &address, sizeof address);
    return ::ioctl(socket.get(), SIOCSIFADDR, &request) == 0;
}

/// Lock nodes show the address of their owner's machine. A loopback address tells nothing. Without another address,
/// the data is 127.0.0.1.
TEST(DefaultData, IsNoAddressOfTheLoopbackInterface) {
    const pid_t child = posix::fork_child([](const sigset_t&) {
        if ((::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) || !set_loopback_address("10.1.2.3"))
            ::_exit(2);
        asio::io_context context;
        const Client client{context.get_executor(), {}}; // starts no threads
        ::_exit(Access::view(client)->default_data() == "127.0.0.1" ? 0 : 1);
    });
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "needs network namespaces";
    EXPECT_EQ(status, 0);
}

} // namespace
} // namespace docent::detail
