// SPDX-License-Identifier: Apache-2.0

// Reads private members of many classes. Only the picture needs these members, so this file is compiled without access control
// (-fno-access-control) and the classes have no accessors for it.

#include "picture/peek.hpp"

#include "client/core/access.hpp"
#include "client/transaction/transaction_operation.hpp"
#include "lease/node_lease.hpp"
#include "local/local_acquire.hpp"
#include "multi/multi_operation.hpp"
#include "names/node_name.hpp"
#include "observers/text_builder.hpp"
#include "queue/acquire_driver.hpp"
#include "queue/path_waiters.hpp"
#include "read_write/read_write_core.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <algorithm>
#include <typeinfo>

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

/// Returns true if an operation waits here for a connection or for the end of a pause.
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

/// Returns false if there is nothing to write.
bool write(TextBuilder& out, const detail::AcquireOperation& acquire, const PeekTerms& terms) {
    const auto* const before = acquire.before_.get();
    if (acquire.queue_)
        out << "local " << (before && before->ticket) << (before && before->deadline) << (acquire.done_ != nullptr) << ' ';
    if (acquire.driver_) write(out, *acquire.driver_, terms);
    return acquire.queue_ || acquire.driver_;
}

void write(TextBuilder& out, const detail::TransactionMarker& marker) {
    out << "marker " << marker.path_ << ' ' << marker.made_ << marker.asked_for << " version " << marker.version_ << ' '
        << static_cast<int>(marker.last_id_) << ' ' << marker.written_ << " epoch " << marker.epoch << '\n';
}

/// Leaves out the result, which the operation only passes to its caller.
void write(TextBuilder& out, const detail::TransactionOperation& transaction) {
    write(out, transaction.wait_);
    if (!transaction.machine_) return; // it has not begun
    const auto& machine = *transaction.machine_;
    out << "transaction " << transaction.sent_ << ' ' << machine.next_ << machine.marker_ << machine.in_doubt_
        << machine.repeats_ << ' ' << machine.last_error_.value() << " epoch " << machine.epoch_ << " used "
        << machine.budget_.used_;
    if (transaction.marker_) write(out, *transaction.marker_);
}

} // namespace

bool write(TextBuilder& out, const detail::Operation& operation, const PeekTerms& terms) {
    if (const auto* const acquire = dynamic_cast<const detail::AcquireOperation*>(&operation))
        return write(out, *acquire, terms);
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

// ---- clients

namespace {

/// Returns the markers that the client keeps; null if there are none yet.
const detail::MarkerPool* find_markers(const detail::FakeClient& client) {
    for (const auto& [type, kept] : client.kept_) {
        if (type == typeid(detail::MarkerPool)) return static_cast<const detail::MarkerPool*>(kept.get());
    }
    return nullptr;
}

/// Calls the function for the waiters of each path.
void for_each_path(const detail::FakeClient& client, const auto& function) {
    for (const auto& [name, weak] : client.shared_objects_.objects_) {
        const auto object = name.starts_with("waiters ") ? weak.lock() : nullptr;
        if (object) function(*std::static_pointer_cast<const detail::PathWaiters>(object));
    }
}

/// Returns true if the machine may still use the shared knowledge of the queue, before it has listed the queue.
bool may_ask(const detail::AcquireMachine& machine) {
    using Step = detail::AcquireMachine::Step;
    return machine.step_ == Step::verifying ||
           (machine.step_ == Step::watching && machine.ahead_.deletion == detail::Deletion::list_again);
}

/// Writes the known nodes up to the waiter's own, and which of the nodes ahead are known (`Ahead` in queue_snapshot.hpp).
void write(TextBuilder& out, const detail::QueueSnapshot& known, const detail::PathWaiters::Member& waiter) {
    const auto& machine = static_cast<const detail::AcquireDriver&>(waiter).machine_;
    if (!may_ask(machine) || !machine.claim_) return;
    const auto self = known.find(machine.claim_->name());
    if (!self) return;
    out << "known";
    for (auto each = known.begin(); each <= *self; ++each) out << ' ' << each->contender.name;
    out << ' ' << (*self)->ahead << '\n';
}

void write(TextBuilder& out, const detail::PathWaiters& waiters, bool all) {
    const auto& known = *waiters.snapshot_;
    if (!all) {
        for (const auto& member : waiters.members_) write(out, known, member);
        return;
    }
    out << "known to " << waiters.size();
    for (auto each = known.begin(); each != known.queue_.end(); ++each)
        out << ' ' << each->contender.name << ' ' << each->ahead;
    out << '\n';
}

} // namespace

void write_owed(TextBuilder& out, const detail::FakeClient& client, bool all_known) {
    for (const auto& entry : client.removals_.orders_) {
        out << entry.under_way << (entry.done != nullptr) << ' ' << entry.order.path;
        if (!entry.order.guid.empty()) out << " _c_" << entry.order.guid;
        out << '\n';
    }
    for (const auto& path : client.orphaned_nodes_.suspects_) out << "suspect " << path << '\n';
    for (const auto& path : client.orphaned_nodes_.unseen_) out << "unseen " << path << '\n';
    if (const auto* const markers = find_markers(client)) {
        for (const auto& idle : markers->idle_) {
            out << "keeps ";
            write(out, idle.marker);
        }
    }
    for_each_path(client, [&](const detail::PathWaiters& waiters) {
        if (waiters.snapshot_) write(out, waiters, all_known);
    });
}

namespace {

bool is_arriving(const detail::FakeClient& client, const std::string& name) {
    if (!client.link_) return false;
    const auto& items = client.link_->arriving;
    return std::any_of(items.begin(), items.end(), [&](const auto& item) {
        const auto& listed = item.reply.children;
        return std::any_of(listed.begin(), listed.end(), [&](const auto& child) { return child.starts_with(name); });
    });
}

} // namespace

/// Knowledge of an older session does not matter: the client drops it with its next session. Doubt does not matter either,
/// because two nodes never have the same guid.
void write_known(TextBuilder& out, const detail::FakeClient& client, std::size_t length_of_trees, bool all) {
    const std::string trees(out.text().substr(0, length_of_trees)); // writing may move the text
    for (const auto& [guid, known] : client.orphaned_nodes_.known_) {
        const auto name = "_c_" + guid;
        const auto is_shown = [&](const std::string& each) {
            return trees.find(each) != std::string::npos || is_arriving(client, each);
        };
        const bool shown_is_gone = std::any_of(known.gone.begin(), known.gone.end(), is_shown); // counts as unknown
        if (!all && known.under_way == 0 && (!is_shown(name) || shown_is_gone)) continue;
        out << known.under_way;
        if (all) out << known.may_exist << known.in_doubt;
        out << ' ' << name;
        for (const auto& gone : known.gone) {
            if (all || is_shown(gone)) out << ' ' << gone;
        }
        out << '\n';
    }
}

std::set<const void*> watches_ahead(const detail::FakeClient& client) {
    std::set<const void*> watches;
    for_each_path(client, [&](const detail::PathWaiters& waiters) {
        for (const auto& member : waiters.members_) {
            watches.insert(static_cast<const detail::AcquireDriver&>(member).ahead_watch_.get());
        }
    });
    return watches;
}

bool only_removes(const detail::FakeClient& client) {
    const auto& orders = client.removals_.orders_;
    const auto& requests = client.link_->requests;
    return client.link_->arriving.empty() && client.orphaned_nodes_.suspects_.empty() &&
           client.orphaned_nodes_.unseen_.empty() &&
           std::all_of(orders.begin(), orders.end(), [](const auto& entry) { return entry.order.guid.empty(); }) &&
           std::all_of(requests.begin(), requests.end(),
                       [](const auto& call) { return std::holds_alternative<zk::RemoveRequest>(call.request); });
}

} // namespace docent::explorer
