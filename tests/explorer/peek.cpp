// SPDX-License-Identifier: Apache-2.0

// Compiled without access control: what is told apart here is nobody else's business, and no reason to open it to others.

#include "peek.hpp"

#include "client/core/access.hpp"
#include "lease/lease_core.hpp"
#include "multi/multi_operation.hpp"
#include "queue/acquire_operation.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <algorithm>
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
        out << " _c_" << claim->guid << ' ' << claim->epoch << " session " << claim->session_id << ' ' << claim->name
            << " czxid " << claim->czxid << ' ' << claim->in_flight << claim->in_doubt;
    }
    const auto connections = machine.connected_step_.connections_;
    out << ' ' << (machine.own_asked_on_ == connections) << (machine.ahead_asked_on_ == connections) << ' '
        << machine.ahead_.name << ' ' << static_cast<int>(machine.ahead_.deletion) << static_cast<int>(machine.own_watch_)
        << static_cast<int>(machine.ahead_watch_) << machine.ahead_is_ours_ << machine.disturbed_ << ' '
        << machine.last_error_.value();
    for (const auto& name : machine.found_) out << ' ' << name;
}

void write(std::ostream& out, const detail::StepTimers& timers) {
    out << ' ' << (timers.session_ != nullptr) << (timers.pause_ != nullptr);
}

void write(std::ostream& out, const detail::AcquireDriver& driver) {
    write(out, driver.machine_);
    out << ' ' << (driver.own_watch_ != nullptr) << (driver.ahead_watch_ != nullptr) << driver.ahead_;
    write(out, driver.timers_);
}

void write(std::ostream& out, const detail::PermitMachine& machine) {
    out << static_cast<int>(machine.step_) << ' ';
    write(out, machine.connected_step_);
    out << " czxid " << machine.gate_.czxid << ' ' << machine.gate_.epoch << ' ' << machine.limit_ << ' ' << machine.out_
        << machine.watched_ << static_cast<int>(machine.gate_watch_)
        << (machine.gate_asked_on_ == machine.connected_step_.connections_);
    for (const auto& permit : machine.permits_) {
        out << " _c_" << permit.guid << ' ' << permit.node.name << " czxid " << permit.node.czxid << ' ' << permit.may_exist;
    }
    for (const auto& guid : machine.dropped_) out << " dropped _c_" << guid;
}

void write(std::ostream& out, const detail::SemaphoreOperation& semaphore) {
    if (semaphore.gate_driver_) return write(out, *semaphore.gate_driver_);
    write(out, *semaphore.machine_);
    out << ' ' << semaphore.gate_->path << ' ' << (semaphore.leases_watch_ != nullptr) << (semaphore.gate_watch_ != nullptr);
    write(out, semaphore.timers_);
}

/// False if there is an attempt that cannot be described.
bool write(std::ostream& out, const detail::MultiOperation& multi) {
    out << static_cast<int>(multi.machine_->step_);
    for (std::size_t lock = 0; lock < multi.slots_.size(); ++lock) {
        const auto& slot = multi.slots_[lock];
        out << ' ' << static_cast<int>(multi.machine_->locks_[lock]) << ' ' << multi.machine_->errors_[lock].value();
        if (const auto core = detail::Access::core(slot.lease)) out << ' ' << peek(*core);
        if (!slot.attempt) continue;
        const auto knows = peek(*slot.attempt);
        if (!knows) return false;
        out << " (" << *knows << ')';
    }
    return true;
}

} // namespace

std::optional<std::string> peek(const detail::Operation& operation) {
    std::ostringstream out;
    if (const auto* const acquire = dynamic_cast<const detail::AcquireOperation*>(&operation)) {
        if (!acquire->driver_) return std::nullopt;
        write(out, *acquire->driver_);
    } else if (const auto* const semaphore = dynamic_cast<const detail::SemaphoreOperation*>(&operation)) {
        if (!semaphore->gate_driver_ && !semaphore->machine_) return std::nullopt;
        write(out, *semaphore);
    } else if (const auto* const multi = dynamic_cast<const detail::MultiOperation*>(&operation)) {
        if (!multi->machine_ || !write(out, *multi)) return std::nullopt;
    } else {
        return std::nullopt;
    }
    return out.str();
}

std::string peek(const detail::LeaseCore& lease) {
    std::ostringstream out;
    out << lease.path() << " czxid " << lease.czxid() << " czxid " << lease.fencing_token() << ' ' << lease.epoch() << ' '
        << static_cast<int>(lease.latched_.load()) << lease.interrupted_ << lease.settled_ << lease.node_kept_
        << lease.keeps_node_.load() << (lease.own_watch_ != nullptr) << static_cast<int>(lease.revocation_)
        << std::count_if(lease.waiting_.begin(), lease.waiting_.end(), [](const auto& weak) { return !weak.expired(); });
    return out.str();
}

std::string peek(const detail::FakeClient& client) {
    std::ostringstream out;
    for (const auto& entry : client.removals_.orders_) {
        out << entry.order.path << " _c_" << entry.order.guid << ' ' << entry.under_way << (entry.done != nullptr) << '\n';
    }
    for (const auto& [guid, known] : client.ghosts_.known_) {
        out << "_c_" << guid << ' ' << known.epoch << known.under_way << known.may_exist << known.in_doubt;
        for (const auto& name : known.gone) out << ' ' << name;
        out << '\n';
    }
    for (const auto& path : client.ghosts_.suspects_) out << "suspect " << path << '\n';
    for (const auto& path : client.ghosts_.unseen_) out << "unseen " << path << '\n';
    return out.str();
}

std::string peek_behind(const detail::FakeClient& client, const detail::FakeTree* follower) {
    std::ostringstream out;
    const auto behind = [&](std::int64_t zxid) { return follower ? std::max<std::int64_t>(0, zxid - follower->zxid()) : 0; };
    out << "behind " << behind(client.last_zxid_);
    if (client.link_) {
        for (const auto& item : client.link_->arriving) out << ' ' << behind(item.zxid);
    }
    const auto missed = [&](const auto& key, const detail::FakeTree& tree) {
        return client.missed_by(key, tree, client.last_zxid_).has_value();
    };
    for (const auto& [key, sinks] : client.sinks_) {
        out << ' ' << key.first << ' ' << static_cast<int>(key.second) << missed(key, client.world_.ensemble.truth());
        if (follower) out << missed(key, *follower);
    }
    return out.str();
}

} // namespace docent::explorer
