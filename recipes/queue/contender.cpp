// SPDX-License-Identifier: Apache-2.0

#include "queue/contender.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

namespace docent::detail {

std::optional<Contender> parse_contender(const QueueNames& names, std::string_view child) {
    const auto name = parse_node_name(names, child);
    if (!name) return std::nullopt;
    return Contender{name->number, name->token.kind, std::string(child)};
}

std::vector<Contender> sorted_queue(const QueueNames& names, const std::vector<std::string>& children) {
    std::vector<Contender> queue;
    queue.reserve(children.size());
    for (const auto& child : children) {
        if (auto contender = parse_contender(names, child)) queue.push_back(std::move(*contender));
    }
    std::sort(queue.begin(), queue.end());
    return queue;
}

namespace {

/// A contender that refers to a name in the list.
struct Seen {
    std::int32_t sequence;
    ContenderKind kind;
    std::string_view name;
    friend auto operator<=>(const Seen&, const Seen&) = default; // NOLINT(modernize-use-nullptr), as in Contender
};

std::optional<Seen> see(const QueueNames& names, std::string_view name) {
    const auto parsed = parse_node_name(names, name);
    return parsed ? std::optional(Seen{parsed->number, parsed->token.kind, name}) : std::nullopt;
}

/// The nearest contenders ahead of `end`, `most` at most.
class Nearest {
public:
    Nearest(const QueueNames& names, const Seen& end, std::size_t most)
        : names_(names), end_(end), most_(most), end_number_(end.sequence < 0 ? std::string_view() : number_text(end.name)) {}

    void add(std::string_view name) {
        if (is_outside(plain_number_text(names_, name))) return;
        const auto each = see(names_, name);
        if (!each || !(*each < end_)) return;
        if (seen_.size() == most_) {
            if (*each < seen_.front()) return;
            std::pop_heap(seen_.begin(), seen_.end(), std::greater<>());
            seen_.pop_back();
        }
        seen_.push_back(*each);
        std::push_heap(seen_.begin(), seen_.end(), std::greater<>()); // the farthest in front
    }
    /// The contenders in their order.
    std::vector<Seen> take() {
        std::sort(seen_.begin(), seen_.end());
        return std::move(seen_);
    }

private:
    /// Whether the number alone excludes the contender. This is enough for most.
    bool is_outside(std::string_view number) const {
        if (number.empty()) return false;
        if (!end_number_.empty() && number > end_number_) return true;
        return seen_.size() == most_ && seen_.front().sequence >= 0 && number < number_text(seen_.front().name);
    }

    const QueueNames& names_;
    const Seen& end_;
    std::size_t most_;
    std::string_view end_number_; // empty if it is negative
    std::vector<Seen> seen_;
};

} // namespace

std::vector<Contender> queue_up_to(const QueueNames& names, const std::vector<std::string>& children, std::string_view self) {
    const auto me = see(names, self);
    if (!me || std::find(children.begin(), children.end(), self) == children.end()) return {};
    constexpr std::size_t enough = 3;
    Nearest nearest(names, *me, me->kind == ContenderKind::exclusive ? enough : children.size());
    for (const auto& child : children) nearest.add(child);

    std::vector<Contender> queue;
    for (const Seen& each : nearest.take()) queue.push_back({each.sequence, each.kind, std::string(each.name)});
    queue.push_back({me->sequence, me->kind, std::string(self)});
    return queue;
}

namespace {

bool is_exclusive(const Contender& contender) {
    return contender.kind == ContenderKind::exclusive;
}

// With several nodes ahead, the waiter watches the second nearest. When only the nearest is left, the waiter watches that node
// while its owner holds the lock. Its deletion then admits the waiter without a further read.
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

} // namespace

Admission admit(std::span<const Contender> queue, std::string_view self, Deletion last_writer) {
    const auto me = std::find_if(queue.begin(), queue.end(), [&](const Contender& c) { return c.name == self; });
    if (me == queue.end()) return NotInQueue{};
    const auto ahead = queue.first(static_cast<std::size_t>(std::distance(queue.begin(), me)));
    if (!is_usable(me->sequence)) return NumbersUsedUp{};
    auto admission = is_exclusive(*me) ? admit_exclusive(ahead, last_writer) : admit_shared(ahead);
    auto* const wait = std::get_if<WaitFor>(&admission);
    if (wait && me->sequence >= near_the_end) wait->deletion = Deletion::list_again;
    return admission;
}

} // namespace docent::detail
