// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides from one list of the queue whether a contender holds the lock, or which node it must watch. Pure.

#include "queue/contender.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace docent::detail {

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
/// The contender's number does not tell the order: it must not be admitted.
struct NumbersUsedUp {
    friend bool operator==(const NumbersUsedUp&, const NumbersUsedUp&) = default;
};
struct WaitFor {
    std::string name;
    Deletion deletion;
    friend bool operator==(const WaitFor&, const WaitFor&) = default;
};
using Admission = std::variant<Admitted, NotInQueue, NumbersUsedUp, WaitFor>;

/// `queue`: from sorted_queue() or queue_up_to(). `self`: the contender's name. `last_writer`: what the deletion means if a
/// single exclusive contender is ahead of an exclusive one. In a read/write lock it is `list_again`: the owner may have made a
/// read node beside its write node since the list.
Admission admit(std::span<const Contender> queue, std::string_view self, Deletion last_writer = Deletion::admits);

} // namespace docent::detail
