// SPDX-License-Identifier: Apache-2.0

#include "session/validity_bound.hpp"

#include <algorithm>

namespace docent::session {

ValidityBound::Time ValidityBound::on_new_session(Time started, Time now, std::chrono::milliseconds timeout) {
    begin(started, now, timeout);
    return until_ = started + certain_life_when_new(timeout);
}

ValidityBound::Time ValidityBound::on_return(Time started, Time now, std::chrono::milliseconds timeout) {
    begin(started, now, timeout);
    return until_ = std::max(until_, started + certain_life_with_a_leader(timeout));
}

/// Forgets the answers of the previous connection: another follower may have sent them.
void ValidityBound::begin(Time started, Time now, std::chrono::milliseconds timeout) {
    timeout_ = timeout;
    old_enough_ = {};
    answered_.clear();
    passed_.clear();
    remember(started, now);
}

ValidityBound::Time ValidityBound::on_answer(Time sent, Time now, bool by_leader) {
    if (by_leader) {
        const Time latest = sent + certain_life_with_a_leader(timeout_);
        for (; !passed_.empty() && passed_.front().answered <= sent; passed_.pop_front()) {
            until_ = std::max(until_, std::min(passed_.front().proves + certain_life(timeout_), latest));
        }
        bool more = false;
        for (; !answered_.empty() && answered_.front().answered + longest_ping_gap(timeout_) <= sent; answered_.pop_front()) {
            old_enough_ = answered_.front().sent;
            more = true;
        }
        if (more) passed_.push_back({now, old_enough_});
    }
    remember(sent, now);
    return until_;
}

/// Keeps one request in each T/96, to bound the memory.
void ValidityBound::remember(Time sent, Time now) {
    if (answered_.empty() || sent >= answered_.back().sent + timeout_ / 96) answered_.push_back({sent, now});
}

} // namespace docent::session
