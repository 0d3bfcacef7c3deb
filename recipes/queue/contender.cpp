// SPDX-License-Identifier: Apache-2.0
#include "queue/contender.hpp"

#include <algorithm>
#include <iterator>
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

std::vector<Contender> queue_up_to(const QueueNames& names, const std::vector<std::string>& children, std::string_view self) {
    struct Seen {
        std::int32_t sequence;
        ContenderKind kind;
        std::string_view name;
        bool operator<(const Seen& other) const {
            return std::tie(sequence, kind, name) < std::tie(other.sequence, other.kind, other.name);
        }
    };
    const auto see = [&](std::string_view name) -> std::optional<Seen> {
        const auto parsed = parse_node_name(names, name);
        return parsed ? std::optional(Seen{parsed->number, parsed->token.kind, name}) : std::nullopt;
    };
    const auto me = see(self);
    if (!me || std::find(children.begin(), children.end(), self) == children.end()) return {};

    std::vector<Seen> seen;
    seen.reserve(children.size());
    for (const auto& child : children) {
        if (const auto each = see(child); each && *each < *me) seen.push_back(*each);
    }
    auto from = seen.begin();
    if (constexpr std::ptrdiff_t enough = 3; me->kind == ContenderKind::exclusive && std::ssize(seen) > enough) {
        from = seen.end() - enough;
        std::nth_element(seen.begin(), from, seen.end());
    }
    std::sort(from, seen.end());
    seen.push_back(*me); // there is room for it
    std::vector<Contender> queue;
    queue.reserve(static_cast<std::size_t>(std::distance(from, seen.end())));
    for (; from != seen.end(); ++from) queue.push_back({std::string(from->name), from->kind, from->sequence});
    return queue;
}

} // namespace docent::detail
