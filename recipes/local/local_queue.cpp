// SPDX-License-Identifier: Apache-2.0

#include "local/local_queue.hpp"
#include "base/while_alive.hpp"
#include "queue/connected_step.hpp"

#include <docent/path.hpp>

#include <boost/asio/error.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace docent::detail {
namespace {

/// A shared node has no `max_hold`: each hold has its own.
QueuePlace without_max_hold(QueuePlace place) {
    place.terms.max_hold.reset();
    return place;
}

LocalRules rules_of(const QueuePlace& place) {
    return {.shared = place.token.kind == ContenderKind::shared,
            .keeps = place.terms.keep_for > place.terms.keep_for.zero(),
            .max_handovers = place.terms.max_local_handovers};
}

} // namespace

LocalQueue::LocalQueue(std::shared_ptr<ClientView> view, QueuePlace place, BootNow boot_now)
    : view_(without_observation(std::move(view))), place_(without_max_hold(place)), max_hold_(place.terms.max_hold),
      keep_for_(place.terms.keep_for), boot_now_(std::move(boot_now)), rules_(rules_of(*place_)), machine_(rules_) {}

/// No hold is inside, because a hold owns the queue.
LocalQueue::~LocalQueue() {
    for (const LocalNode& node : nodes_) {
        if (node.used) node.lease->release_later();
    }
}

// ---- from any thread

Lease LocalQueue::enter_at_once(const std::shared_ptr<LocalQueue>& self) {
    LocalNode* const node = current();
    if (!node || !process_.is_here()) return {};
    const auto entry = node->hold_counter.enter();
    if (!entry) return {};
    if (!entry->in_time) { // too late; the place may belong to another node by now
        leave(*node, *entry);
        return {};
    }
    Lease lease = make_hold(self, *node, *entry);
    return lease.owns() ? std::move(lease) : Lease{}; // a lease must be certain when it is granted
}

LocalQueue::Ticket LocalQueue::wait(bool tries, Done done) {
    Effects effects;
    std::unique_lock lock(mutex_);
    const Ticket ticket = ++last_ticket_;
    waiting_.emplace(ticket, std::move(done));
    decide(effects, [&](std::uint64_t inside) { return machine_.on_wait(ticket, tries, inside); });
    lock.unlock();
    effects.carry_out();
    return ticket;
}

bool LocalQueue::give_up(Ticket ticket) {
    Effects effects;
    std::unique_lock lock(mutex_);
    const auto waiter = waiting_.extract(ticket); // destroyed outside of the mutex
    if (!waiter.empty()) {
        decide(effects, [&](std::uint64_t inside) { return machine_.on_gone(ticket, inside); });
    }
    lock.unlock();
    effects.carry_out();
    return !waiter.empty();
}

void LocalQueue::leave(LocalNode& node, const HoldCounter::Entry& entry) {
    if (node.hold_counter.leave(entry) == HoldCounter::Left::open) return;
    Effects effects;
    leave_closed(node, effects);
    effects.carry_out();
}

bool LocalQueue::leave_to_give_back(LocalNode& node, const HoldCounter::Entry& entry) {
    if (node.hold_counter.leave(entry) == HoldCounter::Left::open) return false;
    Effects effects{.left_to_caller = &node};
    leave_closed(node, effects);
    effects.carry_out();
    return effects.given_back;
}

void LocalQueue::leave_closed(LocalNode& node, Effects& effects) {
    const std::lock_guard lock(mutex_);
    if (current() == &node) {
        decide(effects, [this](std::uint64_t inside) { return machine_.on_left(inside); });
    } else if (node.used && node.hold_counter.inside() == 0) {
        end_use(node, effects);
    }
}

bool LocalQueue::attend(LocalNode& node, std::weak_ptr<LocalHold> hold) {
    const std::lock_guard lock(mutex_);
    if (!node.lease->owns()) return false;
    node.attentive.add(std::move(hold));
    return true;
}

bool LocalQueue::is_asked_for(const LocalNode& node) {
    const std::lock_guard lock(mutex_);
    return node.asked_for;
}

void LocalQueue::retire(LocalNode& node) {
    Effects effects;
    std::unique_lock lock(mutex_);
    if (current() == &node) {
        decide(effects, [this](std::uint64_t) { return machine_.on_retire(); });
    }
    lock.unlock();
    effects.carry_out();
}

Lease LocalQueue::make_hold(const std::shared_ptr<LocalQueue>& self, LocalNode& node, const HoldCounter::Entry& entry) const {
    const auto until = max_hold_ ? Hold::end_after(boot_now_(), max_hold_) : Hold::for_ever;
    return Lease(LocalHold::make(self, node, entry, until));
}

// ---- decisions, under the mutex

void LocalQueue::decide(Effects& effects, const Event& event) {
    if (LocalNode* const node = current()) {
        node->hold_counter.set_open(false);
        if (!node->lease->owns()) {
            retire_current(effects);
            apply(machine_.on_lost(), effects);
        }
    }
    const LocalNode* const node = current();
    apply(event(node ? node->hold_counter.inside() : 0), effects);
}

void LocalQueue::apply(LocalDecision decision, Effects& effects, error_code why) {
    for (const auto ticket : decision.granted) {
        answer(ticket, {.lease = make_hold(shared_from_this(), *current(), current()->hold_counter.admit())}, effects);
    }
    // Before the node goes, so that the next holder sees that this process waits again.
    if (decision.enter) {
        awaited_attempt_ = ++last_attempt_;
        view_->post([self = shared_from_this(), attempt = last_attempt_] { self->begin_attempt(attempt); });
    }
    if (decision.retire) retire_current(effects);
    if (decision.cancel) {
        view_->post([self = shared_from_this(), attempt = awaited_attempt_] { self->cancel_attempt(attempt); });
        awaited_attempt_ = 0;
    }
    for (const auto ticket : decision.alone) answer(ticket, {.alone = true}, effects);
    for (const auto ticket : decision.refused) answer(ticket, {.ec = error::not_acquired}, effects);
    for (const auto ticket : decision.failed) answer(ticket, {.ec = why}, effects);
    if (LocalNode* const node = current()) node->hold_counter.set_open(decision.open);
}

void LocalQueue::answer(Ticket ticket, LocalOutcome outcome, Effects& effects) {
    auto waiter = waiting_.extract(ticket);
    if (!waiter.empty()) effects.calls.emplace_back(std::move(waiter.mapped()), std::move(outcome));
}

void LocalQueue::Effects::carry_out() {
    for (auto& [done, outcome] : calls) done(std::move(outcome));
}

LocalNode& LocalQueue::begin_node(std::shared_ptr<NodeLease> lease) {
    auto place = std::find_if(nodes_.begin(), nodes_.end(), [](const LocalNode& node) { return !node.used; });
    const auto rule = is_read_and_kept() ? HoldCounter::Rule::together : HoldCounter::Rule::one_at_a_time;
    LocalNode& node = place == nodes_.end() ? nodes_.emplace_back(rule) : *place;
    node.asked_for = false;
    node.attentive.clear();
    is_read_and_kept() ? node.shares.share(lease) : node.shares.reset();
    node.lease = std::move(lease);
    node.used = true;
    node.hold_counter.begin_numbers();
    current_ = &node;
    return node;
}

/// Retires the node. It is removed when the last hold has left.
void LocalQueue::retire_current(Effects& effects) {
    LocalNode* const node = current();
    if (!node) return;
    current_ = nullptr;
    view_->post([self = shared_from_this(), lease = node->lease] {
        if (self->looked_at_ == lease) self->stop_looking();
    });
    if (node->hold_counter.inside() == 0) end_use(*node, effects);
}

void LocalQueue::end_use(LocalNode& node, Effects& effects) {
    node.used = false;
    if (effects.left_to_caller == &node) {
        effects.given_back = true;
    } else {
        node.lease->release_later();
    }
}

// ---- on the strand: getting a node

void LocalQueue::begin_attempt(std::uint64_t attempt) {
    attempt_number_ = attempt;
    attempt_ = std::make_shared<AcquireDriver>(
        view_, place_, AcquireWait{},
        [self = shared_from_this(), attempt](error_code ec, GrantedNode granted) {
            self->on_attempt(attempt, ec, std::move(granted));
        },
        boot_now_);
    const auto driver = attempt_;
    driver->start();
}

void LocalQueue::cancel_attempt(std::uint64_t attempt) {
    if (attempt_number_ != attempt || !attempt_) return;
    const auto driver = attempt_;
    driver->end(asio::error::operation_aborted);
}

void LocalQueue::on_attempt(std::uint64_t attempt, error_code ec, GrantedNode granted) {
    if (attempt_number_ == attempt) attempt_.reset();
    const auto lease = ec ? nullptr : NodeLease::make(view_, std::move(granted), boot_now_);
    Effects effects;
    LocalNode* node = nullptr;
    std::unique_lock lock(mutex_);
    if (awaited_attempt_ != attempt) { // cancelled too late
        lock.unlock();
        if (lease) lease->release_later();
        return;
    }
    awaited_attempt_ = 0;
    if (lease) node = &begin_node(lease);
    apply(lease ? machine_.on_granted() : machine_.on_failed(), effects, ec);
    lock.unlock();
    if (node) attend_to(*node, lease);
    effects.carry_out();
}

Lease LocalQueue::adopt(const std::shared_ptr<ClientView>& view, GrantedNode granted) {
    Effects effects;
    std::unique_lock lock(mutex_);
    decide(effects, [this](std::uint64_t inside) { return machine_.on_left(inside); }); // notices a node that was lost
    const bool is_ours = machine_.on_alone_granted();
    if (!is_ours) granted.held_until = Hold::end_after(boot_now_(), max_hold_);
    auto lease = NodeLease::make(view, std::move(granted), boot_now_);
    Lease hold;
    LocalNode* node = nullptr;
    if (is_ours) {
        node = &begin_node(lease);
        hold = make_hold(shared_from_this(), *node, node->hold_counter.admit());
    }
    lock.unlock();
    if (node) attend_to(*node, lease);
    effects.carry_out();
    return is_ours ? std::move(hold) : Lease(std::move(lease));
}

// ---- on the strand: what happens to a node

void LocalQueue::attend_to(LocalNode& node, const std::shared_ptr<NodeLease>& lease) {
    const std::weak_ptr<NodeLease> weak_lease = lease;
    const auto of_this_lease = [this, weak_lease, &node](void (LocalQueue::*event)(LocalNode&, const NodeLease&)) {
        return while_alive(weak_from_this(), [this, weak_lease, &node, event] {
            if (const auto present = weak_lease.lock()) (this->*event)(node, *present);
        });
    };
    node.on_lost.emplace(lease->stop_token(), of_this_lease(&LocalQueue::on_lost));
    auto asked = [on_asked_for = of_this_lease(&LocalQueue::on_asked_for)](const std::string&) { on_asked_for(); };
    lease->make_revocable(std::make_shared<RevocationListener>(RevocationListener{std::move(asked), view_->strand()}));

    stop_looking();
    looked_at_ = lease;
    was_empty_ = false;
    session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) {
        if (event.state != SessionState::connected) return;
        on_unseen();
        look();
    }));
    look();
    await_idleness();
}

void LocalQueue::on_lost(LocalNode& node, const NodeLease& lease) {
    Effects effects;
    std::unique_lock lock(mutex_);
    if (node.lease.get() != &lease) return;
    auto attentive = std::exchange(node.attentive, {});
    if (current() == &node) {
        decide(effects, [this](std::uint64_t inside) { return machine_.on_left(inside); }); // notices the loss
    }
    lock.unlock();
    attentive.for_each([](LocalHold& hold) { hold.on_node_lost(); });
    effects.carry_out();
}

void LocalQueue::on_asked_for(LocalNode& node, const NodeLease& lease) {
    Effects effects;
    std::unique_lock lock(mutex_);
    if (node.lease.get() != &lease) return;
    node.asked_for = true;
    auto attentive = node.attentive;
    if (current() == &node) {
        decide(effects, [this](std::uint64_t inside) { return machine_.on_seen(true, inside); });
    }
    lock.unlock();
    attentive.for_each([](LocalHold& hold) { hold.on_asked_for(); });
    effects.carry_out();
}

// ---- on the strand: whether another client wants the node, and whether this process still uses it

void LocalQueue::look() {
    if (!looked_at_) return;
    watch_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent&) { on_changed(); }));
    const auto on_reply = [this, watch = watch_](const zk::Reply& reply) {
        if (watch_ == watch) on_listed(reply);
    };
    view_->submit(zk::ChildrenRequest{place_->path, watch_}, while_alive(weak_from_this(), on_reply));
}

void LocalQueue::on_listed(const zk::Reply& reply) {
    if (reply.ec) {
        watch_.reset();
        if (view_->session().state != SessionState::connected) return; // the queue is listed again after a reconnect
        const bool refused = !cut_off(reply.ec) && reply.ec != condition::retryable;
        if (refused) return on_seen(true); // another client may wait, and nothing would show it
        look_timer_ = view_->call_after(std::chrono::seconds{1}, while_alive(weak_from_this(), [this] {
                                            if (!watch_) look();
                                        }));
        return;
    }
    const std::string_view own = node_name(looked_at_->path());
    if (std::find(reply.children.begin(), reply.children.end(), own) == reply.children.end()) {
        const auto lost = looked_at_; // the loss resets looked_at_
        return lost->on_not_listed();
    }
    is_alone_ = reply.children.size() == 1;
    on_seen(std::any_of(reply.children.begin(), reply.children.end(), [&](const std::string& child) {
        const auto contender = parse_node_name(place_->names, child);
        return contender && child != own && (!rules_.shared || contender->token.kind == ContenderKind::exclusive);
    }));
}

void LocalQueue::on_changed() {
    watch_.reset();
    // A child that appears beside a lone writer is taken for a waiter, without a list. Beside a reader, or among several
    // children, only a list shows whether a new child waits for this node.
    if (is_alone_ && !rules_.shared) return on_seen(true);
    on_unseen();
    look();
}

void LocalQueue::on_seen(bool somebody) {
    Effects effects;
    std::unique_lock lock(mutex_);
    if (current() && current()->lease == looked_at_) {
        decide(effects, [&](std::uint64_t inside) { return machine_.on_seen(somebody, inside); });
    }
    lock.unlock();
    if (somebody) stop_looking();
    effects.carry_out();
}

void LocalQueue::on_unseen() {
    Effects effects;
    std::unique_lock lock(mutex_);
    if (current() && current()->lease == looked_at_) {
        decide(effects, [this](std::uint64_t inside) { return machine_.on_unseen(inside); });
    }
    lock.unlock();
    effects.carry_out();
}

void LocalQueue::stop_looking() {
    if (std::exchange(watch_, nullptr)) view_->forget_watch(place_->path, zk::WatchKind::children);
    looked_at_.reset();
    session_.reset();
    look_timer_.reset();
}

/// Retires a node that is idle: it was empty at two looks, and no hold entered in between. So it goes after half of `keep_for`
/// at the earliest, and after `keep_for` at the latest.
void LocalQueue::await_idleness() {
    if (!rules_.keeps) return;
    const auto half = std::max(keep_for_ / 2, std::chrono::milliseconds{1});
    idle_timer_ = view_->call_after(half, while_alive(weak_from_this(), [this] {
                                        const auto last = std::exchange(idle_timer_, nullptr); // keeps this function alive
                                        Effects effects;
                                        std::unique_lock lock(mutex_);
                                        const LocalNode* const node = current();
                                        if (!node) return;
                                        // In this order: a hold that enters in between is inside, or counts as entered later.
                                        const auto seen = std::exchange(seen_entered_, node->hold_counter.entered());
                                        const bool was_empty = std::exchange(was_empty_, node->hold_counter.inside() == 0);
                                        if (was_empty && was_empty_ && seen == seen_entered_) {
                                            decide(effects, [this](std::uint64_t inside) { return machine_.on_idle(inside); });
                                        }
                                        lock.unlock();
                                        effects.carry_out();
                                        await_idleness();
                                    }));
}

} // namespace docent::detail
