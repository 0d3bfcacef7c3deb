// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace docent::testing {

/// The ports of a cluster's server: for clients, for followers, and for votes.
struct MemberPorts {
    std::uint16_t client = 0;
    std::uint16_t quorum = 0;
    std::uint16_t election = 0;
};

/// The additional settings of a cluster's server.
struct Membership {
    std::size_t number = 0;           ///< The server's index in `members`.
    std::vector<MemberPorts> members; ///< All servers of the cluster.

    const MemberPorts& own_ports() const { return members.at(number); }
    /// The server's id, as in the file `myid`: from 1.
    std::size_t id() const noexcept { return number + 1; }
};

/// All members as lines of a dynamic configuration file.
std::string dynamic_configuration(const std::vector<MemberPorts>& members);

} // namespace docent::testing
