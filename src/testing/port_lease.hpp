// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"

#include <cstdint>

namespace docent::testing {

/// Whether a server could listen on this port of 127.0.0.1 now.
bool port_is_free(std::uint16_t port);

/// A port that no other PortLease of this machine has, in any process, while this object lives; also while no server listens on
/// it. It is below the range that the kernel uses for outgoing connections.
class PortLease {
public:
    /// Throws std::runtime_error if no port is left.
    PortLease();
    std::uint16_t port() const noexcept { return port_; }

private:
    posix::UniqueFd reservation_;
    std::uint16_t port_ = 0;
};

} // namespace docent::testing
