// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace docent::testing {

/// Where a server of a cluster listens: for clients, for those who follow it, and for votes.
struct MemberPorts {
    std::uint16_t client = 0;
    std::uint16_t quorum = 0;
    std::uint16_t election = 0;
};

/// What a server of a cluster knows and one that stands alone does not.
struct Membership {
    std::size_t number = 0;           ///< Which of them it is, from 0.
    std::vector<MemberPorts> members; ///< All of them.

    const MemberPorts& own_ports() const { return members.at(number); }
    /// Its id among them, as in the file `myid`: from 1.
    std::size_t id() const noexcept { return number + 1; }
};

/// All members, as the lines of a dynamic configuration file.
std::string dynamic_configuration(const std::vector<MemberPorts>& members);

} // namespace docent::testing
