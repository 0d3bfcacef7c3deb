// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_snapshot.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace docent::detail {

QueueSnapshot::Position QueueSnapshot::place_of(const Contender& contender) const {
    return std::ranges::lower_bound(begin(), queue_.end(), contender, {}, &Known::contender);
}

std::optional<QueueSnapshot::Position> QueueSnapshot::find(std::string_view name) const {
    const auto contender = parse_contender(names_, name);
    if (!contender) return std::nullopt;
    const auto place = place_of(*contender);
    if (place == queue_.end() || place->contender != *contender) return std::nullopt;
    return place;
}

void QueueSnapshot::on_listed(const std::vector<std::string>& children) {
    forget();
    queue_.reserve(children.size());
    for (auto& contender : sorted_queue(names_, children)) queue_.push_back({std::move(contender), Ahead::all});
}

void QueueSnapshot::on_listed(const std::vector<std::string>& children, std::string_view self) {
    forget();
    auto queue = queue_up_to(names_, children, self);
    constexpr std::size_t two_and_self = 3;
    const bool few = queue.size() <= two_and_self;
    if (!few) queue.erase(queue.begin(), queue.end() - 2); // all but the nearest and the waiter
    queue_.reserve(queue.size());
    for (auto& contender : queue) queue_.push_back({std::move(contender), Ahead::unknown});
    if (!queue_.empty()) queue_.back().ahead = few ? Ahead::all : Ahead::nearest;
}

void QueueSnapshot::forget() {
    queue_.clear();
    gone_ = 0;
}

void QueueSnapshot::on_created(std::string_view name) {
    auto contender = parse_contender(names_, name);
    if (!contender) return;
    const auto place = place_of(*contender);
    if (place == queue_.end() || place->contender != *contender) queue_.insert(place, {std::move(*contender), Ahead::unknown});
}

void QueueSnapshot::on_gone(std::string_view name) {
    const auto place = find(name);
    if (!place) return;
    if (*place != begin()) {
        queue_.erase(*place);
        return;
    }
    ++gone_;
    if (2 * gone_ < std::ssize(queue_)) return; // so the erase moves at most one contender for each removal
    queue_.erase(queue_.begin(), begin());
    gone_ = 0;
}

std::optional<Neighbours> QueueSnapshot::before(std::string_view self) const {
    constexpr std::size_t nearest = 2;
    const auto place = find(self);
    if (!place) return std::nullopt;
    const auto ahead = static_cast<std::size_t>(std::distance(begin(), *place));
    Neighbours part{.queue = {}, .whole = (*place)->ahead == Ahead::all, .only_nearest = (*place)->ahead == Ahead::nearest};
    for (auto each = std::prev(*place, static_cast<std::ptrdiff_t>(std::min(ahead, nearest))); each <= *place; ++each) {
        part.queue.push_back(each->contender);
    }
    return part;
}

std::optional<std::string> nearest_of(const Neighbours& known) {
    if (!(known.whole || known.only_nearest) || known.queue.size() < 2) return std::nullopt;
    if (known.queue.back().kind != ContenderKind::exclusive) return std::nullopt;
    return known.queue[known.queue.size() - 2].name;
}

std::optional<WaitFor> wait_for_known(const Neighbours& known) {
    if (known.queue.empty()) return std::nullopt;
    const auto admission = admit(known.queue, known.queue.back().name);
    const auto* const wait = std::get_if<WaitFor>(&admission);
    if (wait == nullptr) return std::nullopt; // an old list never grants the lock
    const bool one_ahead = known.queue.size() == 2;
    const bool turns_to_last = known.whole && one_ahead && wait->deletion == Deletion::admits;
    return turns_to_last || (!known.whole && !one_ahead) ? std::optional(*wait) : std::nullopt;
}

} // namespace docent::detail
