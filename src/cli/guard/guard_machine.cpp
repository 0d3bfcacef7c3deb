// SPDX-License-Identifier: Apache-2.0
#include "cli/guard/guard_machine.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace docent::cli {
namespace {

/// docent itself acts at the bound. The guard acts later, because some programs end at once when they are asked twice.
constexpr GuardMachine::duration head_start = std::chrono::milliseconds(50);

} // namespace

void GuardMachine::on_order(const GuardOrder& order) {
    switch (order.kind) {
    case GuardOrder::Kind::arm:
        armed_ = true;
        bound_ = order.time;
        grace_ = order.grace;
        break;
    case GuardOrder::Kind::extend:
        if (!asked_) bound_ = std::max(bound_, order.time);
        break;
    case GuardOrder::Kind::stop_by: stop_by_ = order.time; break;
    case GuardOrder::Kind::disarm: armed_ = false; break;
    }
}

GuardMachine::time_point GuardMachine::ask_at() const {
    return bound_ + std::min(head_start, grace_);
}

/// The bound also counts after docent has begun to stop the program: docent may have been stopped since then.
GuardMachine::time_point GuardMachine::kill_at() const {
    const auto after_loss = bound_ + grace_;
    return stop_by_ ? std::min(*stop_by_, after_loss) : after_loss;
}

GuardMachine::Action GuardMachine::on_time(time_point now) {
    if (!armed_) return owner_gone_ ? Action::leave : Action::nothing;
    if (owner_gone_ || now >= kill_at()) return Action::kill;
    if (stop_by_ || now < ask_at()) return Action::nothing;
    return std::exchange(asked_, true) ? Action::nothing : Action::ask;
}

std::optional<GuardMachine::time_point> GuardMachine::due() const {
    if (!armed_) return owner_gone_ ? std::optional(time_point{}) : std::nullopt;
    if (owner_gone_) return time_point{};
    return stop_by_ || asked_ ? kill_at() : ask_at();
}

} // namespace docent::cli
