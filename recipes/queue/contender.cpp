// SPDX-License-Identifier: Apache-2.0
#include "queue/contender.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace docent::detail {
namespace {

constexpr std::size_t sequence_digits = 10;

std::optional<std::int32_t> parse_sequence(std::string_view text) {
    if (text.size() != sequence_digits) return std::nullopt;
    if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
    std::int32_t sequence = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), sequence);
    if (ec != std::errc{}) return std::nullopt; // larger than any number that a server gives
    return sequence;
}

} // namespace

QueueNames mutex_names() {
    return {{{"lock-", ContenderKind::exclusive}}};
}

QueueNames read_write_names() {
    return {{{"__READ__", ContenderKind::shared}, {"__WRIT__", ContenderKind::exclusive}}};
}

std::optional<Contender> parse_contender(const QueueNames& names, std::string_view child) {
    const QueueToken* last = nullptr;
    std::size_t last_at = 0;
    for (const auto& token : names.tokens) {
        const auto at = child.rfind(token.text);
        if (at == std::string_view::npos || (last && at < last_at)) continue;
        last = &token;
        last_at = at;
    }
    if (!last) return std::nullopt;
    const auto sequence = parse_sequence(child.substr(last_at + last->text.size()));
    if (!sequence) return std::nullopt;
    return Contender{std::string(child), last->kind, *sequence};
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
