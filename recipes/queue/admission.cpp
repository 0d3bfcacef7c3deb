// SPDX-License-Identifier: Apache-2.0
#include "queue/admission.hpp"

#include <algorithm>
#include <iterator>

namespace docent::detail {
namespace {

bool is_exclusive(const Contender& contender) {
    return contender.kind == ContenderKind::exclusive;
}

// With several nodes ahead, the waiter watches the second nearest. When that is gone, the waiter watches the nearest while that
// one still works. The deletion of the nearest then admits the waiter without a further read.
Admission admit_exclusive(std::span<const Contender> ahead, Deletion last_writer) {
    if (ahead.empty()) return Admitted{};
    if (ahead.size() >= 2) return WaitFor{ahead[ahead.size() - 2].name, Deletion::list_again};
    return WaitFor{ahead.front().name, is_exclusive(ahead.front()) ? last_writer : Deletion::admits};
}

// A reader watches the nearest writer, not the first. So it wakes up once, with any number of writers ahead.
Admission admit_shared(std::span<const Contender> ahead) {
    const auto nearest = std::find_if(ahead.rbegin(), ahead.rend(), is_exclusive);
    if (nearest == ahead.rend()) return Admitted{};
    const bool only = std::none_of(std::next(nearest), ahead.rend(), is_exclusive);
    return WaitFor{nearest->name, only ? Deletion::admits : Deletion::list_again};
}

/// Far enough from the last number: no waiter waits while so many nodes are created.
constexpr std::int32_t near_the_end = last_number / 2;

Admission admit_to(std::span<const Contender> ahead, ContenderKind kind, Deletion last_writer) {
    return kind == ContenderKind::exclusive ? admit_exclusive(ahead, last_writer) : admit_shared(ahead);
}

} // namespace

Admission admit(std::span<const Contender> queue, std::string_view self, Deletion last_writer) {
    const auto me = std::find_if(queue.begin(), queue.end(), [&](const Contender& c) { return c.name == self; });
    if (me == queue.end()) return NotInQueue{};
    const auto ahead = queue.first(static_cast<std::size_t>(std::distance(queue.begin(), me)));
    if (!is_usable(me->sequence)) return NumbersUsedUp{};
    auto admission = admit_to(ahead, me->kind, last_writer);
    auto* const wait = std::get_if<WaitFor>(&admission);
    if (wait && me->sequence >= near_the_end) wait->deletion = Deletion::list_again;
    return admission;
}

} // namespace docent::detail
