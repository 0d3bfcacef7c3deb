// SPDX-License-Identifier: Apache-2.0
#include "multi/multi_machine.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {

MultiMachine::MultiMachine(std::size_t locks, WaitMode wait_mode, Owns owns)
    : wait_mode_(wait_mode), owns_(std::move(owns)), locks_(locks, Lock::missing), errors_(locks) {}

// ---- events

MultiActions MultiMachine::start() {
    return try_missing();
}

MultiActions MultiMachine::on_obtained(std::size_t lock) {
    if (locks_[lock] != Lock::asked) return {GiveBack{lock}};
    locks_[lock] = Lock::held;
    if (step_ == Step::giving_up) return give_up();
    if (step_ == Step::waiting) return any(Lock::missing) ? try_missing() : decide();
    return any(Lock::asked) ? MultiActions{} : decide();
}

MultiActions MultiMachine::on_failed(std::size_t lock, error_code ec) {
    if (locks_[lock] != Lock::asked) return {};
    locks_[lock] = Lock::missing;
    errors_[lock] = ec;
    const bool can_wait = step_ == Step::trying && wait_mode_ == WaitMode::waits && ec == error::not_acquired;
    if (!can_wait) return give_up();
    return any(Lock::asked) ? MultiActions{} : decide();
}

MultiActions MultiMachine::on_lost(std::size_t lock) {
    if (locks_[lock] != Lock::held) return {};
    locks_[lock] = Lock::missing;
    MultiActions actions{GiveBack{lock}};
    if (step_ != Step::waiting) return actions; // the other attempts answer soon
    return joined(std::move(actions), await_first_missing());
}

MultiActions MultiMachine::on_abort(error_code ec) {
    if (step_ == Step::done) return {};
    MultiActions actions;
    for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
        if (locks_[lock] != Lock::asked) continue;
        errors_[lock] = ec;
        actions.emplace_back(AbortAttempt{lock});
    }
    const bool timed_out = is_time_over_for_turn(ec); // then a lock's own error, if any, says more
    return finish(std::move(actions), timed_out ? verdict() : ec);
}

// ---- steps

bool MultiMachine::any(Lock state) const {
    return std::find(locks_.begin(), locks_.end(), state) != locks_.end();
}

MultiActions MultiMachine::try_missing() {
    step_ = Step::trying;
    MultiActions actions;
    for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
        if (locks_[lock] == Lock::held) continue;
        locks_[lock] = Lock::asked;
        errors_[lock] = {};
        actions.emplace_back(TryLock{lock});
    }
    return actions;
}

// All attempts have answered, without an error other than `error::not_acquired`.
MultiActions MultiMachine::decide() {
    MultiActions actions;
    for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
        if (locks_[lock] != Lock::held || owns_(lock)) continue;
        locks_[lock] = Lock::missing; // lost, and not reported yet
        actions.emplace_back(GiveBack{lock});
    }
    if (!any(Lock::missing)) {
        step_ = Step::done;
        return {GrantAll{}};
    }
    return joined(std::move(actions), wait_mode_ == WaitMode::waits ? await_first_missing() : try_missing());
}

MultiActions MultiMachine::await_first_missing() {
    MultiActions actions;
    const auto first = static_cast<std::size_t>(std::find(locks_.begin(), locks_.end(), Lock::missing) - locks_.begin());
    for (std::size_t lock = first + 1; lock < locks_.size(); ++lock) {
        const auto before = std::exchange(locks_[lock], Lock::missing);
        if (before == Lock::held) actions.emplace_back(GiveBack{lock});
        if (before == Lock::asked) actions.emplace_back(AbortAttempt{lock});
    }
    std::fill(errors_.begin(), errors_.end(), error_code{});
    step_ = Step::waiting;
    locks_[first] = Lock::asked;
    actions.emplace_back(AwaitLock{first});
    return actions;
}

MultiActions MultiMachine::give_up() {
    step_ = Step::giving_up;
    return any(Lock::asked) ? give_all_back() : finish({}, verdict());
}

MultiActions MultiMachine::give_all_back() {
    MultiActions actions;
    for (std::size_t lock = 0; lock < locks_.size(); ++lock) {
        if (locks_[lock] != Lock::held) continue;
        locks_[lock] = Lock::missing;
        actions.emplace_back(GiveBack{lock});
    }
    return actions;
}

MultiActions MultiMachine::finish(MultiActions last, error_code ec) {
    last = joined(std::move(last), give_all_back());
    step_ = Step::done;
    std::fill(locks_.begin(), locks_.end(), Lock::missing);
    last.emplace_back(FailAll{ec, errors_});
    return last;
}

// The first error other than `error::not_acquired`. Without such an error, `error::not_acquired`.
error_code MultiMachine::verdict() const {
    const auto real =
        std::find_if(errors_.begin(), errors_.end(), [](const error_code& ec) { return ec && ec != error::not_acquired; });
    return real == errors_.end() ? make_error_code(error::not_acquired) : *real;
}

} // namespace docent::detail
