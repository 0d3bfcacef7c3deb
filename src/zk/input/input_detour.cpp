// SPDX-License-Identifier: Apache-2.0
#include "zk/input/input_detour.hpp"

#include <array>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace docent::zk {

using posix::socket_of;

std::optional<InputDetour> InputDetour::begin(int c_descriptor, int socket) {
    const ino_t theirs = socket_of(c_descriptor);
    if (c_descriptor == socket || theirs == 0 || theirs != socket_of(socket)) return std::nullopt;
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) return std::nullopt;
    const posix::UniqueFd their_end(ends[0]);
    posix::UniqueFd our_end(ends[1]);
    const ino_t pair = socket_of(their_end.get());
    if (::dup3(their_end.get(), c_descriptor, O_CLOEXEC) < 0) return std::nullopt;
    return InputDetour(c_descriptor, socket, std::move(our_end), pair);
}

InputDetour::InputDetour(int c_descriptor, int socket, posix::UniqueFd our_end, ino_t pair)
    : c_descriptor_(c_descriptor), socket_(socket), our_end_(std::move(our_end)), pair_(pair) {}

InputDetour::InputDetour(InputDetour&& other) noexcept
    : c_descriptor_(std::exchange(other.c_descriptor_, -1)), socket_(other.socket_), our_end_(std::move(other.our_end_)),
      pair_(other.pair_) {}

InputDetour::~InputDetour() {
    if (c_descriptor_ >= 0 && socket_of(c_descriptor_) == pair_) ::dup3(socket_, c_descriptor_, O_CLOEXEC);
}

std::size_t InputDetour::write(std::string_view bytes) {
    if (bytes.empty()) return 0;
    const auto written = ::send(our_end_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return written > 0 ? static_cast<std::size_t>(written) : 0;
}

} // namespace docent::zk
