// SPDX-License-Identifier: Apache-2.0
#pragma once

// One participant in a lock queue, read from a child's name.

#include "names/node_name.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace docent::detail {

struct Contender {
    std::int32_t sequence; // the number that the server appended
    ContenderKind kind;
    std::string name; // the child's name, without its parent
    /// The order in the queue. (clang-tidy 14 takes a hidden 0 of the comparison for a null pointer.)
    friend auto operator<=>(const Contender&, const Contender&) = default; // NOLINT(modernize-use-nullptr)
};

/// Parses a child's name. Returns nothing if it is not a name of this queue.
std::optional<Contender> parse_contender(const QueueNames& names, std::string_view child);

/// All contenders among the children, in the order of the queue. A write node and the read node that its owner has put beside
/// it have one number; the write node comes first.
std::vector<Contender> sorted_queue(const QueueNames& names, const std::vector<std::string>& children);
/// The part of the queue that decides about `self`, at less cost than sorted_queue(): the contenders ahead of it (for an
/// exclusive contender the nearest three), and `self` at the end. Empty if `self` is not among the children.
std::vector<Contender> queue_up_to(const QueueNames& names, const std::vector<std::string>& children, std::string_view self);

// Decides from one list of the queue whether a contender holds the lock, or which node it must watch. Pure.

/// What the deletion of the watched node means.
enum class Deletion {
    admits, ///< The waiter holds the lock, without a further read: only this node was ahead, and no node with a lower number is
            ///< created later. Not used near the last number: negative numbers may follow, which Curator orders first.
    list_again ///< Other nodes may still be ahead.
};

struct Admitted {
    friend bool operator==(const Admitted&, const Admitted&) = default;
};
struct NotInQueue {
    friend bool operator==(const NotInQueue&, const NotInQueue&) = default;
};
/// The contender's sequence number is not usable (see is_usable()), so the contender must not be admitted.
struct NumbersUsedUp {
    friend bool operator==(const NumbersUsedUp&, const NumbersUsedUp&) = default;
};
struct WaitFor {
    std::string name;
    Deletion deletion;
    friend bool operator==(const WaitFor&, const WaitFor&) = default;
};
using Admission = std::variant<Admitted, NotInQueue, NumbersUsedUp, WaitFor>;

/// `queue`: from sorted_queue() or queue_up_to(). `self`: the contender's name. `last_writer`: what the deletion of the only
/// node ahead means, if that node and `self` are exclusive. In a read/write lock it is `list_again`: the owner of the write
/// node may have made a read node beside it since the list.
Admission admit(std::span<const Contender> queue, std::string_view self, Deletion last_writer = Deletion::admits);

} // namespace docent::detail
