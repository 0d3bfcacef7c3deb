// SPDX-License-Identifier: Apache-2.0

// The bytes of a connection through TLS, over real sockets. The test is the C client, and a thread is the server.

#include "folder.hpp"
#include "posix/descriptors.hpp"
#include "testing/process/certificates.hpp"
#include "zk/event_loop.hpp"
#include "zk/tls/tls_context.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/socket.h>

namespace docent::zk {
namespace {

namespace ssl = boost::asio::ssl;
using namespace std::chrono_literals;
using boost::asio::ip::tcp;
using docent::test::Folder;

constexpr int kernel_buffer = 128 << 10;
constexpr std::size_t much = 4U << 20U; // more than the kernel takes with such buffers

class TlsTunnelTest : public ::testing::Test {
protected:
    Folder folder;
    asio::io_context servers_context;
    tcp::acceptor acceptor{servers_context};
    std::future<std::size_t> received; // the bytes that the server read before it had `much`, or before the end
    std::promise<void> may_read;
    std::atomic<bool> answers = false; // if true, the server reads nothing, sends `much` bytes and ends the connection
    asio::io_context context;
    std::shared_ptr<EventLoop> loop = make_event_loop(context.get_executor());
    posix::UniqueFd c_client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::shared_ptr<EventLoop::Tunnel> tunnel;

    void SetUp() override {
        docent::testing::write_certificates(folder.path());
        acceptor.open(tcp::v4());
        acceptor.set_option(asio::socket_base::receive_buffer_size(kernel_buffer));
        acceptor.bind({boost::asio::ip::address_v4::loopback(), 0});
        acceptor.listen();
        ::setsockopt(c_client.get(), SOL_SOCKET, SO_SNDBUF, &kernel_buffer, sizeof kernel_buffer);
        const tcp::endpoint server = acceptor.local_endpoint();
        ASSERT_EQ(::connect(c_client.get(), server.data(), static_cast<socklen_t>(server.size())), 0);
        received = std::async(std::launch::async, [this, go = may_read.get_future()] { return serve(go); });

        TlsContext tls({.ca_file = folder / "ca.pem"});
        std::string fault;
        auto engine = tls.connect("127.0.0.1:" + std::to_string(server.port()), fault);
        ASSERT_NE(engine, nullptr) << fault;
        bool over = false;
        error_code ec;
        tunnel = loop->make_tunnel(
            c_client.get(), std::move(engine), [&over] { over = true; }, ec);
        ASSERT_NE(tunnel, nullptr) << ec.message();
        while (!over) context.run_one();
        ASSERT_TRUE(tunnel->open()) << tunnel->fault().text;
    }

    std::size_t serve(const std::future<void>& go) {
        ssl::context certificates(ssl::context::tls_server);
        certificates.use_certificate_chain_file(folder / "server.pem");
        certificates.use_private_key_file(folder / "server.pem", ssl::context::pem);
        ssl::stream<tcp::socket> stream(acceptor.accept(), certificates);
        stream.handshake(ssl::stream_base::server);
        go.wait();
        std::size_t count = 0;
        if (answers) return asio::write(stream, asio::buffer(std::string(much, 'x')));
        std::array<char, 8192> bytes{};
        for (error_code ec; !ec && count < much;) count += stream.read_some(asio::buffer(bytes), ec);
        return count;
    }

    /// Sends as the C client does before it closes. Returns the number of bytes that were taken.
    std::size_t send_much() const {
        const std::string block(65'536, 'x');
        std::size_t sent = 0;
        do {
            while (sent < much) {
                const auto count = ::send(c_client.get(), block.data(), std::min(block.size(), much - sent), MSG_NOSIGNAL);
                if (count <= 0) break;
                sent += static_cast<std::size_t>(count);
            }
        } while (tunnel->take());
        return sent;
    }
    void close_c_client() {
        tunnel->end_answers();
        c_client.reset();
    }
};

/// The server's socket and the tunnel fill up in between.
TEST_F(TlsTunnelTest, CarriesMoreThanTheNetworkTakesAtOnce) {
    const std::string block(65'536, 'x');
    std::size_t sent = 0;
    for (bool moves = true; moves && sent < much;) {
        const auto count = ::send(c_client.get(), block.data(), std::min(block.size(), much - sent), MSG_NOSIGNAL);
        if (count > 0) sent += static_cast<std::size_t>(count);
        else if (context.poll() == 0) moves = false;
    }
    ASSERT_LT(sent, much) << "the server reads nothing yet";
    may_read.set_value();
    while (sent < much && context.run_one_for(1min) > 0) {
        const auto count = ::send(c_client.get(), block.data(), std::min(block.size(), much - sent), MSG_NOSIGNAL);
        if (count > 0) sent += static_cast<std::size_t>(count);
    }
    ASSERT_EQ(sent, much);
    close_c_client();
    tunnel->finish(10min, 1s);
    EXPECT_EQ(received.get(), much);
}

TEST_F(TlsTunnelTest, TheBytesBeforeTheEndOfTheServersSideArrive) {
    answers = true;
    may_read.set_value();
    std::size_t arrived = 0;
    std::string bytes(65'536, ' ');
    for (;;) {
        while (context.poll() > 0) continue; // the tunnel reads as far as it has room, and may find the end
        const auto count = ::recv(c_client.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (count > 0) arrived += static_cast<std::size_t>(count);
        else if (count == 0 || context.run_one_for(1min) == 0) break;
    }
    EXPECT_EQ(arrived, much);
    EXPECT_EQ(received.get(), much);
}

TEST_F(TlsTunnelTest, AtTheEndItTakesAllBytesAndTheServerGetsThem) {
    EXPECT_EQ(send_much(), much) << "the server reads nothing yet";
    close_c_client();
    may_read.set_value();
    tunnel->finish(10min, 1s);
    EXPECT_EQ(received.get(), much);
}

TEST_F(TlsTunnelTest, AServerThatReadsNothingHoldsItUpForTheGivenTimeOnly) {
    EXPECT_EQ(send_much(), much);
    close_c_client();
    const auto begin = std::chrono::steady_clock::now();
    tunnel->finish(100ms, 10min);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1min);
    may_read.set_value();
    EXPECT_LT(received.get(), much);
}

/// The connection may be made later, at any moment. Then the C client would send its handshake without TLS.
TEST(TlsTunnelBegin, ASocketThatIsNotConnectedCanNeverSend) {
    const posix::UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    tcp::endpoint server(boost::asio::ip::address_v4::loopback(), 0);
    auto length = static_cast<socklen_t>(server.capacity());
    ASSERT_EQ(::bind(listener.get(), server.data(), static_cast<socklen_t>(server.size())), 0);
    ASSERT_EQ(::getsockname(listener.get(), server.data(), &length), 0);
    ASSERT_EQ(::listen(listener.get(), 0), 0);
    std::vector<posix::UniqueFd> clients;
    for (bool waits = false; !waits && clients.size() < 8;) { // until the listener has no room
        const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        clients.emplace_back(client);
        ::connect(client, server.data(), static_cast<socklen_t>(server.size()));
        pollfd connected{client, POLLOUT, 0};
        waits = ::poll(&connected, 1, 100) == 0;
    }
    const int waiting = clients.back().get();
    ASSERT_EQ(::send(waiting, "x", 1, MSG_NOSIGNAL), -1);
    ASSERT_EQ(errno, EAGAIN);

    asio::io_context context;
    error_code ec;
    EXPECT_EQ(make_event_loop(context.get_executor())->make_tunnel(waiting, nullptr, nullptr, ec), nullptr);
    EXPECT_EQ(ec, asio::error::not_connected);
    ASSERT_EQ(::send(waiting, "x", 1, MSG_NOSIGNAL), -1);
    EXPECT_NE(errno, EAGAIN);
}

} // namespace
} // namespace docent::zk
