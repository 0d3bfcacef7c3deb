// SPDX-License-Identifier: Apache-2.0
#include "zk/input/shared_socket.hpp"

#include <sys/epoll.h>

namespace docent::zk {

std::shared_ptr<SharedSocket> SharedSocket::make(posix::UniqueFd& socket) {
    posix::UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
    auto bell = posix::Bell::make();
    epoll_event input{.events = EPOLLIN, .data = {}};
    if (!epoll || !bell || ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, socket.get(), &input) != 0) return nullptr;
    return std::make_shared<SharedSocket>(std::move(socket), std::move(epoll), std::move(bell));
}

bool SharedSocket::lend() {
    const std::lock_guard lock(mutex_);
    if (has_ended_ || std::exchange(is_lent_, true)) return false;
    arm();
    return true;
}

void SharedSocket::give_back() {
    const std::lock_guard lock(mutex_);
    is_lent_ = false;
    arm();
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

void SharedSocket::want_room(bool wanted) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(wants_room_, wanted) != wanted) arm();
}

/// If there is something to read by now, the client's thread is woken, as it is whenever the connection is over.
void SharedSocket::arm() {
    epoll_event wanted{.events = (is_lent_ ? 0U : EPOLLIN) | (wants_room_ ? EPOLLOUT : 0U), .data = {}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket_.get(), &wanted); // what is there can be changed
}

void SharedInput::offer(std::shared_ptr<SharedSocket> socket) {
    const std::lock_guard lock(mutex_);
    socket_ = std::move(socket);
}

void SharedInput::withdraw(const std::shared_ptr<SharedSocket>& socket) {
    const std::lock_guard lock(mutex_);
    if (socket_ == socket) socket_.reset();
}

std::shared_ptr<SharedSocket> SharedInput::borrow() {
    const std::lock_guard lock(mutex_);
    return socket_ && socket_->lend() ? socket_ : nullptr;
}

} // namespace docent::zk
