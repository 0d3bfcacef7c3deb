// SPDX-License-Identifier: Apache-2.0

#include "cli/messages.hpp"
#include "posix/threads.hpp"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace docent::cli {
namespace {

constexpr std::size_t most_texts = 16;

/// Returns false, and sets errno, on a failure.
bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(fd, text.data(), text.size());
        if (count > 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) { // another process has made the descriptor non-blocking
            pollfd wanted{fd, POLLOUT, 0};
            ::poll(&wanted, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/// Writes without SIGPIPE, which would end the process if nobody reads.
ssize_t write_without_sigpipe(int fd, std::string_view text) {
    const posix::SignalsBlocked blocked;
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count >= 0 || errno != EPIPE) return count;
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    const timespec no_time{};
    ::sigtimedwait(&pipe, nullptr, &no_time);
    return count;
}

/// Writes on this thread as long as a write does not block. A pipe that is writable has room for PIPE_BUF bytes; a longer write
/// waits for a reader.
void write_at_once(int fd, std::string_view text) {
    while (!text.empty() && takes_text(fd)) {
        const ssize_t count = write_without_sigpipe(fd, text.substr(0, PIPE_BUF));
        if (count <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
}

} // namespace

bool takes_text(int fd) {
    pollfd wanted{fd, POLLOUT, 0};
    return ::poll(&wanted, 1, 0) > 0;
}

ErrorWriter::ErrorWriter(int fd) : shared_(std::make_shared<Shared>(fd)) {}

/// The thread runs while there is text to write. If no thread can be started, writes as much as possible at once.
void ErrorWriter::post(std::string text) {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->texts.size() >= most_texts) return;
    shared_->texts.push_back(std::move(text));
    if (shared_->running) return;
    try {
        posix::start_quiet_thread([shared = shared_] { run(shared); }).detach();
        shared_->running = true;
    } catch (const std::system_error&) {
        for (const std::string& each : std::exchange(shared_->texts, {})) write_at_once(shared_->fd, each);
    }
}

bool ErrorWriter::flush(std::chrono::milliseconds longest) {
    std::unique_lock lock(shared_->mutex);
    return shared_->changed.wait_for(lock, longest, [&] { return shared_->texts.empty(); });
}

bool ErrorWriter::is_writable() const {
    return takes_text(shared_->fd);
}

void ErrorWriter::run(const std::shared_ptr<Shared>& shared) {
    std::unique_lock lock(shared->mutex);
    while (!shared->texts.empty()) {
        const std::string text = shared->texts.front();
        lock.unlock();
        write_all(shared->fd, text);
        lock.lock();
        shared->texts.pop_front();
    }
    shared->running = false;
    shared->changed.notify_all();
}

namespace {

/// Control characters must not reach a terminal, which would obey them. They come from the command line and from nodes.
bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

/// The writer is never destroyed: its thread may still write when the process ends.
ErrorWriter& errors() {
    static auto* const writer = new ErrorWriter(STDERR_FILENO);
    return *writer;
}

} // namespace

void post_error(std::string_view line) {
    std::string text = "docent: ";
    for (const char c : line) text += is_control(c) ? ' ' : c;
    text += '\n';
    errors().post(std::move(text)); // in one write, so that lines of other processes do not mix in
}

/// Waits one second if nobody reads, and up to 15 s if the thread of the writer gets no processor.
void flush_errors() {
    constexpr int seconds = 15;
    for (int i = 0; i < seconds && !errors().flush(std::chrono::seconds(1)) && errors().is_writable(); ++i) {
    }
}

void print_error(std::string_view line) {
    post_error(line);
    flush_errors();
}

namespace {

std::terminate_handler usual_end = nullptr;

/// Needs no memory.
void on_terminate() {
    try {
        if (const auto failure = std::current_exception()) std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
        write_at_once(STDERR_FILENO, "docent: out of memory\n");
        ::_exit(exit_code::failure);
    } catch (...) { // the usual handler reports it
    }
    usual_end();
}

} // namespace

void end_when_out_of_memory() {
    if (usual_end == nullptr) usual_end = std::set_terminate(on_terminate);
}

void print(std::string_view bytes) {
    if (!write_all(STDOUT_FILENO, bytes))
        throw std::runtime_error(std::string("cannot write to standard output: ") + std::strerror(errno));
}

} // namespace docent::cli
