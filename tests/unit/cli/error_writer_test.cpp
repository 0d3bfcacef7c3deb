// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.hpp"

#include "limits.hpp"
#include "posix/descriptors.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw posix::last_error("pipe2");
        reader = posix::UniqueFd(ends[0]);
        writer = posix::UniqueFd(ends[1]);
    }
    std::string read(std::size_t most) const {
        std::string text(most, '\0');
        text.resize(static_cast<std::size_t>(::read(reader.get(), text.data(), text.size())));
        return text;
    }
    std::size_t capacity() const { return static_cast<std::size_t>(::fcntl(writer.get(), F_GETPIPE_SZ)); }
    void fill(std::size_t count) const {
        ASSERT_EQ(::write(writer.get(), std::string(count, '.').data(), count), static_cast<ssize_t>(count));
    }
    posix::UniqueFd reader;
    posix::UniqueFd writer;
};

TEST(ErrorWriter, WithoutAThreadItWritesOnlyWithoutWaiting) {
    const test::NoThreads none;
    Pipe pipe;
    ErrorWriter errors(pipe.writer.get());
    errors.post("one\n");
    EXPECT_EQ(pipe.read(100), "one\n");
    EXPECT_TRUE(errors.flush(0ms));
    pipe.reader = {};
    errors.post("two\n"); // does not raise SIGPIPE
    EXPECT_TRUE(errors.flush(0ms));
}

/// The writer writes only if the pipe has room for the whole message.
TEST(ErrorWriter, WithoutAThreadItWritesNoMoreAtOnceThanAPipeHasRoomFor) {
    const Pipe pipe;
    const std::size_t filled = pipe.capacity() - PIPE_BUF;
    pipe.fill(filled);
    const test::NoThreads none;
    ErrorWriter errors(pipe.writer.get());
    errors.post(std::string(PIPE_BUF, 'x') + "and more\n");
    EXPECT_TRUE(errors.flush(0ms));
    errors.post("dropped\n");
    EXPECT_TRUE(errors.flush(0ms));
    EXPECT_EQ(pipe.read(filled), std::string(filled, '.'));
    EXPECT_EQ(pipe.read(2 * std::size_t{PIPE_BUF}), std::string(PIPE_BUF, 'x'));

    errors.post(std::string(2 * PIPE_BUF, 'y') + "\n");
    EXPECT_EQ(pipe.read(3 * std::size_t{PIPE_BUF}), std::string(2 * PIPE_BUF, 'y') + "\n") << "one after the other";
}

TEST(ErrorWriter, WritesInOrder) {
    const Pipe pipe;
    ErrorWriter errors(pipe.writer.get());
    errors.post("one\n");
    errors.post("two\n");
    EXPECT_TRUE(errors.flush(10s));
    EXPECT_EQ(pipe.read(100), "one\ntwo\n");
    EXPECT_TRUE(errors.is_writable());
}

TEST(ErrorWriter, NeverWaitsForAReader) {
    const Pipe pipe;
    const std::size_t full = pipe.capacity();
    pipe.fill(full);
    ErrorWriter errors(pipe.writer.get());
    for (int i = 0; i < 100; ++i) errors.post("x\n"); // lines that do not fit are dropped
    EXPECT_FALSE(errors.flush(1ms));
    EXPECT_FALSE(errors.is_writable());
    EXPECT_EQ(pipe.read(full), std::string(full, '.'));
    EXPECT_EQ(pipe.read(2), "x\n") << "it goes on as soon as somebody reads";
    EXPECT_TRUE(errors.flush(10s));
}

TEST(ErrorWriter, SurvivesAReaderThatHasGone) {
    Pipe pipe;
    pipe.reader.reset();
    ErrorWriter errors(pipe.writer.get());
    errors.post("nobody\n"); // a plain write(2) would raise SIGPIPE
    EXPECT_TRUE(errors.flush(10s));
}

/// Ends the process as the C++ library does when no function catches the exception.
template <typename Exception> void end_by(const Exception& exception) {
    try {
        throw exception;
    } catch (...) {
        std::terminate();
    }
}

TEST(OutOfMemory, EndsTheProcessWithOneLine) {
    const auto fail = [](const auto& exception) {
        end_when_out_of_memory();
        end_by(exception);
    };
    EXPECT_EXIT(fail(std::bad_alloc()), ::testing::ExitedWithCode(1), "^docent: out of memory\n$");
    EXPECT_EXIT(fail(std::runtime_error("a fault")), ::testing::KilledBySignal(SIGABRT), "a fault") << "other errors as usual";
}

} // namespace
} // namespace docent::cli
