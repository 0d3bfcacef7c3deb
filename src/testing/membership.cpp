// SPDX-License-Identifier: Apache-2.0
#include "testing/membership.hpp"

namespace docent::testing {

std::string dynamic_configuration(const std::vector<MemberPorts>& members) {
    std::string text;
    for (std::size_t i = 0; i < members.size(); ++i) {
        text += "server." + std::to_string(i + 1) + "=127.0.0.1:" + std::to_string(members[i].quorum) + ':' +
                std::to_string(members[i].election) + ":participant;127.0.0.1:" + std::to_string(members[i].client) + '\n';
    }
    return text;
}

} // namespace docent::testing
