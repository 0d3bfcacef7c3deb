// SPDX-License-Identifier: Apache-2.0
#include "zk/input/shared_socket.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace docent::zk {

using std::chrono::steady_clock;

std::shared_ptr<SharedSocket> SharedSocket::make(posix::UniqueFd& socket, std::chrono::milliseconds longest_loan) {
    posix::UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
    posix::UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    auto bell = posix::Bell::make();
    if (!epoll || !timer || !bell) return nullptr;
    epoll_event input{.events = EPOLLIN, .data = {}};
    if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, timer.get(), &input) != 0) return nullptr;
    if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, socket.get(), &input) != 0) return nullptr;
    return std::make_shared<SharedSocket>(std::move(socket), std::move(epoll), std::move(timer), std::move(bell), longest_loan);
}

bool SharedSocket::lend() {
    const std::lock_guard lock(mutex_);
    if (has_ended_ || std::exchange(is_lent_, true)) return false;
    ++loans_;
    arm();
    if (!looked_at_) watch_loan();
    return true;
}

void SharedSocket::give_back() {
    const std::lock_guard lock(mutex_);
    is_lent_ = is_overdue_ = false;
    arm();
}

/// The timer is not stopped when a loan is over, which would be a system call for each: it looks at one in some ms.
void SharedSocket::watch_loan() {
    looked_at_ = steady_clock::now() + longest_loan_;
    watched_loan_ = loans_;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest_loan_);
    const std::chrono::nanoseconds rest = longest_loan_ - seconds;
    const itimerspec once{.it_interval = {}, .it_value = {.tv_sec = seconds.count(), .tv_nsec = rest.count()}};
    ::timerfd_settime(timer_.get(), 0, &once, nullptr);
}

void SharedSocket::look_at_loan() {
    const std::lock_guard lock(mutex_);
    if (!looked_at_ || steady_clock::now() < *looked_at_) return;
    looked_at_.reset();
    std::uint64_t times = 0;
    static_cast<void>(::read(timer_.get(), &times, sizeof times));
    if (!is_lent_) return;
    if (loans_ != watched_loan_) return watch_loan();
    is_overdue_ = true;
    arm();
}

bool SharedSocket::is_overdue() {
    const std::lock_guard lock(mutex_);
    return is_overdue_;
}

void SharedSocket::end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    if (is_lent_) bell_->ring();
}

bool SharedSocket::has_ended() {
    const std::lock_guard lock(mutex_);
    return has_ended_;
}

void SharedSocket::want_input(bool wanted) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(wants_input_, wanted) != wanted) arm();
}

void SharedSocket::want_room(bool wanted) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(wants_room_, wanted) != wanted) arm();
}

/// If there is something to read by now, the client's thread is woken, and by the end of a connection whoever has it.
void SharedSocket::arm() {
    const std::uint32_t input = is_lent_ && !is_overdue_ ? EPOLLRDHUP : EPOLLIN;
    epoll_event wanted{.events = (wants_input_ ? input : 0U) | (wants_room_ ? EPOLLOUT : 0U), .data = {}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket_.get(), &wanted); // what is there can be changed
}

void SharedInput::offer(std::shared_ptr<SharedSocket> socket) {
    const std::lock_guard lock(mutex_);
    sockets_.push_back(std::move(socket));
}

void SharedInput::withdraw(const std::shared_ptr<SharedSocket>& socket) {
    const std::lock_guard lock(mutex_);
    std::erase(sockets_, socket);
}

std::shared_ptr<SharedSocket> SharedInput::borrow() {
    const std::lock_guard lock(mutex_);
    return !sockets_.empty() && sockets_.back()->lend() ? sockets_.back() : nullptr;
}

} // namespace docent::zk
