// SPDX-License-Identifier: Apache-2.0
#include "queue/contender.hpp"

#include <algorithm>
#include <tuple>

namespace docent::detail {

std::optional<Contender> parse_contender(const QueueNames& names, std::string_view child) {
    const auto name = parse_node_name(names, child);
    if (!name) return std::nullopt;
    return Contender{std::string(child), name->token.kind, name->number};
}

bool comes_before(const Contender& one, const Contender& other) {
    return std::tie(one.sequence, one.kind, one.name) < std::tie(other.sequence, other.kind, other.name);
}

std::vector<Contender> sorted_queue(const QueueNames& names, const std::vector<std::string>& children) {
    std::vector<Contender> queue;
    queue.reserve(children.size());
    for (const auto& child : children) {
        if (auto contender = parse_contender(names, child)) queue.push_back(std::move(*contender));
    }
    std::sort(queue.begin(), queue.end(), comes_before);
    return queue;
}

} // namespace docent::detail
