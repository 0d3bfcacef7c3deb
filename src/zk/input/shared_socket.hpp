// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/bell.hpp"
#include "posix/unique_fd.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace docent::zk {

/// A connection's socket, for two who may wait for what comes by it: the client's thread, which is told by an epoll descriptor
/// around it, and one other that has nothing better to do until its answer is there. While that one has it, the first is not
/// woken: one thread is woken for an answer instead of two. Lasts as long as either needs it, whatever becomes of the other.
class SharedSocket {
public:
    /// Null when there is no descriptor for it; then the socket is the caller's still.
    static std::shared_ptr<SharedSocket> make(posix::UniqueFd& socket);
    SharedSocket(posix::UniqueFd socket, posix::UniqueFd epoll, std::shared_ptr<posix::Bell> bell)
        : socket_(std::move(socket)), epoll_(std::move(epoll)), bell_(std::move(bell)) {}
    SharedSocket(const SharedSocket&) = delete;
    SharedSocket& operator=(const SharedSocket&) = delete;

    int socket() const { return socket_.get(); }
    /// Readable when the client's thread has something to do.
    int epoll() const { return epoll_.get(); }
    /// For who borrows it, to be woken by.
    const std::shared_ptr<posix::Bell>& bell() const { return bell_; }

    /// From any thread. False if somebody has it, or it has ended.
    bool lend();
    void give_back();
    /// Who has it had better give it back.
    void end();
    bool has_ended();
    void want_room(bool wanted); // to write

    /// On the strand: whether somebody has read what has arrived.
    bool read_now() const {
        const auto call = read_; // it may end this
        return call && call();
    }
    void set_reader(std::function<bool()> read) { read_ = std::move(read); }

private:
    void arm();

    posix::UniqueFd socket_;
    posix::UniqueFd epoll_;
    std::shared_ptr<posix::Bell> bell_;
    std::mutex mutex_;
    bool is_lent_ = false;
    bool has_ended_ = false;
    bool wants_room_ = false;
    std::function<bool()> read_; // on the strand
};

/// Where the socket of the present connection is to be had; from any thread.
class SharedInput {
public:
    void offer(std::shared_ptr<SharedSocket> socket);
    void withdraw(const std::shared_ptr<SharedSocket>& socket);
    /// Null if there is none, or somebody has it.
    std::shared_ptr<SharedSocket> borrow();

private:
    std::mutex mutex_;
    std::shared_ptr<SharedSocket> socket_;
};

} // namespace docent::zk
