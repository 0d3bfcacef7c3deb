// SPDX-License-Identifier: Apache-2.0
#pragma once

// One participant in a lock queue, read from a child's name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

enum class ContenderKind { exclusive, shared };

/// The text in front of the sequence number, and what it says of its contender.
struct QueueToken {
    std::string text;
    ContenderKind kind;
    friend bool operator==(const QueueToken&, const QueueToken&) = default;
};

/// How one recipe names the nodes of its queue.
struct QueueNames {
    std::vector<QueueToken> tokens;
    friend bool operator==(const QueueNames&, const QueueNames&) = default;
};

QueueNames mutex_names();      // lock-
QueueNames read_write_names(); // __READ__, __WRIT__

struct Contender {
    std::string name; // child's name, without its parent
    ContenderKind kind;
    std::int32_t sequence; // number that the server appended
    friend bool operator==(const Contender&, const Contender&) = default;
};

/// What follows the last token must be exactly ten digits. Everything else is not a contender: a stray child must not block
/// a queue for ever.
std::optional<Contender> parse_contender(const QueueNames& names, std::string_view child);

/// All contenders among the children, in the order of their turns. Two may have one number: a write node and the read node
/// that its owner has put beside it; the write node comes first.
std::vector<Contender> sorted_queue(const QueueNames& names, const std::vector<std::string>& children);

} // namespace docent::detail
