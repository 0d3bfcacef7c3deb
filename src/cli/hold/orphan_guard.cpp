// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/orphan_guard.hpp"

#include "cli/hold/marked_processes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace docent::cli {

using namespace std::chrono_literals;

namespace {

// What goes through the socket: an entry and `armed` when a program is about to start, `disarmed` when it has ended.
constexpr char armed = '\n';
constexpr char disarmed = '\0';

/// Everything that is written until the last writer is gone.
std::string read_to_end(int fd) {
    std::string text;
    std::array<char, 4096> block{};
    for (;;) {
        const ssize_t count = ::read(fd, block.data(), block.size());
        if (count > 0) text.append(block.data(), static_cast<std::size_t>(count));
        if (count == 0 || (count < 0 && errno != EINTR)) return text;
    }
}

/// Away from the terminal and its signals, and from every descriptor whose other end somebody may be waiting for.
/// Standard input is the socket then.
void detach(int from_owner) {
    ::setsid();
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::signal(number, SIG_IGN);
    ::dup2(from_owner, STDIN_FILENO);
    ::close_range(1, ~0U, 0);
    // When we run under another docent's lock, its guard must not take us for one of the processes to be killed.
    for (char** entry = environ; *entry != nullptr; ++entry) std::memset(*entry, 0, std::strlen(*entry));
}

[[noreturn]] void guard(int from_owner) {
    detach(from_owner);
    std::string entry = read_to_end(STDIN_FILENO);
    if (!entry.empty() && entry.back() == armed) {
        entry.pop_back();
        for (auto pause = 1ms; signal_processes_marked(entry, SIGKILL);
             pause = std::min<std::chrono::milliseconds>(2 * pause, 1s)) {
            std::this_thread::sleep_for(pause); // they may be starting others meanwhile
        }
    }
    ::_exit(0);
}

void write_all(int fd, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t count = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) return; // the guard was killed
        if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    }
}

} // namespace

OrphanGuard::OrphanGuard() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw std::system_error(errno, std::generic_category(), "socketpair");
    }
    const Descriptor from_owner(ends[0]);
    to_guard_ = Descriptor(ends[1]);
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {
        to_guard_.reset();
        guard(from_owner.get());
    }
}

OrphanGuard::~OrphanGuard() {
    to_guard_.reset();
    ::waitpid(pid_, nullptr, 0);
}

void OrphanGuard::watch_over(std::string_view environment_entry) {
    write_all(to_guard_.get(), environment_entry);
    write_all(to_guard_.get(), {&armed, 1});
}

void OrphanGuard::stand_down() {
    write_all(to_guard_.get(), {&disarmed, 1});
}

} // namespace docent::cli
