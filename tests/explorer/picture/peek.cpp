// SPDX-License-Identifier: Apache-2.0

// Compiled without access control: what is told apart here is nobody else's business, and no reason to open it to others.

#include "picture/peek.hpp"

#include "client/core/access.hpp"
#include "client/transaction/transaction_operation.hpp"
#include "lease/node_lease.hpp"
#include "local/local_acquire.hpp"
#include "local/local_hold.hpp"
#include "multi/multi_operation.hpp"
#include "observers/text_builder.hpp"
#include "queue/acquire_operation.hpp"
#include "read_write/downgrade_operation.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <docent/path.hpp>

#include <algorithm>

namespace docent::explorer {
namespace {

using detail::AcquireMachine;
using detail::PermitMachine;
using detail::TextBuilder;

/// `waits`: for what it will ask for then. `asks`: it has asked, and the answer counts if it comes by this connection.
template <typename Need> void write(TextBuilder& out, const detail::ConnectedStep<Need>& step, bool waits, bool asks) {
    out << step.session_.state << " epoch " << step.session_.epoch << " session " << step.session_.session_id << ' '
        << step.rechecked_ << step.missing_parents_;
    if (waits) out << " needs " << step.need_;
    if (asks) out << " asked " << step.asked_on_this_connection();
    if (step.budget_) out << " used " << step.budget_->used_;
}

/// What it will overwrite before it looks at it again is nothing that it knows.
void write(TextBuilder& out, const AcquireMachine& machine) {
    using Step = AcquireMachine::Step;
    using Watch = AcquireMachine::Watch;
    const auto step = machine.step_;
    out << machine.rules_.patience << step << ' ';
    const bool watches = step == Step::watching;
    const bool waits = step == Step::waiting || step == Step::pausing;
    write(out, machine.connected_step_, waits, !waits && !watches);
    const auto& claim = machine.claim_;
    if (claim) {
        out << " _c_" << claim->guid << " epoch " << claim->epoch << " session " << claim->session_id << ' ' << claim->name
            << " czxid " << claim->czxid << ' ' << claim->in_flight << claim->in_doubt;
        if (claim->in_doubt && !claim->named()) out << ' ' << machine.last_error_.value();
    }
    const auto connections = machine.connected_step_.connections_;
    out << ' ' << machine.own_watch_ << machine.ahead_watch_ << machine.disturbed_;
    if (machine.own_watch_ == Watch::asked) out << " own " << (machine.own_asked_on_ == connections);
    if (machine.ahead_watch_ == Watch::asked) out << " ahead " << (machine.ahead_asked_on_ == connections);
    if (watches) out << ' ' << machine.ahead_.name << ' ' << machine.ahead_.deletion << machine.ahead_is_ours_;
    else if (machine.ahead_watch_ != Watch::unset) out << ' ' << machine.ahead_.name; // asked for with the list
    if (step != Step::verifying) return;
    for (const auto& name : machine.found_) out << ' ' << name;
}

void write(TextBuilder& out, const detail::StepTimers& timers) {
    out << ' ' << (timers.session_ != nullptr) << (timers.pause_ != nullptr);
}

void write(TextBuilder& out, const detail::AcquireDriver& driver) {
    write(out, driver.machine_);
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

void write(TextBuilder& out, const detail::SemaphoreOperation& semaphore) {
    if (semaphore.gate_driver_) return write(out, *semaphore.gate_driver_);
    write(out, *semaphore.machine_);
    out << ' ' << semaphore.gate_->path << ' ' << (semaphore.leases_watch_ != nullptr) << (semaphore.gate_watch_ != nullptr);
    write(out, semaphore.timers_);
}

/// False if there is an attempt that cannot be described.
bool write(TextBuilder& out, const detail::MultiOperation& multi) {
    out << multi.machine_->step_;
    for (std::size_t lock = 0; lock < multi.slots_.size(); ++lock) {
        const auto& slot = multi.slots_[lock];
        out << ' ' << multi.machine_->locks_[lock] << ' ' << multi.machine_->errors_[lock].value();
        if (const auto core = detail::Access::core(slot.lease)) {
            out << ' ';
            explorer::write(out, *core);
        }
        if (!slot.attempt) continue;
        out << " (";
        if (!explorer::write(out, *slot.attempt)) return false;
        out << ')';
    }
    return true;
}

/// What it will do after a wait cannot be seen.
bool waits(const detail::ConnectionWait& wait) {
    return wait.listener_ != nullptr || wait.timer_ != nullptr;
}

bool write(TextBuilder& out, const detail::DowngradeOperation& downgrade) {
    if (waits(downgrade.wait_)) return false;
    out << "downgrade " << downgrade.path_ << ' ' << downgrade.sent_ << (downgrade.write_over_ != nullptr);
    if (downgrade.budget_) out << " used " << downgrade.budget_->used_;
    return true;
}

void write(TextBuilder& out, const detail::LocalAcquireOperation& acquire) {
    out << "local " << acquire.ticket_.has_value() << (acquire.deadline_ != nullptr) << (acquire.done_ != nullptr) << ' ';
    if (acquire.driver_) write(out, *acquire.driver_);
}

/// The result is what its caller is told, and tells the caller nothing more.
bool write(TextBuilder& out, const detail::TransactionOperation& transaction) {
    if (waits(transaction.wait_) || !transaction.machine_) return false;
    const auto& machine = *transaction.machine_;
    out << "transaction " << transaction.plan_.marker << ' ' << transaction.sent_ << transaction.in_flight_ << ' '
        << machine.next_ << machine.in_doubt_ << machine.parent_made_ << ' ' << machine.last_error_.value() << " epoch "
        << machine.epoch_ << " used " << machine.budget_.used_;
    return true;
}

} // namespace

bool write(TextBuilder& out, const detail::Operation& operation) {
    if (const auto* const acquire = dynamic_cast<const detail::AcquireOperation*>(&operation)) {
        if (acquire->driver_) write(out, *acquire->driver_);
        return acquire->driver_ != nullptr;
    }
    if (const auto* const local = dynamic_cast<const detail::LocalAcquireOperation*>(&operation)) {
        write(out, *local);
        return true;
    }
    if (const auto* const semaphore = dynamic_cast<const detail::SemaphoreOperation*>(&operation)) {
        if (!semaphore->gate_driver_ && !semaphore->machine_) return false;
        write(out, *semaphore);
        return true;
    }
    if (const auto* const multi = dynamic_cast<const detail::MultiOperation*>(&operation))
        return multi->machine_ && write(out, *multi);
    if (const auto* const downgrade = dynamic_cast<const detail::DowngradeOperation*>(&operation))
        return write(out, *downgrade);
    if (const auto* const transaction = dynamic_cast<const detail::TransactionOperation*>(&operation))
        return write(out, *transaction);
    return false;
}

namespace {

/// Which of the node's holds it is changes nothing.
void write(TextBuilder& out, const detail::LocalHold& hold) {
    out << "hold " << hold.hold_.state() << hold.inside_.load() << hold.keeps_node_.load() << (hold.audience_ != nullptr)
        << (hold.expiry_ != nullptr) << ' ';
    explorer::write(out, *hold.lease_);
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
        if (!node.lease) continue; // it stays where it was until another one comes
        out << (&node == queue.current() ? "current " : "retired ") << node.used << node.occupancy.open()
            << node.occupancy.inside() << node.asked_for << node.attentive.size() << (node.lease == queue.looked_at_) << ' ';
        explorer::write(out, *node.lease);
        out << '\n';
    }
    out << queue.waiting_.size() << (queue.awaited_attempt_ != 0) << (queue.awaited_attempt_ == queue.attempt_number_)
        << (queue.looked_at_ != nullptr) << (queue.watch_ != nullptr) << queue.is_alone_ << queue.was_empty_
        << (queue.current() != nullptr && queue.seen_entered_ == queue.current()->occupancy.entered())
        << (queue.session_ != nullptr) << (queue.idle_timer_ != nullptr) << (queue.look_timer_ != nullptr) << ' ';
    if (queue.attempt_) write(out, *queue.attempt_);
    out << '\n';
}

void write(TextBuilder& out, const detail::LeaseCore& core) {
    if (const auto* const hold = dynamic_cast<const detail::LocalHold*>(&core)) return write(out, *hold);
    const auto& lease = dynamic_cast<const detail::NodeLease&>(core);
    out << lease.path() << " czxid " << lease.czxid() << " czxid " << lease.fencing_token() << " epoch " << lease.epoch() << ' '
        << lease.hold_.state() << (lease.interrupted_ && !lease.settled_) << lease.settled_ << lease.node_kept_
        << lease.keeps_node_.load() << (lease.own_watch_ != nullptr) << lease.revocation_
        << std::count_if(lease.waiting_.begin(), lease.waiting_.end(), [](const auto& weak) { return !weak.expired(); });
}

namespace {

void write(TextBuilder& out, const detail::QueueCompanies& companies) {
    for (const auto& [key, weak] : companies.all) {
        const auto company = weak.lock();
        if (!company || !company->known_) continue;
        out << "known to " << company->size_;
        const auto& known = *company->known_;
        for (auto each = known.begin(); each != known.queue_.end(); ++each) {
            out << ' ' << each->contender.name << ' ' << each->ahead;
        }
        out << '\n';
    }
}

} // namespace

void write_owed(TextBuilder& out, const detail::FakeClient& client) {
    for (const auto& entry : client.removals_.orders_) {
        out << entry.under_way << (entry.done != nullptr) << ' ' << entry.order.path;
        if (!entry.order.guid.empty()) out << " _c_" << entry.order.guid;
        out << '\n';
    }
    for (const auto& path : client.ghosts_.suspects_) out << "suspect " << path << '\n';
    for (const auto& path : client.ghosts_.unseen_) out << "unseen " << path << '\n';
    for (const auto& [type, kept] : client.kept_) { // without making it
        if (type == typeid(detail::QueueCompanies)) write(out, *static_cast<const detail::QueueCompanies*>(kept.get()));
    }
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

/// That it knows of an older session it forgets with the next one, whichever that is. There are no two nodes of one guid: so it
/// is all the same whether there was a doubt.
void write_known(TextBuilder& out, const detail::FakeClient& client, std::size_t length_of_trees, bool all) {
    const std::string trees(out.text().substr(0, length_of_trees)); // what is written may move
    for (const auto& [guid, known] : client.ghosts_.known_) {
        const auto name = "_c_" + guid;
        const auto is_shown = [&](const std::string& each) {
            return trees.find(each) != std::string::npos || is_arriving(client, each);
        };
        const bool shown_is_gone = std::any_of(known.gone.begin(), known.gone.end(), is_shown); // as if it were not known
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

void let_guids_be_of_one_length(detail::FakeClient& client) {
    client.guids_ = 100;
}

std::int64_t last_zxid(const detail::FakeClient& client) {
    return client.last_zxid_;
}

std::uint64_t requests_so_far(const detail::FakeClient& client) {
    return client.requests_sent_;
}

std::optional<std::uint64_t> oldest_request(const detail::FakeClient& client, std::optional<std::size_t> owner) {
    std::optional<std::uint64_t> oldest;
    const auto consider = [&](const detail::FakeClient::Call& call) {
        if ((!owner || call.owner == *owner) && (!oldest || call.number < *oldest)) oldest = call.number;
    };
    if (!client.link_) return oldest;
    for (const auto& call : client.link_->requests) consider(call);
    for (const auto& item : client.link_->arriving) {
        if (item.call) consider(*item.call);
    }
    return oldest;
}

std::optional<Asked> next_answered(const detail::FakeClient& client) {
    if (!hears_reply_next(client)) return std::nullopt;
    const auto& call = *client.link_->arriving.front().call;
    const bool is_kept =
        std::holds_alternative<zk::CreateRequest>(call.request) || std::holds_alternative<zk::SyncRequest>(call.request);
    if (!is_kept) return std::nullopt;
    return Asked{call.number, zk::path_of(call.request), call.owner};
}

std::vector<Asked> all_asked(const detail::FakeClient& client, std::optional<std::size_t> owner) {
    std::vector<Asked> all;
    const auto add = [&](const detail::FakeClient::Call& call) {
        if (!owner || call.owner == *owner) all.push_back({call.number, zk::path_of(call.request), call.owner});
    };
    if (!client.link_) return all;
    for (const auto& call : client.link_->requests) add(call);
    for (const auto& item : client.link_->arriving) {
        if (item.call) add(*item.call);
    }
    return all;
}

bool has_unheard_news(const detail::FakeClient& client) {
    using Client = detail::FakeClient;
    if (!client.can_deliver() || !client.link_->arriving.front().event) return false;
    const auto& event = *client.link_->arriving.front().event;
    return std::none_of(client.sinks_.begin(), client.sinks_.end(), [&](const auto& entry) {
        const auto& [key, sinks] = entry;
        const bool concerned = key.first == event.path && Client::concerns(event.type, key.second);
        return concerned && std::any_of(sinks.begin(), sinks.end(), [](const auto& each) { return !each.weak.expired(); });
    });
}

bool hears_reply_next(const detail::FakeClient& client) {
    return client.can_deliver() && client.link_->arriving.front().call.has_value();
}

bool hears_end_next(const detail::FakeClient& client) {
    return client.can_deliver() && !client.link_->arriving.front().call && !client.link_->arriving.front().event;
}

const zk::Request* next_request(const detail::FakeClient& client) {
    return client.has_requests() ? &client.link_->requests.front().request : nullptr;
}

std::vector<std::string> watched_paths(const detail::FakeClient& client) {
    std::vector<std::string> paths;
    if (!client.link_) return paths;
    for (const auto& [path, kind] : client.link_->watches) {
        if (client.is_heeded(path)) paths.push_back(path);
    }
    return paths;
}

bool asks_about(const detail::FakeClient& client, const std::string& path) {
    const auto& sinks = client.sinks_;
    const bool is_watched =
        std::any_of(sinks.begin(), sinks.end(), [&](const auto& entry) { return entry.first.first == path; });
    if (is_watched && (!client.is_of_claim(path) || client.has_live_sink(path))) return true;
    if (!client.link_) return false;
    const auto is_about = [&](const detail::FakeClient::Call& call) {
        return !zk::passes_leader(call.request) && zk::path_of(call.request) == path;
    };
    for (const auto& call : client.link_->requests) {
        if (is_about(call)) return true;
        if (zk::passes_leader(call.request)) break; // what comes behind it is read when the follower is up to date
    }
    const auto& arriving = client.link_->arriving; // a reply leaves a watch
    return std::any_of(arriving.begin(), arriving.end(), [&](const auto& item) { return item.call && is_about(*item.call); });
}

bool is_own(const detail::FakeClient& client, const std::string& path) {
    return !client.own_guid(node_name(path)).empty();
}

std::size_t arrivals(const detail::FakeClient& client) {
    if (!client.link_) return 0;
    const auto& items = client.link_->arriving;
    return static_cast<std::size_t>(
        std::count_if(items.begin(), items.end(), [&](const auto& item) { return client.is_heeded(item); }));
}

void write_behind(TextBuilder& out, const detail::FakeClient& client, const detail::FakeTree* follower,
                  const std::function<std::size_t(std::int64_t)>& behind, bool hears_nothing, bool whole) {
    out << "behind " << (follower ? behind(client.last_zxid_) : 0);
    if (client.link_ && !hears_nothing) {
        for (const auto& item : client.link_->arriving) {
            if (item.call) out << ' ' << (follower ? behind(item.zxid) : 0);
        }
    }
    const auto missed = [&](const auto& key, const detail::FakeTree& tree) {
        return client.missed_by(key, tree, client.last_zxid_).has_value();
    };
    for (const auto& [key, sinks] : client.sinks_) {
        if (!whole && client.is_of_claim(key.first) && !client.has_live_sink(key.first)) continue;
        out << ' ' << key.first << ' ' << key.second << missed(key, client.world_.ensemble.truth());
        if (follower) out << missed(key, *follower);
    }
}

} // namespace docent::explorer
