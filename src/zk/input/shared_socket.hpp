// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/bell.hpp"
#include "posix/descriptors.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace docent::zk {

/// A connection's socket, for two who may wait for what comes by it: the client's thread, which is told by an epoll descriptor
/// around it, and one other that has nothing better to do until its answer is there. While that one has it, the first is not
/// woken: one thread is woken for an answer instead of two. Who has it for too long, since it gets no processor, has it with
/// the client's thread. Lasts as long as either needs it, whatever becomes of the other.
class SharedSocket {
public:
    /// Null when there is no descriptor for it; then the socket is the caller's still.
    static std::shared_ptr<SharedSocket> make(posix::UniqueFd& socket, std::chrono::milliseconds longest_loan);
    SharedSocket(posix::UniqueFd socket, posix::UniqueFd epoll, posix::UniqueFd timer, std::shared_ptr<posix::Bell> bell,
                 std::chrono::milliseconds longest_loan)
        : socket_(std::move(socket)), epoll_(std::move(epoll)), timer_(std::move(timer)), bell_(std::move(bell)),
          longest_loan_(longest_loan) {}
    SharedSocket(const SharedSocket&) = delete;
    SharedSocket& operator=(const SharedSocket&) = delete;

    int socket() const { return socket_.get(); }
    /// Readable when the client's thread has something to do.
    int epoll() const { return epoll_.get(); }
    /// For who borrows it, to be woken by.
    const std::shared_ptr<posix::Bell>& bell() const { return bell_; }

    // From any thread:
    /// False if somebody has it, or it has ended.
    bool lend();
    void give_back();
    /// Each time that the client's thread is woken: has it read, too, from when a loan has lasted for once to twice as long as
    /// the longest may.
    void look_at_loan();
    bool is_overdue();
    /// Who has it had better give it back.
    void end();
    bool has_ended();
    void want_input(bool wanted);
    void want_room(bool wanted); // to write

    /// On the strand: whether somebody has read what has arrived.
    bool read_now() const {
        const auto call = read_; // it may end this
        return call && call();
    }
    /// On the strand.
    void set_reader(std::function<bool()> read) { read_ = std::move(read); }

private:
    void arm();
    void watch_loan();

    posix::UniqueFd socket_;
    posix::UniqueFd epoll_;
    posix::UniqueFd timer_; // in the epoll descriptor, too
    std::shared_ptr<posix::Bell> bell_;
    std::chrono::milliseconds longest_loan_;
    std::mutex mutex_;
    bool is_lent_ = false;
    bool is_overdue_ = false;
    std::uint64_t loans_ = 0;
    std::uint64_t watched_loan_ = 0; // by the timer, which goes on when that is over
    std::optional<std::chrono::steady_clock::time_point> looked_at_;
    bool has_ended_ = false;
    bool wants_input_ = true;
    bool wants_room_ = false;
    std::function<bool()> read_; // on the strand
};

/// Where the sockets of the present connections are to be had, the session's and that of a probe beside it; from any thread.
class SharedInput {
public:
    explicit SharedInput(std::chrono::milliseconds longest_loan = std::chrono::milliseconds{10})
        : longest_loan_(longest_loan) {}

    std::chrono::milliseconds longest_loan() const { return longest_loan_; }
    void offer(std::shared_ptr<SharedSocket> socket);
    void withdraw(const std::shared_ptr<SharedSocket>& socket);
    /// The one that was offered last. Null if there is none, or somebody has it.
    std::shared_ptr<SharedSocket> borrow();

private:
    std::chrono::milliseconds longest_loan_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<SharedSocket>> sockets_;
};

} // namespace docent::zk
