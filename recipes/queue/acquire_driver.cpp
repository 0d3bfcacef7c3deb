// SPDX-License-Identifier: Apache-2.0
#include "queue/acquire_driver.hpp"

#include "base/protection.hpp"
#include "base/while_alive.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/operation.hpp"
#include "client/core/parents/parents.hpp"

#include <docent/path.hpp>

#include <utility>
#include <variant>

namespace docent::detail {

bool ClientSources::certain(std::uint64_t epoch) {
    const auto clock = view_->validity_clock();
    return clock && clock->epoch() == epoch && clock->valid_at((*boot_now_)());
}

AcquireDriver::AcquireDriver(std::shared_ptr<ClientView> view, SharedPlace place, AcquireWait wait, Completion completion,
                             BootNow boot_now, std::optional<WaitMode> wait_mode)
    : view_(std::move(view)), shared_place_(std::move(place)), place_(*shared_place_), wait_(wait),
      completion_(std::move(completion)), boot_now_(std::move(boot_now)), sources_(*view_, boot_now_),
      machine_({place_.names, wait_mode.value_or(wait_mode_of(wait_)), place_.last_writer}, view_->retry_policy(), sources_) {}

void AcquireDriver::start() {
    self_ = shared_from_this();
    path_waiters_ = PathWaiters::of(*view_, place_.path, place_.names);
    path_waiters_->join(*this, *view_);
    if (wait_.kind == AcquireWait::Kind::until) {
        deadline_ = view_->call_at(wait_.deadline,
                                   while_alive(weak_from_this(), [this] { end(error_when_over(*view_, Awaited::turn)); }));
    }
    perform(machine_.start(view_->session()));
}

void AcquireDriver::end(error_code ec) {
    perform(machine_.finish(ec));
}

void AcquireDriver::on_session(const SessionEvent& event) {
    timers_.on_session(event);
    perform(machine_.on_session(event));
}

void AcquireDriver::perform(const AcquireActions& actions) {
    for (const auto& action : actions) {
        std::visit([this](const auto& a) { perform(a); }, action);
    }
}

void AcquireDriver::perform(const Enter& action) {
    timers_.end_pause();
    own_watch_.reset();
    ahead_watch_.reset();
    auto request = make_queue_node(*view_, place_.terms, path_of(place_.token.text), action.guid);
    const auto entered = std::make_shared<Entered>();
    const auto parents = action.make_parents ? submit_parents(*view_, request.path) : nullptr;
    entered->listed = !may_know_enough(action);
    view_->submit(std::move(request), [self = shared_from_this(), step = ++step_, entered, parents](const zk::Reply& reply) {
        entered->create = error_of_create(*self->view_, reply.ec, parents);
        entered->name = node_name(reply.path);
        entered->czxid = reply.stat.czxid;
        entered->ephemeral_owner = reply.stat.ephemeral_owner;
        if (!reply.ec) self->path_waiters_->on_created(entered->name);
        if (entered->listed || self->step_ != step) return;
        entered->known = self->path_waiters_->before(entered->name);
        self->perform(self->machine_.on_entered(*entered));
    });
    if (!entered->listed) return;
    view_->submit(zk::ChildrenRequest{place_.path}, [self = shared_from_this(), step = step_, entered](zk::Reply reply) {
        entered->list = reply.ec;
        entered->children = std::move(reply.children);
        self->learn(entered->list, entered->children, entered->name);
        self->tell_of_others(entered->children);
        if (self->step_ == step) self->perform(self->machine_.on_entered(*entered));
    });
}

/// Warns about locks of another kind at the same path. They do not exclude each other, and no error shows that.
void AcquireDriver::tell_of_others(const std::vector<std::string>& children) {
    const auto& tracer = view_->config().tracer;
    if (!tracer || place_.told_of_others || !has_other_locks(place_.names, children)) return;
    place_.told_of_others = true;
    view_->call_user(
        [tracer,
         text =
             place_.path +
             ": nodes of another kind of lock are, or were, at this path; locks of different kinds do not exclude each other"] {
            tracer->on_warning(text);
        });
}

/// Whether no later contender can get a place ahead of a waiter in this queue.
bool AcquireDriver::goes_by_number() const {
    return place_.token.kind == ContenderKind::exclusive && place_.last_writer == Deletion::admits;
}

/// Whether to skip the list: only if two other waiters of this client are in the queue. Then the waiter watches the second
/// nearest, and lists later. Otherwise, and for a try, it lists now.
bool AcquireDriver::may_know_enough(const Enter& action) const {
    return goes_by_number() && !action.make_parents && wait_.kind != AcquireWait::Kind::not_at_all && path_waiters_->size() > 2;
}

void AcquireDriver::learn(error_code ec, const std::vector<std::string>& children, std::string_view self) {
    if (!ec) path_waiters_->on_listed(children, goes_by_number() ? self : std::string_view());
}

void AcquireDriver::perform(const FindOwn&) {
    auto handlers = synced([self = shared_from_this(), step = ++step_](const zk::Reply& reply) {
        self->learn(reply.ec, reply.children, self->machine_.name());
        if (self->step_ == step) self->perform(self->machine_.on_found(reply.ec, reply.children));
    });
    view_->submit(zk::SyncRequest{place_.path}, std::move(handlers.sync));
    view_->submit(zk::ChildrenRequest{place_.path}, std::move(handlers.read));
}

void AcquireDriver::perform(const List&) {
    view_->submit(zk::ChildrenRequest{place_.path}, [self = shared_from_this(), step = ++step_](const zk::Reply& reply) {
        self->learn(reply.ec, reply.children, self->machine_.name());
        if (self->step_ == step) self->perform(self->machine_.on_listed(reply.ec, reply.children));
    });
}

void AcquireDriver::perform(const WatchOwn& action) {
    own_watch_ = zk::make_watch_sink(
        while_alive(weak_from_this(), [this](const WatchEvent& event) { perform(machine_.on_own_event(event.type)); }));
    view_->submit(zk::GetRequest{path_of(action.name), own_watch_},
                  [self = shared_from_this(), watch = own_watch_](const zk::Reply& reply) {
                      if (self->own_watch_ == watch) self->perform(self->machine_.on_own_read(reply.ec, reply.stat));
                  });
}

void AcquireDriver::perform(const WatchAhead& action) {
    ahead_watch_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
        if (event.type == WatchEventType::deleted) path_waiters_->on_gone(node_name(event.path));
        perform(machine_.on_ahead_event(event.type));
    }));
    view_->submit(zk::GetRequest{path_of(action.name), ahead_watch_},
                  [self = shared_from_this(), watch = ahead_watch_](const zk::Reply& reply) {
                      if (self->ahead_watch_ != watch) return;
                      if (reply.ec == server_error::no_node) self->path_waiters_->on_gone(self->machine_.ahead());
                      self->perform(self->machine_.on_ahead_read(reply.ec, reply.stat.ephemeral_owner));
                  });
}

void AcquireDriver::perform(const Pause& action) {
    timers_.pause(*view_, action.length, while_alive(weak_from_this(), [this] { perform(machine_.on_paused()); }));
}

void AcquireDriver::perform(const AwaitSession&) {
    timers_.await_session(*view_, while_alive(weak_from_this(), [this] { perform(machine_.on_no_session()); }));
}

void AcquireDriver::perform(const Grant& action) {
    complete({}, {.path = path_of(action.name),
                  .czxid = action.czxid,
                  .epoch = action.epoch,
                  .own_watch = action.own_watched ? std::move(own_watch_) : nullptr,
                  .data = data_of_node(*view_, place_.terms),
                  .held_until = Hold::end_after(boot_now_(), place_.terms.max_hold)});
}

void AcquireDriver::perform(const Fail& action) {
    if (action.ec == error::lock_node_deleted) {
        view_->on_node_gone(protected_path(path_of(place_.token.text), machine_.guid()));
    }
    complete(action.ec);
}

std::string AcquireDriver::path_of(std::string_view name) const {
    return join_path(place_.path, name);
}

void AcquireDriver::complete(error_code ec, GrantedNode granted) {
    const auto self = std::move(self_);
    ++step_;
    path_waiters_->leave(*this);
    own_watch_.reset();
    if (std::exchange(ahead_watch_, nullptr)) view_->forget_watch(path_of(machine_.ahead()), zk::WatchKind::data);
    deadline_.reset();
    timers_.reset();
    std::exchange(completion_, nullptr)(ec, std::move(granted));
}

} // namespace docent::detail
