// SPDX-License-Identifier: Apache-2.0
#include "zk/input/frame_guard.hpp"

#include "zk/socket_calls.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/socket.h>

namespace docent::zk {
namespace {

constexpr std::size_t first_look = 4096;      // enough for many replies, and for most lists
constexpr std::size_t kept = 64U << 10U;      // a larger buffer for the copy is freed at the next turn
constexpr std::size_t one_read = 256U << 10U; // the most bytes that one call reads out of the socket

} // namespace

void FrameGuard::begin_turn() {
    begin_ = end_ = 0;
    had_all_ = false;
    if (arrived_.size() > kept) std::string().swap(arrived_);
}

void FrameGuard::begin_socket() {
    begin_turn();
    wakes_at_ = 1;
    partial_ = 0;
    take_kept();
}

std::string FrameGuard::take_kept() {
    wanted_ = thrown_ = 0;
    return std::exchange(kept_, {});
}

FrameGuard::Next FrameGuard::next(int descriptor, const FrameDue& due) {
    if (wanted_ > 0) return keep(descriptor, due);
    partial_ = 0;
    const auto look = [&] { return look_at_frame({arrived_.data() + begin_, end_ - begin_}, due); };
    FrameLook seen = look();
    if (seen.verdict == FrameVerdict::incomplete) { // the copy is used up: look again, unless it held all bytes
        if (std::exchange(had_all_, false) && begin_ == end_) return Next::nothing;
        if (peek(descriptor, first_look) == Peek::ended) return Next::ended;
        seen = look();
    }
    while (seen.verdict == FrameVerdict::incomplete) {
        const bool over = is_over(descriptor); // before counting, so that no byte is missed
        if (bytes_in(descriptor) < seen.size) return over ? Next::ended : wait_for(descriptor, seen.size, due);
        if (peek(descriptor, seen.size) == Peek::ended) return Next::ended;
        seen = look();
    }
    if (seen.verdict == FrameVerdict::refused) return Next::refused;
    if (seen.verdict == FrameVerdict::too_large) {
        wanted_ = seen.size;
        return keep(descriptor, due);
    }
    begin_ += seen.size;
    if (std::exchange(wakes_at_, 1) != 1) wake_at(descriptor, 1);
    return Next::frame;
}

FrameGuard::Peek FrameGuard::peek(int descriptor, std::size_t size) {
    begin_ = end_ = 0;
    if (arrived_.size() < size) arrived_.resize(size);
    const auto count = ::recv(descriptor, arrived_.data(), arrived_.size(), MSG_PEEK | MSG_DONTWAIT);
    if (count > 0) end_ = static_cast<std::size_t>(count);
    had_all_ = count > 0 && end_ < arrived_.size();
    const bool open = count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
    return open ? Peek::open : Peek::ended;
}

FrameGuard::Next FrameGuard::wait_for(int descriptor, std::size_t size, const FrameDue& due) {
    if (end_ == 0) {
        if (std::exchange(wakes_at_, 1) != 1) wake_at(descriptor, 1);
        return Next::nothing;
    }
    if (end_ >= length_size) partial_ = size;
    if (!std::holds_alternative<const ReplyShape*>(due) || wakes_at_ == size) return Next::later;
    make_room(descriptor);
    if (!wake_at(descriptor, size)) {
        if (end_ < length_size) { // the size of the frame is not known
            wake_at(descriptor, 1);
            return Next::later;
        }
        wanted_ = size;
        return keep(descriptor, due);
    }
    wakes_at_ = size;
    return Next::nothing;
}

FrameGuard::Next FrameGuard::keep(int descriptor, const FrameDue& due) {
    wake_at(descriptor, wakes_at_ = 1);
    while (kept_.size() + thrown_ < wanted_) {
        const std::size_t rest = std::min(wanted_ - kept_.size() - thrown_, one_read);
        const bool thrown = throws_away() && kept_.size() == reply_head_size;
        const std::size_t before = kept_.size();
        const std::size_t head = throws_away() ? std::min(rest, reply_head_size - before) : rest;
        if (!thrown) kept_.resize(before + head);
        const auto count = thrown ? discard(descriptor, rest) : ::recv(descriptor, kept_.data() + before, head, MSG_DONTWAIT);
        const std::size_t taken = count > 0 ? static_cast<std::size_t>(count) : 0;
        if (thrown) thrown_ += taken;
        else kept_.resize(before + taken);
        if (count > 0 || (count < 0 && errno == EINTR)) continue;
        return count < 0 && errno == EAGAIN ? Next::nothing : Next::ended;
    }
    begin_ = end_ = 0; // the bytes copied are no longer in the socket
    had_all_ = false;
    if (throws_away()) kept_ = too_large_reply(kept_);
    const FrameLook seen = look_at_frame(kept_, due);
    if (seen.verdict == FrameVerdict::too_large) { // so far, only its head was wanted
        wanted_ = seen.size;
        return keep(descriptor, due);
    }
    return seen.verdict == FrameVerdict::sound ? Next::kept : Next::refused;
}

} // namespace docent::zk
