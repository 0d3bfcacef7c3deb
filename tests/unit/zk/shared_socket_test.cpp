// SPDX-License-Identifier: Apache-2.0

// A socket that a thread which waits for its answer may read instead of the client's own.

#include "zk/input/shared_socket.hpp"

#include "descriptor_limit.hpp"
#include "posix/descriptors.hpp"
#include "zk/event_loop.hpp"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace docent::zk {
namespace {

bool is_readable(int descriptor) {
    pollfd polled{descriptor, POLLIN, 0};
    return ::poll(&polled, 1, 0) > 0;
}

class SharedSocketTest : public ::testing::Test {
protected:
    SharedSocketTest() {
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_.data()), 0);
        watch();
    }
    ~SharedSocketTest() override {
        for (const int end : ends_) ::close(end);
    }

    void watch() {
        error_code ec;
        socket = loop->make_socket(ends_[0], ec);
        EXPECT_FALSE(ec);
        expect_input();
    }
    void expect_input() {
        socket->on_readable([this] { on_input(); });
    }
    void on_input() {
        std::array<char, 64> arrived{};
        const auto count = ::recv(ends_[0], arrived.data(), arrived.size(), 0);
        if (count > 0) seen.append(arrived.data(), static_cast<std::size_t>(count));
        expect_input();
    }
    void arrive(std::string_view text) const {
        EXPECT_EQ(::send(ends_[1], text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    }
    /// As a server does that ends: what we would send may still arrive.
    void hang_up() const { ::shutdown(ends_[1], SHUT_WR); }
    void fill() const {
        const std::array<char, 4096> much{};
        while (::send(ends_[0], much.data(), much.size(), 0) > 0) {
        }
    }
    /// The client's thread runs until so many bytes are there.
    void await(int bytes) {
        context.restart();
        while (seen.size() < static_cast<std::size_t>(bytes)) context.run_one();
    }
    /// What the client's thread would do by itself, without an end where a connection is over; how much that was.
    int run() {
        context.restart();
        int done = 0;
        while (done < 10 && context.poll_one() > 0) ++done;
        return done;
    }

    boost::asio::io_context context;
    std::shared_ptr<SharedInput> input = std::make_shared<SharedInput>(std::chrono::hours{1});
    std::shared_ptr<EventLoop> loop = make_event_loop(context.get_executor(), input);
    std::unique_ptr<EventLoop::Socket> socket;
    std::string seen;
    std::array<int, 2> ends_{};
};

TEST_F(SharedSocketTest, IsReadByTheClientsThreadAsLongAsNobodyElseWants) {
    for (const auto* text : {"a", "b", "c"}) {
        arrive(text);
        EXPECT_GT(run(), 0);
    }
    EXPECT_EQ(seen, "abc");
}

TEST_F(SharedSocketTest, WhoBorrowsItReadsAndTheClientsThreadSleeps) {
    const auto borrowed = input->borrow();
    ASSERT_TRUE(borrowed);
    for (const auto* text : {"a", "b", "c"}) {
        EXPECT_FALSE(is_readable(borrowed->socket()));
        arrive(text);
        EXPECT_TRUE(is_readable(borrowed->socket()));
        EXPECT_EQ(run(), 0);
        EXPECT_TRUE(borrowed->read_now());
    }
    EXPECT_EQ(seen, "abc");
}

TEST_F(SharedSocketTest, WhatIsLeftWhenItIsGivenBackIsReadByTheClientsThread) {
    for (int again = 0; again < 3; ++again) {
        const auto borrowed = input->borrow();
        ASSERT_TRUE(borrowed);
        arrive("a");
        EXPECT_TRUE(borrowed->read_now());
        arrive("b");
        EXPECT_EQ(run(), 0);
        borrowed->give_back();
        EXPECT_GT(run(), 0);
        arrive("c");
        EXPECT_GT(run(), 0);
    }
    EXPECT_EQ(seen, "abcabcabc");
}

/// The client's thread may be on its way already.
TEST_F(SharedSocketTest, WhatArrivedBeforeItWasBorrowedIsReadOnce) {
    arrive("a");
    const auto borrowed = input->borrow();
    ASSERT_TRUE(borrowed);
    EXPECT_TRUE(is_readable(borrowed->socket()));
    EXPECT_TRUE(borrowed->read_now());
    run();
    arrive("b");
    borrowed->give_back();
    run();
    EXPECT_EQ(seen, "ab");
}

TEST_F(SharedSocketTest, OneAtATimeBorrowsIt) {
    const auto borrowed = input->borrow();
    EXPECT_TRUE(borrowed);
    EXPECT_FALSE(input->borrow());
    borrowed->give_back();
    EXPECT_TRUE(input->borrow());
}

TEST_F(SharedSocketTest, NobodyReadsWhatTheReactorDoesNotWant) {
    const auto borrowed = input->borrow();
    socket->on_readable(nullptr);
    arrive("a");
    EXPECT_FALSE(borrowed->read_now());
    borrowed->give_back();
    run();
    EXPECT_EQ(seen, "");
    expect_input(); // it looks again
    run();
    EXPECT_EQ(seen, "a");
}

TEST_F(SharedSocketTest, RoomToWriteIsTheClientsThreadsAlsoWhileItIsBorrowed) {
    const auto borrowed = input->borrow();
    bool told = false;
    socket->on_writable([&] { told = true; });
    arrive("a");
    run();
    EXPECT_TRUE(told);
    EXPECT_EQ(run(), 0) << "once";
    borrowed->give_back();
    run();
    EXPECT_EQ(seen, "a");
}

TEST_F(SharedSocketTest, AnEndIsSeenByBoth) {
    const auto borrowed = input->borrow();
    hang_up();
    EXPECT_TRUE(is_readable(borrowed->socket()));
    EXPECT_TRUE(borrowed->read_now());
    EXPECT_GT(run(), 0);
}

TEST_F(SharedSocketTest, WhoBorrowsOneThatIsForgottenIsTold) {
    const auto borrowed = input->borrow();
    EXPECT_FALSE(borrowed->has_ended());
    EXPECT_FALSE(is_readable(borrowed->bell()->descriptor()));
    socket.reset();
    EXPECT_TRUE(borrowed->has_ended());
    EXPECT_TRUE(is_readable(borrowed->bell()->descriptor()));
    arrive("a");
    EXPECT_FALSE(borrowed->read_now());
    borrowed->give_back();
    EXPECT_FALSE(input->borrow());
    run();
    EXPECT_EQ(seen, "");

    watch(); // the next connection
    const auto next = input->borrow();
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->read_now());
    EXPECT_EQ(seen, "a");
}

TEST_F(SharedSocketTest, WhoHasItForTooLongDoesNotKeepOthersFromReading) {
    input = std::make_shared<SharedInput>(std::chrono::milliseconds{1});
    loop = make_event_loop(context.get_executor(), input);
    watch();
    for (int again = 0; again < 3; ++again) {
        const auto borrowed = input->borrow();
        ASSERT_TRUE(borrowed);
        arrive("a");
        await(3 * again + 1);
        EXPECT_TRUE(borrowed->is_overdue());
        EXPECT_FALSE(input->borrow()) << "it has it still";
        arrive("b");
        await(3 * again + 2);
        arrive("c");
        EXPECT_TRUE(borrowed->read_now());
        borrowed->give_back();
        EXPECT_FALSE(borrowed->is_overdue());
    }
    EXPECT_EQ(seen, "abcabcabc");
}

/// The timer goes on from one to the next.
TEST_F(SharedSocketTest, ManyShortLoansAreNotTakenForALongOne) {
    posix::UniqueFd copy(::dup(ends_[0]));
    const auto shared = SharedSocket::make(copy, std::chrono::milliseconds{1});
    ASSERT_TRUE(shared);
    const auto await_timer = [&] {
        pollfd polled{shared->epoll(), POLLIN, 0};
        EXPECT_EQ(::poll(&polled, 1, -1), 1);
        shared->look_at_loan();
    };
    for (int again = 0; again < 3; ++again) {
        EXPECT_TRUE(shared->lend());
        shared->give_back();
        EXPECT_TRUE(shared->lend());
        await_timer();
        EXPECT_FALSE(shared->is_overdue()) << "the one before";
        await_timer();
        EXPECT_TRUE(shared->is_overdue());
        shared->give_back();
    }
}

TEST_F(SharedSocketTest, WhatIsNotToBeReadDoesNotWakeWhoWaitsForRoom) {
    socket->on_readable(nullptr);
    fill();
    bool told = false;
    socket->on_writable([&] { told = true; });
    arrive("a");
    EXPECT_LT(run(), 5);
    EXPECT_FALSE(told);
    expect_input();
    run();
    EXPECT_EQ(seen, "a");
}

TEST_F(SharedSocketTest, TheLastOfTwoIsBorrowedAndThenTheOther) {
    error_code ec;
    auto beside = loop->make_socket(ends_[1], ec);
    EXPECT_FALSE(ec);
    const auto last = input->borrow();
    ASSERT_TRUE(last);
    beside.reset();
    const auto first = input->borrow();
    ASSERT_TRUE(first);
    EXPECT_NE(first, last);
}

TEST_F(SharedSocketTest, MayEndWithinWhatItCalls) {
    const auto borrowed = input->borrow();
    socket->on_readable([this] { socket.reset(); });
    arrive("a");
    EXPECT_TRUE(borrowed->read_now());
    EXPECT_FALSE(borrowed->read_now());
    borrowed->give_back();

    watch();
    socket->on_readable([this] { socket.reset(); });
    socket->on_writable([this] { socket.reset(); });
    run();
    EXPECT_FALSE(socket);
    EXPECT_FALSE(input->borrow());
}

TEST_F(SharedSocketTest, WithoutDescriptorsForItTheClientsThreadReads) {
    socket.reset();
    {
        const test::DescriptorLimit limit(2); // the copy of the socket, and one more
        error_code ec;
        socket = loop->make_socket(ends_[0], ec);
        EXPECT_FALSE(ec);
    }
    expect_input(); // UndefinedBehaviorSanitizer needs a descriptor to check a virtual call
    EXPECT_FALSE(input->borrow());
    arrive("a");
    run();
    EXPECT_EQ(seen, "a");
}

} // namespace
} // namespace docent::zk
