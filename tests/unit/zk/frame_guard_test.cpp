// SPDX-License-Identifier: Apache-2.0
#include "zk/input/frame_guard.hpp"
#include "zk/socket_calls.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/endian/conversion.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>
#include <sys/socket.h>

namespace docent::zk {
namespace {

using boost::asio::ip::tcp;

std::string big_endian(std::int32_t value) {
    boost::endian::native_to_big_inplace(value);
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// A reply with so many bytes of node data, and its stat.
std::string data_frame(std::size_t bytes) {
    constexpr std::size_t header = 16, stat = 68;
    const std::string body = std::string(header, '\0') + big_endian(static_cast<std::int32_t>(bytes)) +
                             std::string(bytes, 'x') + std::string(stat, '\0');
    return big_endian(static_cast<std::int32_t>(body.size())) + body;
}

/// Both ends of a loopback connection.
struct Connection {
    Connection() {
        tcp::acceptor acceptor{context, {boost::asio::ip::address_v4::loopback(), 0}};
        client.connect(acceptor.local_endpoint());
        server = acceptor.accept();
        server.non_blocking(true);
    }
    boost::asio::io_context context;
    tcp::socket client{context};
    tcp::socket server{context};
};

/// Both ends of a pair of sockets, as a connection with TLS has them.
struct Pair {
    Pair() {
        boost::asio::local::connect_pair(client, server);
        server.non_blocking(true);
    }
    boost::asio::io_context context;
    boost::asio::local::stream_protocol::socket client{context};
    boost::asio::local::stream_protocol::socket server{context};
};

/// Bytes that are not read yet take room from the bytes behind them: the kernel counts a whole packet until its last byte is
/// read.
TEST(FrameGuard, FramesOfAnySizeArriveWhereverOneEndsInAPacket) {
    Connection connection;
    FrameGuard guard;
    guard.begin_socket();
    const ReplyShape shape{ReplyPart::data, ReplyPart::stat};
    std::size_t expected = 0, seen = 0, sent = 0;
    std::string stream;
    for (int i = 0; i < 400; ++i, ++expected) stream += data_frame(static_cast<std::size_t>(57'000 + 37 * i));
    std::string taken;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (seen < expected) {
        boost::system::error_code ec;
        sent += connection.server.write_some(boost::asio::buffer(stream.data() + sent, stream.size() - sent), ec);
        guard.begin_turn();
        const auto next = guard.next(connection.client.native_handle(), FrameDue{&shape});
        ASSERT_NE(next, FrameGuard::Next::refused);
        if (next == FrameGuard::Next::frame) {
            taken.resize(data_frame(57'000 + 37 * seen++).size());
            ASSERT_EQ(::recv(connection.client.native_handle(), taken.data(), taken.size(), MSG_WAITALL),
                      static_cast<ssize_t>(taken.size()));
            continue;
        }
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << seen << " frames have arrived, and there is no room for more";
        pollfd either[] = {{connection.client.native_handle(), POLLIN, 0},
                           {connection.server.native_handle(), static_cast<short>(sent < stream.size() ? POLLOUT : 0), 0}};
        ::poll(either, 2, 20);
    }
}

/// In one turn of the loop, the C client reads only what the look found. Later bytes wake the loop again.
TEST(FrameGuard, BytesSinceTheLookAreForTheNextTurn) {
    Connection connection;
    FrameGuard guard;
    guard.begin_socket();
    const ReplyShape shape{ReplyPart::data, ReplyPart::stat};
    const std::string frame = data_frame(100);
    const auto send_frame = [&] { boost::asio::write(connection.server, boost::asio::buffer(frame)); };
    const auto next = [&] { return guard.next(connection.client.native_handle(), FrameDue{&shape}); };
    const auto read_frame = [&] {
        std::string taken(frame.size(), '\0');
        EXPECT_EQ(::recv(connection.client.native_handle(), taken.data(), taken.size(), MSG_WAITALL), std::ssize(taken));
    };

    send_frame();
    guard.begin_turn();
    ASSERT_EQ(next(), FrameGuard::Next::frame);
    read_frame();
    send_frame();
    EXPECT_EQ(next(), FrameGuard::Next::nothing);
    guard.begin_turn();
    ASSERT_EQ(next(), FrameGuard::Next::frame);
    read_frame();
    connection.server.close();
    EXPECT_EQ(next(), FrameGuard::Next::nothing);
    guard.begin_turn();
    EXPECT_EQ(next(), FrameGuard::Next::ended);
}

/// While a frame arrives in pieces, the socket wakes the loop only for the whole frame. The frame behind it may be smaller.
TEST(FrameGuard, TheSocketWakesForASmallFrameBehindALargeOneInPieces) {
    Connection connection;
    const int descriptor = connection.client.native_handle();
    FrameGuard guard;
    guard.begin_socket();
    const ReplyShape shape{ReplyPart::data, ReplyPart::stat};
    const std::string large = data_frame(50'000);
    const auto send = [&](std::string_view bytes) {
        boost::asio::write(connection.server, boost::asio::buffer(bytes.data(), bytes.size()));
    };
    const auto await = [&](FrameGuard::Next wanted) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
        auto next = FrameGuard::Next::nothing;
        while (next != wanted && std::chrono::steady_clock::now() < deadline) {
            guard.begin_turn();
            next = guard.next(descriptor, FrameDue{&shape});
        }
        return next;
    };
    send(std::string_view(large).substr(0, 1'000));
    pollfd readable{descriptor, POLLIN, 0};
    ASSERT_EQ(::poll(&readable, 1, 60'000), 1);
    guard.begin_turn();
    ASSERT_EQ(guard.next(descriptor, FrameDue{&shape}), FrameGuard::Next::nothing);
    send(std::string_view(large).substr(1'000));
    ASSERT_EQ(await(FrameGuard::Next::frame), FrameGuard::Next::frame);
    std::string taken(large.size(), '\0');
    ASSERT_EQ(::recv(descriptor, taken.data(), taken.size(), MSG_WAITALL), std::ssize(taken));
    send(data_frame(10));
    EXPECT_EQ(::poll(&readable, 1, 10'000), 1);
}

/// The socket's receive buffer holds less than half of the larger frames.
void expect_large_frames_kept(auto& connection) {
    constexpr int small = 32 << 10;
    ASSERT_EQ(::setsockopt(connection.client.native_handle(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    const int descriptor = connection.client.native_handle();
    FrameGuard guard;
    guard.begin_socket();
    const ReplyShape shape{ReplyPart::data, ReplyPart::stat};
    const std::vector<std::size_t> sizes{100, 3'000'000, 200, 1'000'000, 2'000'000, 300};
    std::string stream;
    for (const auto size : sizes) stream += data_frame(size);
    std::string_view rest = stream;
    std::size_t kept = 0;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    for (const auto size : sizes) {
        const std::string expected = data_frame(size);
        auto next = FrameGuard::Next::nothing;
        while (next == FrameGuard::Next::nothing || next == FrameGuard::Next::later) {
            boost::system::error_code ec;
            rest.remove_prefix(connection.server.write_some(boost::asio::buffer(rest.data(), rest.size()), ec));
            guard.begin_turn();
            next = guard.next(descriptor, FrameDue{&shape});
            ASSERT_LT(std::chrono::steady_clock::now(), deadline);
        }
        std::string taken(expected.size(), '\0');
        if (next == FrameGuard::Next::kept) {
            taken = guard.take_kept();
            ++kept;
        } else {
            ASSERT_EQ(next, FrameGuard::Next::frame);
            ASSERT_EQ(::recv(descriptor, taken.data(), taken.size(), MSG_WAITALL), std::ssize(taken));
        }
        EXPECT_TRUE(taken == expected) << size;
    }
    EXPECT_EQ(kept, 3u);
}

TEST(FrameGuard, AFrameThatTheSocketCannotHoldIsKeptUntilItIsWhole) {
    Connection connection;
    expect_large_frames_kept(connection);
    Pair pair;
    expect_large_frames_kept(pair);
}

/// A frame that the socket can hold, and a frame that is read out of it.
void expect_length_of_partial_frame(auto& connection, std::size_t bytes) {
    const int descriptor = connection.client.native_handle();
    FrameGuard guard;
    guard.begin_socket();
    const ReplyShape shape{ReplyPart::data, ReplyPart::stat};
    const auto look = [&] {
        guard.begin_turn();
        return guard.next(descriptor, FrameDue{&shape});
    };
    const std::string frame = data_frame(bytes);
    const auto await = [&](std::size_t length) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
        while (guard.arriving() != length && std::chrono::steady_clock::now() < deadline) look();
        return guard.arriving();
    };
    look();
    EXPECT_EQ(guard.arriving(), 0U);
    boost::asio::write(connection.server, boost::asio::buffer(frame.data(), 1'000));
    EXPECT_EQ(await(frame.size() - length_size), frame.size() - length_size);
    guard.begin_socket();
    EXPECT_EQ(guard.arriving(), 0U) << "another connection has another frame";
}

TEST(FrameGuard, KnowsTheLengthOfAFrameThatHasArrivedInPart) {
    for (const std::size_t bytes : {10'000U, 50'000'000U}) {
        Connection connection;
        expect_length_of_partial_frame(connection, bytes);
        Pair pair;
        expect_length_of_partial_frame(pair, bytes);
    }
}

TEST(FrameGuard, NoFrameArrivesInPartAfterAWholeOne) {
    Connection connection;
    const int descriptor = connection.client.native_handle();
    FrameGuard guard;
    guard.begin_socket();
    const ReplyShape shape{ReplyPart::data, ReplyPart::stat};
    const std::string frame = data_frame(50'000);
    const auto send = [&](std::string_view bytes) {
        boost::asio::write(connection.server, boost::asio::buffer(bytes.data(), bytes.size()));
    };
    const auto await = [&](FrameGuard::Next wanted) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
        auto next = FrameGuard::Next::later;
        while (next != wanted && std::chrono::steady_clock::now() < deadline) {
            guard.begin_turn();
            next = guard.next(descriptor, FrameDue{&shape});
        }
        return next;
    };
    send(std::string_view(frame).substr(0, 1'000));
    send(std::string_view(frame).substr(1'000));
    ASSERT_EQ(await(FrameGuard::Next::frame), FrameGuard::Next::frame);
    EXPECT_EQ(guard.arriving(), 0U);
}

class TooLargeAnswer : public ::testing::TestWithParam<ReplyPart> {};

void expect_error_in_its_place(auto& connection, ReplyPart part, std::size_t head_piece = reply_head_size) {
    const int descriptor = connection.client.native_handle();
    FrameGuard guard;
    guard.begin_socket();
    const ReplyShape shape{part, ReplyPart::stat};
    const std::size_t size = longest_frame + 5'000;
    std::string head = big_endian(static_cast<std::int32_t>(size - 4)) + big_endian(7) + std::string(8, '\1') + big_endian(0);
    ASSERT_EQ(head.size(), reply_head_size);
    const ReplyShape small_shape{ReplyPart::data, ReplyPart::stat};
    const std::string behind = data_frame(10);
    std::size_t sent = 0;
    const std::string filling(1U << 20U, 'x');
    auto next = FrameGuard::Next::nothing;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (next == FrameGuard::Next::nothing || next == FrameGuard::Next::later) {
        boost::system::error_code ec;
        const auto write = [&](std::string_view bytes) {
            sent += connection.server.write_some(boost::asio::buffer(bytes.data(), bytes.size()), ec);
        };
        if (sent < head.size()) write(std::string_view(head).substr(sent, head_piece));
        else if (sent < size) write(std::string_view(filling).substr(0, size - sent));
        guard.begin_turn();
        next = guard.next(descriptor, FrameDue{&shape});
        ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
    ASSERT_EQ(next, FrameGuard::Next::kept);
    const auto length = static_cast<std::int32_t>(size - length_size);
    EXPECT_EQ(guard.take_kept(), big_endian(16) + big_endian(7) + std::string(8, '\1') + big_endian(-length));
    boost::asio::write(connection.server, boost::asio::buffer(behind));
    guard.begin_turn();
    while ((next = guard.next(descriptor, FrameDue{&small_shape})) == FrameGuard::Next::nothing) guard.begin_turn();
    EXPECT_EQ(next, FrameGuard::Next::frame) << "what comes behind it is read as ever";
}

TEST_P(TooLargeAnswer, IsThrownAwayAndAnErrorStandsInItsPlace) {
    Connection connection;
    expect_error_in_its_place(connection, GetParam());
    Pair pair;
    expect_error_in_its_place(pair, GetParam());
}

TEST_P(TooLargeAnswer, IsThrownAwayAlsoIfItsHeadArrivesInPieces) {
    Connection connection;
    expect_error_in_its_place(connection, GetParam(), 3);
    Pair pair;
    expect_error_in_its_place(pair, GetParam(), 3);
}

INSTANTIATE_TEST_SUITE_P(OfAListOrOfData, TooLargeAnswer, ::testing::Values(ReplyPart::names, ReplyPart::data));

/// The C client must not read what the guard has refused.
TEST(FrameGuard, RefusedBytesAreNotLeftInTheSocket) {
    const auto expect_nothing_left = [](auto& connection) {
        boost::asio::write(connection.server, boost::asio::buffer(std::string(100, 'x')));
        pollfd readable{connection.client.native_handle(), POLLIN, 0};
        ASSERT_EQ(::poll(&readable, 1, 10'000), 1);
        shut_and_discard(connection.client.native_handle());
        std::string bytes(100, '\0');
        EXPECT_LE(::recv(connection.client.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT), 0);
    };
    Connection connection;
    expect_nothing_left(connection);
    Pair pair;
    expect_nothing_left(pair);
}

} // namespace
} // namespace docent::zk
