// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whose turn it is, and whom to watch until then: decided from one list of the queue.

#include "queue/contender.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace docent::detail {

/// What the deletion of the watched node means.
enum class Deletion {
    admits, ///< It was the only one in the way, and lower numbers only ever disappear: our turn, without a further read. Not so
            ///< where the numbers come to their end: negative ones may follow, which Curator puts in front of all.
    list_again ///< Others may still be in the way.
};

struct Admitted {
    friend bool operator==(const Admitted&, const Admitted&) = default;
};
struct NotInQueue {
    friend bool operator==(const NotInQueue&, const NotInQueue&) = default;
};
/// Our number does not tell who came first: nobody may be admitted by it.
struct NumbersUsedUp {
    friend bool operator==(const NumbersUsedUp&, const NumbersUsedUp&) = default;
};
struct WaitFor {
    std::string name;
    Deletion deletion;
    friend bool operator==(const WaitFor&, const WaitFor&) = default;
};
using Admission = std::variant<Admitted, NotInQueue, NumbersUsedUp, WaitFor>;

/// `queue` as sorted_queue() or queue_up_to() makes it; `self` is the name of the contender who asks.
/// `last_writer`: what the deletion of an exclusive contender means that alone stands in an exclusive one's way. In a
/// read/write lock it is `list_again`: its owner may have put a read node beside it since the list was made.
Admission admit(std::span<const Contender> queue, std::string_view self, Deletion last_writer = Deletion::admits);

} // namespace docent::detail
