// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ports of 127.0.0.1, and questions to the servers on them.

#include "posix/descriptors.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

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

/// The longest time that a server may take to answer.
inline constexpr std::chrono::seconds longest_answer{5};

/// Sends a four-letter word to the server at this port. Throws std::runtime_error without an answer in time; its derived class
/// boost::system::system_error if no descriptor is left.
std::string ask_server(std::uint16_t port, std::string_view word, std::chrono::milliseconds timeout);

/// The value in a line `name<separator>value` of an answer; empty without such a line.
std::string_view answer_field(std::string_view answer, std::string_view name, char separator);

} // namespace docent::testing
