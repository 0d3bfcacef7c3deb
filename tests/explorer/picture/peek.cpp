// SPDX-License-Identifier: Apache-2.0

// Compiled without access control. Only the picture needs these members, so the classes need not open them for it.

#include "picture/peek.hpp"

#include "client/core/access.hpp"
#include "client/transaction/transaction_operation.hpp"
#include "lease/node_lease.hpp"
#include "local/local_acquire.hpp"
#include "local/local_hold.hpp"
#include "multi/multi_operation.hpp"
#include "names/node_name.hpp"
#include "observers/text_builder.hpp"
#include "queue/acquire_driver.hpp"
#include "read_write/read_write_core.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <algorithm>

namespace docent::explorer {
namespace {

using detail::AcquireMachine;
using detail::PermitMachine;
using detail::TextBuilder;

/// `waits`: the step sends its next request later. `asks`: the step has sent a request, and an answer counts only on this
/// connection.
template <typename Need> void write(TextBuilder& out, const detail::ConnectedStep<Need>& step, bool waits, bool asks) {
    out << step.session_.state << " epoch " << step.session_.epoch << " session " << step.session_.session_id << ' '
        << step.rechecked_ << step.missing_parents_;
    if (waits) out << " needs " << step.need_;
    if (asks) out << " asked " << step.asked_on_this_connection();
    if (step.budget_) out << " used " << step.budget_->used_;
}

/// Leaves out values that the machine overwrites before it reads them again.
void write(TextBuilder& out, const AcquireMachine& machine, const PeekTerms& terms) {
    using Step = AcquireMachine::Step;
    using Watch = AcquireMachine::Watch;
    const auto step = machine.step_;
    out << machine.rules_.wait_mode << step << ' ';
    const bool watches = step == Step::watching;
    const bool waits = step == Step::waiting || step == Step::pausing;
    write(out, machine.connected_step_, waits, !waits && !watches);
    const auto& claim = machine.claim_;
    if (claim) {
        out << " _c_" << claim->guid() << " epoch " << claim->epoch << " session " << claim->session_id << ' ' << claim->name()
            << " czxid " << claim->czxid << ' ' << claim->in_flight << claim->in_doubt;
        if (claim->in_doubt && !claim->named()) out << ' ' << machine.last_error_.value();
    }
    const auto connections = machine.connected_step_.connections_;
    // A machine that does not watch uses the watch ahead only if it asked for this watch on this connection, and may wait for
    // the same node again.
    const bool has_asked =
        machine.ahead_watch_ == Watch::asked && machine.connected_step_.connected() && machine.ahead_asked_on_ == connections;
    const auto ahead_watch = watches || has_asked ? machine.ahead_watch_ : Watch::unset;
    out << ' ' << machine.own_watch_ << ahead_watch << machine.disturbed_;
    if (machine.own_watch_ == Watch::asked) out << " own " << (machine.own_asked_on_ == connections);
    if (ahead_watch == Watch::asked) out << " ahead " << (machine.ahead_asked_on_ == connections);
    if (watches) out << ' ' << machine.ahead_.name << ' ' << machine.ahead_.deletion << machine.ahead_is_ours_;
    else if (ahead_watch != Watch::unset) out << ' ' << machine.ahead_.name; // requested with the list
    if (step != Step::verifying) return;
    for (const auto& name : machine.found_) {
        const bool is_behind = claim && claim->named() && detail::number_text(name) > detail::number_text(claim->name());
        if (!terms.goes_by_place || !is_behind) out << ' ' << name;
    }
}

void write(TextBuilder& out, const detail::StepTimers& timers) {
    out << ' ' << (timers.session_ != nullptr) << (timers.pause_ != nullptr);
}

void write(TextBuilder& out, const detail::AcquireDriver& driver, const PeekTerms& terms) {
    write(out, driver.machine_, terms);
    write(out, driver.timers_);
}

void write(TextBuilder& out, const PermitMachine& machine) {
    using Step = PermitMachine::Step;
    const auto step = machine.step_;
    out << step << ' ';
    const bool waits = step == Step::waiting || step == Step::pausing;
    write(out, machine.connected_step_, waits, !waits && step != Step::parked);
    out << " czxid " << machine.gate_.czxid << " epoch " << machine.gate_.epoch << ' ' << machine.limit_ << ' '
        << machine.gate_watch_;
    if (step == Step::listing) out << " watched " << machine.watched_;
    if (machine.gate_watch_ == PermitMachine::Watch::asked)
        out << " gate " << (machine.gate_asked_on_ == machine.connected_step_.connections_);
    for (const auto& permit : machine.permits_) {
        out << " _c_" << permit.guid << ' ' << permit.node.name << " czxid " << permit.node.czxid << ' ' << permit.may_exist;
    }
    for (const auto& guid : machine.dropped_) out << " dropped _c_" << guid;
}

void write(TextBuilder& out, const detail::SemaphoreOperation& semaphore, const PeekTerms& terms) {
    if (semaphore.gate_driver_) return write(out, *semaphore.gate_driver_, terms);
    write(out, *semaphore.machine_);
    out << ' ' << semaphore.gate_->path << ' ' << (semaphore.leases_watch_ != nullptr) << (semaphore.gate_watch_ != nullptr);
    write(out, semaphore.timers_);
}

/// Returns false if an attempt cannot be written.
bool write(TextBuilder& out, const detail::MultiOperation& multi, const PeekTerms& terms) {
    out << multi.machine_->step_;
    for (std::size_t lock = 0; lock < multi.slots_.size(); ++lock) {
        const auto& slot = multi.slots_[lock];
        out << ' ' << multi.machine_->locks_[lock] << ' ' << multi.machine_->errors_[lock].value();
        if (const auto core = detail::Access::core(slot.lease)) {
            out << ' ';
            explorer::write(out, *core, terms);
        }
        if (!slot.attempt) continue;
        out << " (";
        if (!explorer::write(out, *slot.attempt, terms)) return false;
        out << ')';
    }
    return true;
}

/// Returns true if it waits.
bool write(TextBuilder& out, const detail::ConnectionWait& wait) {
    if (wait.listener_ == nullptr) return false;
    out << (wait.what_ == detail::ConnectionWait::For::pause ? "pauses" : "connects") << (wait.timer_ != nullptr) << ' ';
    return true;
}

void write(TextBuilder& out, const detail::DowngradeOperation& downgrade) {
    out << "downgrade " << downgrade.path_ << ' ' << downgrade.sent_ << (downgrade.write_over_ != nullptr) << ' ';
    if (write(out, downgrade.wait_)) out << (downgrade.next_ == &detail::DowngradeOperation::send ? "sends" : "looks");
    if (downgrade.budget_) out << " used " << downgrade.budget_->used_;
}

void write(TextBuilder& out, const detail::LocalAcquireOperation& acquire, const PeekTerms& terms) {
    out << "local " << acquire.ticket_.has_value() << (acquire.deadline_ != nullptr) << (acquire.done_ != nullptr) << ' ';
    if (acquire.driver_) write(out, *acquire.driver_, terms);
}

/// Leaves out the result, which the operation only passes to its caller.
void write(TextBuilder& out, const detail::TransactionOperation& transaction) {
    write(out, transaction.wait_);
    if (!transaction.machine_) return; // it has not begun
    const auto& machine = *transaction.machine_;
    out << "transaction " << transaction.sent_ << ' ' << machine.next_ << machine.marker_ << machine.in_doubt_
        << machine.repeats_ << ' ' << machine.last_error_.value() << " epoch " << machine.epoch_ << " used "
        << machine.budget_.used_;
    if (transaction.marker_) write_marker(out, *transaction.marker_);
}

} // namespace

bool write(TextBuilder& out, const detail::Operation& operation, const PeekTerms& terms) {
    if (const auto* const acquire = dynamic_cast<const detail::AcquireOperation*>(&operation)) {
        if (acquire->driver_) write(out, *acquire->driver_, terms);
        return acquire->driver_ != nullptr;
    }
    if (const auto* const local = dynamic_cast<const detail::LocalAcquireOperation*>(&operation)) {
        write(out, *local, terms);
        return true;
    }
    if (const auto* const semaphore = dynamic_cast<const detail::SemaphoreOperation*>(&operation)) {
        if (!semaphore->gate_driver_ && !semaphore->machine_) return false;
        write(out, *semaphore, terms);
        return true;
    }
    if (const auto* const multi = dynamic_cast<const detail::MultiOperation*>(&operation))
        return multi->machine_ && write(out, *multi, terms);
    if (const auto* const downgrade = dynamic_cast<const detail::DowngradeOperation*>(&operation)) {
        write(out, *downgrade);
        return true;
    }
    const auto* const transaction = dynamic_cast<const detail::TransactionOperation*>(&operation);
    if (transaction) write(out, *transaction);
    return transaction != nullptr;
}

namespace {

/// Leaves out the number of the hold, which has no effect.
void write(TextBuilder& out, const detail::LocalHold& hold) {
    out << "hold " << hold.hold_.state() << hold.inside_.load() << hold.keeps_node_.load() << hold.has_audience()
        << (hold.expiry_ != nullptr) << ' ';
    explorer::write(out, *hold.lease_, {});
}

void write(TextBuilder& out, const detail::LocalMachine& machine) {
    out << " machine " << machine.node_ << machine.others_ << machine.fresh_ << machine.idle_ << ' ' << machine.handovers_;
    for (const auto& waiter : machine.waiting_) out << (waiter.tries ? " tries" : " waits");
    out << '\n';
}

} // namespace

void write(TextBuilder& out, const detail::MutexCore& kept) {
    const auto& queue = *kept.local_;
    write(out, queue.machine_);
    for (const auto& node : queue.nodes_) {
        if (!node.lease) continue; // an entry without a node keeps old values until it is used again
        out << (&node == queue.current() ? "current " : "retired ") << node.used << node.hold_counter.open()
            << node.hold_counter.inside() << node.asked_for << node.attentive.size() << (node.lease == queue.looked_at_) << ' ';
        explorer::write(out, *node.lease, {});
        out << '\n';
    }
    out << queue.waiting_.size() << (queue.awaited_attempt_ != 0) << (queue.awaited_attempt_ == queue.attempt_number_)
        << (queue.looked_at_ != nullptr) << (queue.watch_ != nullptr) << queue.is_alone_ << queue.was_empty_
        << (queue.current() != nullptr && queue.seen_entered_ == queue.current()->hold_counter.entered())
        << (queue.session_ != nullptr) << (queue.idle_timer_ != nullptr) << (queue.look_timer_ != nullptr) << ' ';
    if (queue.attempt_) write(out, *queue.attempt_, {}); // a keeper looks behind its node
    out << '\n';
}

/// Leaves out the watch on a node that no other client removes: it tells nothing.
void write(TextBuilder& out, const detail::LeaseCore& core, const PeekTerms& terms) {
    if (const auto* const hold = dynamic_cast<const detail::LocalHold*>(&core)) return write(out, *hold);
    const auto& lease = dynamic_cast<const detail::NodeLease&>(core);
    const bool is_left_alone = terms.keeper && terms.keeper->has_node(lease.path());
    out << lease.path() << " czxid " << lease.czxid() << " czxid " << lease.fencing_token() << " epoch " << lease.epoch() << ' '
        << lease.hold_.state() << (lease.interrupted_ && !lease.settled_) << lease.settled_ << lease.node_kept_
        << lease.keeps_node_.load() << (!is_left_alone && lease.own_watch_ != nullptr) << lease.asked_for_
        << lease.audience_->told << lease.audience_->waiting.size();
}

} // namespace docent::explorer
