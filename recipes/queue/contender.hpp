// SPDX-License-Identifier: Apache-2.0
#pragma once

// One participant in a lock queue, read from a child's name.

#include "names/node_name.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

struct Contender {
    std::string name; // child's name, without its parent
    ContenderKind kind;
    std::int32_t sequence; // number that the server appended
    friend bool operator==(const Contender&, const Contender&) = default;
};

/// In the order of turns.
bool comes_before(const Contender& one, const Contender& other);

/// Nothing for a child that has no name of this queue.
std::optional<Contender> parse_contender(const QueueNames& names, std::string_view child);

/// All contenders among the children, in the order of their turns. Two may have one number: a write node and the read node
/// that its owner has put beside it; the write node comes first.
std::vector<Contender> sorted_queue(const QueueNames& names, const std::vector<std::string>& children);
/// What decides of one of them, at less cost than all of it: those before it, of whom an exclusive one gets the three nearest,
/// and itself at the end. Empty if it is not among the children.
std::vector<Contender> queue_up_to(const QueueNames& names, const std::vector<std::string>& children, std::string_view self);

} // namespace docent::detail
