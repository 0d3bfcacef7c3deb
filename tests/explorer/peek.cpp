// SPDX-License-Identifier: Apache-2.0

// Compiled without access control: what is told apart here is nobody else's business, and no reason to open it to others.

#include "peek.hpp"

#include "queue/acquire_operation.hpp"

#include <sstream>

namespace docent::explorer {
namespace {

using detail::AcquireMachine;

template <typename Need> void write(std::ostream& out, const detail::ConnectedStep<Need>& step) {
    out << static_cast<int>(step.session_.state) << ' ' << step.session_.epoch << " session " << step.session_.session_id << ' '
        << static_cast<int>(step.need_) << ' ' << step.asked_on_this_connection() << step.rechecked_ << step.missing_parents_;
    if (step.budget_) out << " used " << step.budget_->used_;
}

void write(std::ostream& out, const AcquireMachine& machine) {
    out << static_cast<int>(machine.step_) << ' ';
    write(out, machine.connected_step_);
    if (const auto& claim = machine.claim_) {
        out << ' ' << claim->guid << ' ' << claim->epoch << ' ' << claim->session_id << ' ' << claim->name << ' '
            << claim->czxid << claim->in_flight << claim->in_doubt;
    }
    const auto connections = machine.connected_step_.connections_;
    out << ' ' << (machine.own_asked_on_ == connections) << (machine.ahead_asked_on_ == connections) << ' '
        << machine.ahead_.name << ' ' << static_cast<int>(machine.ahead_.deletion) << static_cast<int>(machine.own_watch_)
        << static_cast<int>(machine.ahead_watch_) << machine.ahead_is_ours_ << machine.disturbed_ << ' '
        << machine.last_error_.value();
    for (const auto& name : machine.found_) out << ' ' << name;
}

} // namespace

std::optional<std::string> peek(const detail::Operation& operation) {
    const auto* const acquire = dynamic_cast<const detail::AcquireOperation*>(&operation);
    if (!acquire || !acquire->driver_) return std::nullopt;
    const detail::AcquireDriver& driver = *acquire->driver_;
    std::ostringstream out;
    write(out, driver.machine_);
    out << ' ' << (driver.own_watch_ != nullptr) << (driver.ahead_watch_ != nullptr) << driver.ahead_ << ' '
        << (driver.timers_.session_ != nullptr) << (driver.timers_.pause_ != nullptr);
    return out.str();
}

std::string peek(const detail::FakeClient& client) {
    std::ostringstream out;
    for (const auto& entry : client.removals_.orders_) {
        out << entry.order.path << " _c_" << entry.order.guid << ' ' << entry.under_way << (entry.done != nullptr) << '\n';
    }
    for (const auto& [when, timer] : client.timers_) {
        if (!timer.expired()) out << (when - client.own_now()).count() << ' ';
    }
    return out.str();
}

} // namespace docent::explorer
