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
#include <memory>
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

/// A guard at the client's end of a connection, which carries replies with data.
template <typename Ends> struct Guarded {
    explicit Guarded(ReplyPart part = ReplyPart::data) : shape{part, ReplyPart::stat} { guard.begin_socket(); }

    using Next = FrameGuard::Next;
    Next next() { return guard.next(descriptor, FrameDue{&shape}); }
    Next next_turn() {
        guard.begin_turn();
        return next();
    }
    /// Looks until `done(next)`, or for a minute. `before`: called before each look.
    template <typename Done, typename Before> Next look_until(const Done& done, const Before& before) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
        Next seen;
        do {
            before();
            seen = next_turn();
        } while (!done(seen) && std::chrono::steady_clock::now() < deadline);
        return seen;
    }
    Next await(Next wanted) {
        return look_until([wanted](Next seen) { return seen == wanted; }, [] {});
    }
    static bool is_here(Next seen) { return seen != Next::nothing && seen != Next::later; }
    void send(std::string_view bytes) { boost::asio::write(ends.server, boost::asio::buffer(bytes.data(), bytes.size())); }
    /// Sends what the connection takes now. Returns its length.
    std::size_t send_some(std::string_view bytes) {
        boost::system::error_code ec;
        return ends.server.write_some(boost::asio::buffer(bytes.data(), bytes.size()), ec);
    }
    std::string read(std::size_t length) {
        std::string taken(length, '\0');
        EXPECT_EQ(::recv(descriptor, taken.data(), taken.size(), MSG_WAITALL), std::ssize(taken));
        return taken;
    }
    bool wakes(int longest = 60'000) {
        pollfd readable{descriptor, POLLIN, 0};
        return ::poll(&readable, 1, longest) == 1;
    }

    Ends ends;
    const int descriptor = ends.client.native_handle();
    FrameGuard guard;
    const ReplyShape shape;
};
using Next = FrameGuard::Next;

/// Bytes that are not read yet take room from the bytes behind them: the kernel counts a whole packet until its last byte is
/// read.
TEST(FrameGuard, FramesOfAnySizeArriveWhereverOneEndsInAPacket) {
    Guarded<Connection> guarded;
    std::size_t expected = 0, seen = 0, sent = 0;
    std::string stream;
    for (int i = 0; i < 400; ++i, ++expected) stream += data_frame(static_cast<std::size_t>(57'000 + 37 * i));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (seen < expected) {
        sent += guarded.send_some(std::string_view(stream).substr(sent));
        const auto next = guarded.next_turn();
        ASSERT_NE(next, Next::refused);
        if (next == Next::frame) {
            guarded.read(data_frame(57'000 + 37 * seen++).size());
            ASSERT_FALSE(HasFailure());
            continue;
        }
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << seen << " frames have arrived, and there is no room for more";
        pollfd either[] = {{guarded.descriptor, POLLIN, 0},
                           {guarded.ends.server.native_handle(), static_cast<short>(sent < stream.size() ? POLLOUT : 0), 0}};
        ::poll(either, 2, 20);
    }
}

/// In one turn of the loop, the C client reads only what the look found. Later bytes wake the loop again.
TEST(FrameGuard, BytesSinceTheLookAreForTheNextTurn) {
    Guarded<Connection> guarded;
    const std::string frame = data_frame(100);
    guarded.send(frame);
    ASSERT_EQ(guarded.await(Next::frame), Next::frame);
    guarded.read(frame.size());
    guarded.send(frame);
    EXPECT_EQ(guarded.next(), Next::nothing);
    ASSERT_EQ(guarded.await(Next::frame), Next::frame);
    guarded.read(frame.size());
    guarded.ends.server.close();
    EXPECT_EQ(guarded.next(), Next::nothing);
    EXPECT_EQ(guarded.await(Next::ended), Next::ended);
}

/// While a frame arrives in pieces, the socket wakes the loop only for the whole frame. The frame behind it may be smaller.
TEST(FrameGuard, TheSocketWakesForASmallFrameBehindALargeOneInPieces) {
    Guarded<Connection> guarded;
    const std::string large = data_frame(50'000);
    guarded.send(std::string_view(large).substr(0, 1'000));
    ASSERT_TRUE(guarded.wakes());
    ASSERT_EQ(guarded.next_turn(), Next::nothing);
    guarded.send(std::string_view(large).substr(1'000));
    ASSERT_EQ(guarded.await(Next::frame), Next::frame);
    guarded.read(large.size());
    guarded.send(data_frame(10));
    EXPECT_TRUE(guarded.wakes(10'000));
}

/// The socket's receive buffer holds less than half of the larger frames.
template <typename Ends> void expect_large_frames_kept() {
    Guarded<Ends> guarded;
    constexpr int small = 32 << 10;
    ASSERT_EQ(::setsockopt(guarded.descriptor, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    const std::vector<std::size_t> sizes{100, 3'000'000, 200, 1'000'000, 2'000'000, 300};
    std::string stream;
    for (const auto size : sizes) stream += data_frame(size);
    std::string_view rest = stream;
    std::size_t kept = 0;
    for (const auto size : sizes) {
        const std::string expected = data_frame(size);
        const auto next = guarded.look_until(guarded.is_here, [&] { rest.remove_prefix(guarded.send_some(rest)); });
        ASSERT_TRUE(next == Next::kept || next == Next::frame);
        EXPECT_TRUE((next == Next::kept ? guarded.guard.take_kept() : guarded.read(expected.size())) == expected) << size;
        kept += next == Next::kept ? 1 : 0;
    }
    EXPECT_EQ(kept, 3u);
}

TEST(FrameGuard, AFrameThatTheSocketCannotHoldIsKeptUntilItIsWhole) {
    expect_large_frames_kept<Connection>();
    expect_large_frames_kept<Pair>();
}

/// `bytes`: a frame that the socket can hold, or a larger frame that the guard reads out of the socket.
template <typename Ends> void expect_length_of_partial_frame(std::size_t bytes) {
    Guarded<Ends> guarded;
    const std::string frame = data_frame(bytes);
    guarded.next_turn();
    EXPECT_EQ(guarded.guard.arriving(), 0U);
    guarded.send(std::string_view(frame).substr(0, 1'000));
    guarded.look_until([&](Next) { return guarded.guard.arriving() == frame.size() - length_size; }, [] {});
    EXPECT_EQ(guarded.guard.arriving(), frame.size() - length_size);
    guarded.guard.begin_socket();
    EXPECT_EQ(guarded.guard.arriving(), 0U) << "another connection has another frame";
}

TEST(FrameGuard, KnowsTheLengthOfAFrameThatHasArrivedInPart) {
    for (const std::size_t bytes : {10'000U, 50'000'000U}) {
        expect_length_of_partial_frame<Connection>(bytes);
        expect_length_of_partial_frame<Pair>(bytes);
    }
}

TEST(FrameGuard, NoFrameArrivesInPartAfterAWholeOne) {
    Guarded<Connection> guarded;
    const std::string frame = data_frame(50'000);
    guarded.send(std::string_view(frame).substr(0, 1'000));
    guarded.send(std::string_view(frame).substr(1'000));
    ASSERT_EQ(guarded.await(Next::frame), Next::frame);
    EXPECT_EQ(guarded.guard.arriving(), 0U);
}

class TooLargeAnswer : public ::testing::TestWithParam<ReplyPart> {};

template <typename Ends> void expect_error_in_its_place(ReplyPart part, std::size_t head_piece = reply_head_size) {
    Guarded<Ends> guarded(part);
    const std::size_t size = longest_frame + 5'000;
    std::string head = big_endian(static_cast<std::int32_t>(size - 4)) + big_endian(7) + std::string(8, '\1') + big_endian(0);
    ASSERT_EQ(head.size(), reply_head_size);
    const std::string filling(1U << 20U, 'x');
    std::size_t sent = 0;
    const auto next = guarded.look_until(guarded.is_here, [&] {
        if (sent < head.size()) sent += guarded.send_some(std::string_view(head).substr(sent, head_piece));
        else if (sent < size) sent += guarded.send_some(std::string_view(filling).substr(0, size - sent));
    });
    ASSERT_EQ(next, Next::kept);
    const auto length = static_cast<std::int32_t>(size - length_size);
    EXPECT_EQ(guarded.guard.take_kept(), big_endian(16) + big_endian(7) + std::string(8, '\1') + big_endian(-length));
    guarded.send(data_frame(10));
    const ReplyShape small_shape{ReplyPart::data, ReplyPart::stat};
    auto behind = Next::nothing;
    while (behind == Next::nothing) {
        guarded.guard.begin_turn();
        behind = guarded.guard.next(guarded.descriptor, FrameDue{&small_shape});
    }
    EXPECT_EQ(behind, Next::frame) << "what comes behind it is read as ever";
}

TEST_P(TooLargeAnswer, IsThrownAwayAndAnErrorStandsInItsPlace) {
    expect_error_in_its_place<Connection>(GetParam());
    expect_error_in_its_place<Pair>(GetParam());
}

TEST_P(TooLargeAnswer, IsThrownAwayAlsoIfItsHeadArrivesInPieces) {
    expect_error_in_its_place<Connection>(GetParam(), 3);
    expect_error_in_its_place<Pair>(GetParam(), 3);
}

INSTANTIATE_TEST_SUITE_P(OfAListOrOfData, TooLargeAnswer, ::testing::Values(ReplyPart::names, ReplyPart::data));

/// The C client must not read what the guard has refused.
TEST(FrameGuard, RefusedBytesAreNotLeftInTheSocket) {
    const auto expect_nothing_left = [](auto guarded) {
        guarded->send(std::string(100, 'x'));
        ASSERT_TRUE(guarded->wakes(10'000));
        shut_and_discard(guarded->descriptor);
        std::string bytes(100, '\0');
        EXPECT_LE(::recv(guarded->descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT), 0);
    };
    expect_nothing_left(std::make_unique<Guarded<Connection>>());
    expect_nothing_left(std::make_unique<Guarded<Pair>>());
}

} // namespace
} // namespace docent::zk
