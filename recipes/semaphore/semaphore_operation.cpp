// SPDX-License-Identifier: Apache-2.0

#include "semaphore/semaphore_operation.hpp"
#include "base/protection.hpp"
#include "base/time_over.hpp"
#include "base/while_alive.hpp"
#include "client/core/access.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/parents/parents.hpp"
#include "client/events/user_listener.hpp"
#include "lease/node_lease.hpp"
#include "names/node_name.hpp"
#include "queue/connected_step.hpp"
#include "queue/contender.hpp"
#include "shared/number_bytes.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace docent::detail {

SemaphoreOperation::SemaphoreOperation(std::shared_ptr<ClientView> view, SemaphorePlace place, std::int32_t count,
                                       AcquireWait wait, Done<Permits> done)
    : view_(std::move(view)), place_(std::move(place)), gate_path_(join_path(place_.path, gate_name)),
      leases_path_(join_path(place_.path, leases_name)), count_(count), wait_(without_time_a_try(wait, view_->now())),
      done_(std::move(done)), sources_(*view_, place_.boot_now) {}

void SemaphoreOperation::begin() {
    self_ = shared_from_this();
    for (std::int32_t i = 0; i < count_ && view_->config().tracer; ++i) {
        spans_.push_back(LeaseSpan::begin(view_, LeaseKind::permit, place_.path, place_.terms, place_.boot_now));
    }
    error_code ec;
    limit_ = place_.limit->now(ec);
    if (ec) return finish(ec);
    if (wait_.kind == AcquireWait::Kind::until) {
        deadline_ = view_->call_at(wait_.deadline,
                                   while_alive(weak_from_this(), [this] { abort(error_when_over(*view_, Awaited::turn)); }));
    }
    auto listener = while_alive(weak_from_this(), [this](std::int32_t limit) { on_limit(limit); });
    if (!place_.limit->is_fixed()) limit_listener_ = place_.limit->follow(*view_, std::move(listener));
    enter_gate();
}

void SemaphoreOperation::bound_try() {
    try_at_gate_ = std::make_shared<TryAtGate>(
        view_, leases_path_, [this](std::int32_t out) { return out <= limit_ - count_; },
        while_alive(weak_from_this(), [this](error_code ec) { abort(ec); }));
    try_at_gate_->start();
}

void SemaphoreOperation::abort(error_code ec) {
    if (const auto driver = gate_driver_) return driver->end(ec);
    if (machine_) return perform(machine_->finish(ec));
    finish(ec); // it has not begun, or has completed
}

// ---- the gate

void SemaphoreOperation::enter_gate() {
    const bool tries = wait_.kind == AcquireWait::Kind::not_at_all;
    gate_driver_ = std::make_shared<AcquireDriver>(
        view_, QueuePlace{gate_path_, mutex_names(), lock_token, Deletion::admits, {.node_data = place_.terms.node_data}},
        AcquireWait{}, [self = shared_from_this(), this](error_code ec, GrantedNode gate) { on_gate(ec, std::move(gate)); },
        place_.boot_now, tries ? WaitMode::waits_for_turn : WaitMode::waits);
    const auto driver = gate_driver_;
    driver->start();
    if (tries && gate_driver_) bound_try();
}

void SemaphoreOperation::on_gate(error_code ec, GrantedNode gate) {
    gate_driver_.reset();
    if (const auto bound = std::exchange(try_at_gate_, nullptr)) bound->stop();
    if (ec) return finish(ec);
    gate.own_watch.reset();
    gate_ = std::move(gate);
    machine_.emplace(PermitRules{count_, wait_mode_of(wait_), view_->retry_policy()}, sources_,
                     Gate{gate_->czxid, gate_->epoch});
    session_listener_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { on_session(event); }));
    perform(machine_->start(view_->session(), limit_));
}

void SemaphoreOperation::leave_gate() {
    ++step_;
    machine_.reset();
    session_listener_.reset();
    timers_.reset();
    if (std::exchange(gate_watch_, nullptr)) view_->forget_watch(gate_->path, zk::WatchKind::data);
    if (std::exchange(leases_watch_, nullptr)) view_->forget_watch(leases_path_, zk::WatchKind::children);
    if (gate_) view_->remove_in_background({gate_->path});
    gate_.reset();
}

// ---- the machine's events

void SemaphoreOperation::on_session(const SessionEvent& event) {
    if (!machine_) return;
    timers_.on_session(event);
    perform(machine_->on_session(event));
}

void SemaphoreOperation::on_limit(std::int32_t limit) {
    limit_ = limit;
    if (machine_) perform(machine_->on_limit(limit));
}

// ---- the machine's actions

void SemaphoreOperation::perform(const PermitActions& actions) {
    for (const auto& action : actions) {
        std::visit([this](const auto& a) { perform(a); }, action);
    }
}

void SemaphoreOperation::perform(const CreatePermits& action) {
    const auto created = std::make_shared<PermitsCreated>();
    created->nodes.resize(action.guids.size());
    const std::string node = join_path(leases_path_, lease_token.text);
    const auto parents = action.make_parents ? submit_parents(*view_, node) : nullptr;
    for (std::size_t i = 0; i < action.guids.size(); ++i) {
        view_->submit(make_queue_node(*view_, place_.terms, node, action.guids[i]),
                      [self = shared_from_this(), this, created, parents, i](const zk::Reply& reply) {
                          created->nodes[i] = {error_of_create(*view_, reply.ec, parents), std::string(node_name(reply.path)),
                                               reply.stat.czxid, reply.stat.ephemeral_owner};
                      });
    }
    view_->submit(zk::ChildrenRequest{leases_path_},
                  [self = shared_from_this(), this, step = ++step_, created](zk::Reply reply) {
                      if (step_ != step) return;
                      created->list = reply.ec;
                      created->children = std::move(reply.children);
                      perform(machine_->on_created(*created));
                  });
}

void SemaphoreOperation::perform(const ListPermits& action) {
    leases_watch_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
        if (machine_ && event.type != WatchEventType::session_lost) perform(machine_->on_leases_event());
    }));
    auto handlers = synced([self = shared_from_this(), this, step = ++step_](const zk::Reply& reply) {
        if (step_ == step) perform(machine_->on_listed(reply.ec, reply.children));
    });
    if (action.freshness == Freshness::synced) view_->submit(zk::SyncRequest{leases_path_}, std::move(handlers.sync));
    view_->submit(zk::ChildrenRequest{leases_path_, leases_watch_}, std::move(handlers.read));
}

void SemaphoreOperation::perform(const WatchGate&) {
    gate_watch_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
        if (machine_) perform(machine_->on_gate_event(event.type));
    }));
    view_->submit(zk::GetRequest{gate_->path, gate_watch_},
                  [self = shared_from_this(), this, watch = gate_watch_](const zk::Reply& reply) {
                      if (machine_ && gate_watch_ == watch) perform(machine_->on_gate_read(reply.ec, reply.stat));
                  });
}

void SemaphoreOperation::perform(const Pause& action) {
    timers_.pause(*view_, action.length, while_alive(weak_from_this(), [this] {
        if (machine_) perform(machine_->on_paused());
    }));
}

void SemaphoreOperation::perform(const AwaitSession&) {
    timers_.await_session(*view_, while_alive(weak_from_this(), [this] {
        if (machine_) perform(machine_->on_no_session());
    }));
}

void SemaphoreOperation::perform(const BeginAgain&) {
    leave_gate();
    enter_gate();
}

void SemaphoreOperation::perform(const GrantPermits& action) {
    Permits permits;
    permits.reserve(action.nodes.size());
    const auto held_until = Hold::end_after(place_.boot_now(), place_.terms.max_hold);
    for (const PermitNode& node : action.nodes) {
        GrantedNode granted{.path = join_path(leases_path_, node.name),
                            .czxid = node.czxid,
                            .epoch = gate_->epoch,
                            .data = data_of_node(*view_, place_.terms),
                            .usage = action.usage,
                            .held_until = held_until};
        permits.emplace_back(NodeLease::make(view_, std::move(granted), place_.boot_now));
    }
    finish({}, std::move(permits));
}

void SemaphoreOperation::finish(error_code ec, Permits permits) {
    const auto self = std::move(self_);
    leave_gate();
    if (const auto bound = std::exchange(try_at_gate_, nullptr)) bound->stop();
    limit_listener_.reset();
    deadline_.reset();
    for (std::size_t i = 0; i < spans_.size(); ++i) {
        conclude(spans_[i], ec, i < permits.size() ? Access::core(permits[i]).get() : nullptr);
    }
    spans_.clear();
    if (done_) std::exchange(done_, nullptr)(ec, std::move(permits));
}

// ---- a try at the gate

TryAtGate::TryAtGate(std::shared_ptr<ClientView> view, std::string leases, std::function<bool(std::int32_t)> enough,
                     std::function<void(error_code)> give_up)
    : view_(std::move(view)), leases_(std::move(leases)), enough_(std::move(enough)), give_up_(std::move(give_up)) {}

void TryAtGate::start() {
    session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { on_session(event); }));
    if (view_->session().state == SessionState::connected) on_connected();
}

void TryAtGate::on_session(const SessionEvent& event) {
    if (event.state == SessionState::connected) return on_connected();
    if (connected_since_) left_ -= view_->now() - *std::exchange(connected_since_, std::nullopt);
    timer_.reset();
}

void TryAtGate::on_connected() {
    connected_since_ = view_->now();
    timer_ = view_->call_at(
        *connected_since_ + std::max(left_, steady_clock::duration::zero()),
        while_alive(weak_from_this(), [this] { give_up(answered_ ? error::not_acquired : error::not_connected); }));
    look(); // the answer to an earlier look is lost
}

void TryAtGate::look() {
    watch_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
        if (event.type != WatchEventType::session_lost) look();
    }));
    const auto on_reply = [this, watch = watch_](const zk::Reply& reply) {
        if (watch_ == watch) on_looked(reply);
    };
    view_->submit(zk::ChildrenRequest{leases_, watch_}, while_alive(weak_from_this(), on_reply));
}

void TryAtGate::on_looked(const zk::Reply& reply) {
    if (cut_off(reply.ec)) return;          // on_connected() looks again
    if (reply.ec == condition::retryable) { // an overloaded server has refused the list
        const auto look_again = while_alive(weak_from_this(), [this] { look(); });
        look_timer_ = view_->call_after(looks_again_after, look_again);
        return;
    }
    if (reply.ec && reply.ec != server_error::no_node) return give_up(reply.ec);
    answered_ = true;
    const auto out = static_cast<std::int32_t>(sorted_queue(lease_names(), reply.children).size());
    if (!enough_(out)) give_up(error::not_acquired);
}

void TryAtGate::give_up(error_code ec) {
    stop();
    if (give_up_) std::exchange(give_up_, nullptr)(ec);
}

void TryAtGate::stop() {
    session_.reset();
    timer_.reset();
    look_timer_.reset();
    if (std::exchange(watch_, nullptr)) view_->forget_watch(leases_, zk::WatchKind::children);
}

// ---- the number of permits

std::shared_ptr<const PermitLimit> fixed_limit(std::int32_t limit) {
    return std::make_shared<PermitLimit>(PermitLimit{[limit](error_code&) { return limit; }});
}

std::shared_ptr<const PermitLimit> shared_limit(std::shared_ptr<SharedValueCore> count) {
    auto now = [count](error_code& ec) {
        const VersionedValue value = count->value();
        const auto limit = decode_count(value.value);
        if (value.version < 0 && !count->was_started()) ec = error::not_started;
        else if (value.version < 0) ec = server_error::invalid_state;
        else if (!limit) ec = error::corrupt_data;
        return ec ? 0 : *limit;
    };
    auto follow = [count = std::move(count)](const ClientView& view, std::function<void(std::int32_t)> listener) {
        // The listener also gets the present value: it may have changed since now() was called.
        const auto listen = [count](std::function<void(const VersionedValue&)> function) {
            auto registration = count->listen(function);
            function(count->value());
            return registration;
        };
        return listen_on<VersionedValue>(view.strand(), count->view(), listen,
                                         [listener = std::move(listener)](const VersionedValue& value) {
                                             if (const auto limit = decode_count(value.value)) listener(*limit);
                                         });
    };
    return std::make_shared<PermitLimit>(PermitLimit{std::move(now), std::move(follow)});
}

} // namespace docent::detail
