// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"

#include <sys/types.h>

#include <optional>
#include <string_view>

namespace docent::zk {

/// Lets the C client read bytes that were taken out of its socket. While the object exists, the C client's descriptor stands
/// for one end of a pair of sockets, and write() fills the other end. The C client must only read meanwhile: bytes that it
/// sends would be lost.
class InputDetour {
public:
    /// `c_descriptor` is the C client's descriptor, `socket` another descriptor of the same socket. Returns nothing if they
    /// stand for different sockets, or if no descriptors are left.
    static std::optional<InputDetour> begin(int c_descriptor, int socket);

    InputDetour(InputDetour&& other) noexcept;
    InputDetour& operator=(InputDetour&&) = delete;
    /// Gives the C client its socket back, unless it has closed the descriptor.
    ~InputDetour();

    /// Writes as many bytes as there is room for, and returns their number.
    std::size_t write(std::string_view bytes);

private:
    InputDetour(int c_descriptor, int socket, posix::UniqueFd our_end, ino_t pair);

    int c_descriptor_;
    int socket_;
    posix::UniqueFd our_end_;
    ino_t pair_; // the inode that the C client's descriptor stands for
};

} // namespace docent::zk
