// SPDX-License-Identifier: Apache-2.0
#include "zk/c_client.hpp"

#include "eventually.hpp"
#include "posix/spawn.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::zk {
namespace {

using HandlePtr = std::unique_ptr<zhandle_t, int (*)(zhandle_t*)>;

/// TLS finds the names of a server by this text, and messages for users contain it.
TEST(CClient, NamesAServerWithAnIPv6AddressWithoutBrackets) {
    CClient& c = real_c_client();
    const HandlePtr zh(c.init("::1:1", nullptr, 1000, nullptr), zookeeper_close);
    ASSERT_NE(zh, nullptr);
    int fd = -1;
    int interest = 0;
    timeval wait{};
    c.interest(zh.get(), &fd, &interest, &wait); // begins the first attempt
    EXPECT_EQ(c.current_server(zh.get()), "::1:1");
}

/// The C client has one buffer for the address of a server. It writes a server that is silent for too long there as well.
TEST(CClient, NamesTheServerAlsoWhileAnotherClientTimesOut) {
    CClient& c = real_c_client();
    boost::asio::io_context context;
    boost::asio::ip::tcp::acceptor silent(context, {boost::asio::ip::address_v4::loopback(), 0});
    const std::string address = "127.0.0.1:" + std::to_string(silent.local_endpoint().port());
    const HandlePtr named(c.init("127.0.0.22:1", nullptr, 1000, nullptr), zookeeper_close);
    const HandlePtr late(c.init(address.c_str(), nullptr, 1, nullptr), zookeeper_close);
    ASSERT_TRUE(named && late);
    const auto begin_attempt = [&c](zhandle_t* zh) {
        int fd = -1;
        int interest = 0;
        timeval wait{};
        c.interest(zh, &fd, &interest, &wait);
    };
    begin_attempt(named.get());
    const std::jthread times_out([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) begin_attempt(late.get());
    });
    for (int i = 0; i < 100'000; ++i) ASSERT_EQ(c.current_server(named.get()), "127.0.0.22:1") << i;
}

#ifndef DOCENT_SANITIZED // a sanitizer's allocator may be locked in the child
TEST(CClient, NamesTheServerInAChildThatForkedMeanwhile) {
    CClient& c = real_c_client();
    const HandlePtr zh(c.init("127.0.0.1:1", nullptr, 1000, nullptr), zookeeper_close);
    ASSERT_NE(zh, nullptr);
    const std::jthread asks([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) static_cast<void>(c.current_server(zh.get()));
    });
    for (int i = 0; i < 100; ++i) {
        const pid_t child = posix::fork_child([&](const sigset_t&) {
            static_cast<void>(c.current_server(zh.get()));
            ::_exit(0);
        });
        int status = -1;
        const bool has_ended = test::eventually([&] { return ::waitpid(child, &status, WNOHANG) == child; });
        if (!has_ended) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
        }
        ASSERT_TRUE(has_ended) << "child " << i << " hangs";
        ASSERT_EQ(status, 0);
    }
}
#endif

} // namespace
} // namespace docent::zk
