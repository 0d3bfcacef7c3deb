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

std::vector<Contender> sorted_queue(const QueueNames& names, const std::vector<std::string>& children) {
    std::vector<Contender> queue;
    queue.reserve(children.size());
    for (const auto& child : children) {
        if (auto contender = parse_contender(names, child)) queue.push_back(std::move(*contender));
    }
    const auto key = [](const Contender& c) { return std::tie(c.sequence, c.kind, c.name); };
    std::sort(queue.begin(), queue.end(), [&](const Contender& a, const Contender& b) { return key(a) < key(b); });
    return queue;
}

} // namespace docent::detail
