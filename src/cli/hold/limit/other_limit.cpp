// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/limit/other_limit.hpp"

#include "cli/hold/owner/owner_id.hpp"
#include "cli/messages.hpp"
#include "cli/view/text/shown.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

namespace docent::cli {
namespace {

constexpr std::size_t most_reads = 16; // most users of a path agree, so a few nodes are enough

} // namespace

std::string other_limit_text(const std::string& path, std::int32_t permits, const std::string& data) {
    const OwnedData node = split_owner(data);
    const auto theirs = marks_of(node.owner).permits;
    if (!theirs || *theirs == permits) return {};
    const std::string label(without_request(node.data));
    return "semaphore " + path + ": --permits is " + std::to_string(permits) + " here, but " + std::to_string(*theirs) +
           " for " + (label.empty() ? "a holder without a label" : label) + "; all users of a path must give the same number";
}

void report_other_limit(Client& client, const std::string& path, std::int32_t permits) {
    const std::string leases = join_path(path, "leases");
    // The client outlives its handlers.
    client.async_children(leases, [&client, leases, path, permits](error_code ec, Children listed) {
        if (ec) return; // the semaphore is new, or the next call reports the error
        const auto told = std::make_shared<std::atomic<bool>>(false);
        listed.names.resize(std::min(listed.names.size(), most_reads));
        for (const std::string& name : listed.names) {
            client.async_get(join_path(leases, name), [told, path, permits](error_code failed, const NodeData& read) {
                if (failed) return;
                const std::string text = other_limit_text(path, permits, read.data);
                if (!text.empty() && !told->exchange(true)) post_error(text);
            });
        }
    });
}

} // namespace docent::cli
