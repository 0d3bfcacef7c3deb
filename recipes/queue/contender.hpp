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
    std::string name; // the child's name, without its parent
    ContenderKind kind;
    std::int32_t sequence; // the number that the server appended
    friend bool operator==(const Contender&, const Contender&) = default;
};

/// Whether `one` is ahead of `other` in the queue.
bool comes_before(const Contender& one, const Contender& other);

/// Parses a child's name. Returns nothing if it is not a name of this queue.
std::optional<Contender> parse_contender(const QueueNames& names, std::string_view child);

/// All contenders among the children, in the order of the queue. A write node and the read node that its owner has put beside
/// it have one number; the write node comes first.
std::vector<Contender> sorted_queue(const QueueNames& names, const std::vector<std::string>& children);
/// The part of the queue that decides about `self`, at less cost than sorted_queue(): the contenders ahead of it (for an
/// exclusive contender the nearest three), and `self` at the end. Empty if `self` is not among the children.
std::vector<Contender> queue_up_to(const QueueNames& names, const std::vector<std::string>& children, std::string_view self);

} // namespace docent::detail
