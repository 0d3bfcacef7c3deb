// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

#include <sys/types.h>

#include <optional>
#include <string_view>

namespace docent::zk {

/// Hands the C client bytes that are not in its socket any more. While this exists, the C client's descriptor stands for one
/// end of a pair of sockets, and write() fills the other end. The C client must only read meanwhile: what it sent would be
/// lost.
class InputDetour {
public:
    /// `c_descriptor` is the C client's descriptor, `socket` another descriptor of the same socket. Nothing if they are not of
    /// the same socket, or if no descriptors are left.
    static std::optional<InputDetour> begin(int c_descriptor, int socket);

    InputDetour(InputDetour&& other) noexcept;
    InputDetour& operator=(InputDetour&&) = delete;
    /// Gives the C client its socket back, unless it has closed the descriptor.
    ~InputDetour();

    /// As much as there is room for; how much that was.
    std::size_t write(std::string_view bytes);

private:
    InputDetour(int c_descriptor, int socket, posix::UniqueFd our_end, ino_t pair);

    int c_descriptor_;
    int socket_;
    posix::UniqueFd our_end_;
    ino_t pair_; // what the descriptor stands for
};

} // namespace docent::zk
