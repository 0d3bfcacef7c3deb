// SPDX-License-Identifier: Apache-2.0
#include "zk/event_loop.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace docent::zk {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;

class EventLoopSocket : public ::testing::Test {
protected:
    EventLoopSocket() {
        tcp::acceptor acceptor{context, {boost::asio::ip::address_v4::loopback(), 0}};
        client.connect(acceptor.local_endpoint());
        acceptor.accept(server);
        client.set_option(tcp::no_delay(true)); // the C client sets this, too
        error_code ec;
        socket = loop->make_socket(client.native_handle(), ec);
        EXPECT_FALSE(ec);
    }

    void send(std::string_view text) {
        EXPECT_EQ(::send(client.native_handle(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    }
    /// The number of bytes in the socket's send buffer.
    int unsent() {
        int bytes = -1;
        EXPECT_EQ(::ioctl(client.native_handle(), SIOCOUTQNSD, &bytes), 0);
        return bytes;
    }

    boost::asio::io_context context;
    tcp::socket client{context};
    tcp::socket server{context};
    std::shared_ptr<EventLoop> loop = make_event_loop(context.get_executor());
    std::unique_ptr<EventLoop::Socket> socket;
};

TEST_F(EventLoopSocket, HoldsBackSentBytesUntilTheyAreLetGo) {
    send("first");
    EXPECT_EQ(unsent(), 0);
    socket->hold_back(true);
    for (const std::string_view text : {"second", "third!"}) {
        send(text);
        EXPECT_EQ(unsent(), 6);
        socket->let_go();
        EXPECT_EQ(unsent(), 0);
    }
    send("last");
    EXPECT_EQ(unsent(), 4);
    socket->hold_back(false);
    EXPECT_EQ(unsent(), 0);
    send("at once");
    EXPECT_EQ(unsent(), 0);
}

TEST_F(EventLoopSocket, IsNotInheritedByOtherPrograms) {
    for (const int fd : {client.native_handle(), socket->descriptor()}) {
        EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    }
}

/// The C client waits for room to send and does not want to read meanwhile.
TEST_F(EventLoopSocket, UnreadBytesCauseNoWorkWhileItWaitsForRoom) {
    client.non_blocking(true);
    const std::string block(65536, 'x');
    while (::send(client.native_handle(), block.data(), block.size(), 0) > 0) continue;
    bool is_read = false;
    socket->on_readable([&] { is_read = true; });
    ASSERT_EQ(::send(server.native_handle(), "answer", 6, 0), 6);
    while (!is_read) context.run_one();
    socket->on_writable([] { ADD_FAILURE() << "there is no room"; });
    int handlers = 0;
    while (handlers < 1000 && context.poll_one() > 0) ++handlers;
    EXPECT_LT(handlers, 1000);
}

/// The executor has noticed that the alarm went off, and has not called its handler yet.
TEST(EventLoopAlarm, ThatIsArmedAgainAsItGoesOffGoesOffAtItsNewTime) {
    boost::asio::io_context context;
    const auto loop = make_event_loop(context.get_executor());
    BootClock::time_point heard{};
    error_code ec;
    const auto alarm = loop->make_alarm([&heard] { heard = BootClock::now(); }, ec);
    ASSERT_NE(alarm, nullptr) << ec.message();
    const auto first = BootClock::now() + 1ms;
    const auto second = first + 50ms;
    alarm->arm(first);
    loop->post([&] {
        while (BootClock::now() <= first) continue;
        loop->post([&] { alarm->arm(second); }); // the executor looks at its descriptors before
    });
    context.run();
    EXPECT_GE(heard, second);
}

} // namespace
} // namespace docent::zk
