// SPDX-License-Identifier: Apache-2.0
#include "cli/top/turns.hpp"

#include <algorithm>

namespace docent::cli {

using namespace std::chrono_literals;

namespace {

constexpr auto window = 60s;
constexpr auto shortest = 5s;

} // namespace

std::uint32_t turns_between(const QueueMark& before, const QueueMark& after) {
    if (before.czxid != after.czxid) return 0; // the parent was made again: the turns in between are unknown
    if (!before.shared && !before.first_holder.empty() && before.first_holder == after.first_holder) return 0;
    // The counter may wrap around; the difference is still right.
    const auto changes = static_cast<std::uint32_t>(after.cversion) - static_cast<std::uint32_t>(before.cversion);
    const std::int64_t more = std::int64_t{after.children} - before.children;
    const std::int64_t removed = (static_cast<std::int64_t>(changes) - more) / 2;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(removed, 0, UINT32_MAX));
}

void TurnRate::add(Time now, std::uint32_t turns) {
    while (!entries_.empty() && entries_.front().time <= now - window) entries_.pop_front();
    if (turns > 0) entries_.push_back({now, turns});
}

std::optional<double> TurnRate::per_minute(Time now) const {
    const auto known = std::min<std::chrono::steady_clock::duration>(now - start_, window);
    if (known < shortest) return std::nullopt;
    double turns = 0;
    for (const Entry& entry : entries_) {
        if (entry.time > now - window) turns += entry.turns;
    }
    return turns * (std::chrono::duration<double>(window) / std::chrono::duration<double>(known));
}

} // namespace docent::cli
