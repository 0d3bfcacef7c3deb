// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides when a change of the members counts. A new member counts after join_delay. A member that has gone still counts for
// leave_grace or, if all have gone, until a new member counts. A member that comes and goes in between changes nothing. Pure.

#include "partition/plan.hpp"

#include <docent/detail/deadline.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace docent::detail {

class Membership {
public:
    using Time = std::chrono::steady_clock::time_point;
    struct Times {
        std::chrono::milliseconds join_delay;
        std::chrono::milliseconds leave_grace;
    };

    explicit Membership(Times times) : times_(times) {}

    /// `counted`: the members that count, as the plan says; nothing if there is no plan. `present`: the members that are
    /// present. A new weight counts after join_delay, as a new member does.
    void on_seen(std::optional<Weights> counted, Weights present, Time now);
    /// Forgets the members that were present: the session has ended, so they may have changed unseen.
    void forget();

    /// The members that must count from now on; nothing if no change is due. Without a plan, these are all present members, as
    /// soon as one of them is due: many workers that start together share the items at once.
    std::optional<Weights> due(Time now) const;
    /// The earliest time for which due() gives members, if nothing changes until then.
    std::optional<Time> next_due() const;

private:
    struct Change {
        std::optional<std::uint32_t> weight; // nothing: has gone
        Time since;
    };

    Time due_at(const Change& change) const {
        return later(change.since, change.weight ? times_.join_delay : times_.leave_grace);
    }

    const Times times_;
    std::optional<Weights> counted_;
    Weights present_;
    std::map<std::string, Change, std::less<>> changes_;
};

} // namespace docent::detail
