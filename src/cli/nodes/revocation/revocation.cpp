// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/revocation/revocation.hpp"

#include "cli/hold/owner/owner_id.hpp"
#include "cli/view/text/shown.hpp"

#include <docent/recipes/inspection.hpp>

namespace docent::cli {

std::string with_request(const std::string& data) {
    if (was_asked_for(data)) return data;
    return std::string(revocation_request) + (data.empty() ? "" : "\n" + data);
}

bool is_known_to_listen(const std::string& data) {
    return data.empty() || data == revocation_request || marks_of(split_owner(data).owner).revocable;
}

} // namespace docent::cli
