// SPDX-License-Identifier: Apache-2.0
#include "group/persistent_node_core.hpp"

#include "base/while_alive.hpp"
#include "client/operations/request_operation.hpp"

#include <chrono>
#include <utility>

namespace docent::detail {
namespace {

/// The pause before the next try. The obstacle is usually an ACL, which lasts. The end of an outage is an event.
constexpr std::chrono::seconds looks_again_after{1};

} // namespace

PersistentNodeCore::PersistentNodeCore(std::shared_ptr<ClientView> view, std::string path, PersistentNodeOptions options,
                                       std::string encoded)
    : view_(std::move(view)), path_(std::move(path)), options_(std::move(options)), data_(options_.data),
      encoded_(std::move(encoded)),
      machine_(path_, is_ephemeral(options_.mode), options_.protection == Protection::none && !is_sequential(options_.mode)) {}

// ---- from any thread

std::string PersistentNodeCore::node_path() const {
    if (!view_->is_here()) return {};
    const std::lock_guard lock(mutex_);
    return node_path_;
}

std::string PersistentNodeCore::data() const {
    if (!view_->is_here()) return options_.data;
    const std::lock_guard lock(mutex_);
    return data_;
}

error_code PersistentNodeCore::start() {
    if (!view_->is_here()) return error::other_process;
    auto state = State::latent;
    if (state_.compare_exchange_strong(state, State::started)) {
        view_->post([self = shared_from_this()] { self->begin(); });
    }
    return state == State::closed ? make_error_code(error::closed) : error_code{};
}

// ---- on the strand

void PersistentNodeCore::begin() {
    if (machine_.closed()) return;
    if (is_ephemeral(options_.mode) && machine_.has_that_name()) seat_.emplace(*view_, path_);
    session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { on_session_event(event); }));
    on_session_event(view_->session());
    perform(machine_.start());
}

void PersistentNodeCore::on_session_event(const SessionEvent& event) {
    finish_closing();
    if (event.state == SessionState::closed) {
        static_cast<void>(end());
        owed_.reset();
        return;
    }
    perform(machine_.on_session(event.state == SessionState::connected, event.session_id));
}

Registration PersistentNodeCore::when_settled(Waiter waiter) {
    const error_code ec = start();
    if (ec || machine_.settled()) {
        waiter(ec);
        return nullptr;
    }
    return waiting_.add(std::move(waiter));
}

Registration PersistentNodeCore::listen(Listener listener) {
    return listeners_.add(std::move(listener));
}

void PersistentNodeCore::set_data(std::string data, std::string encoded) {
    {
        const std::lock_guard lock(mutex_);
        data_ = std::move(data);
    }
    encoded_ = std::move(encoded);
    perform(machine_.on_data());
}

void PersistentNodeCore::close(std::function<void()> done) {
    if (machine_.closed()) return done();
    owed_ = shared_from_this();
    closing_ = std::move(done);
    perform(end());
    if (view_->session().state != SessionState::connected) finish_closing();
}

/// Stops keeping the node. Returns the action that removes it; none if the client is closed.
KeepAction PersistentNodeCore::end() {
    state_.store(State::closed);
    timer_.reset();
    if (std::exchange(watch_, nullptr)) view_->forget_watch(watched_path_, zk::WatchKind::exists);
    auto last = machine_.close();
    {
        const std::lock_guard lock(mutex_);
        node_path_.clear();
    }
    waiting_.answer(error::closed);
    return last;
}

void PersistentNodeCore::finish_closing() {
    if (closing_) std::exchange(closing_, nullptr)();
}

void PersistentNodeCore::perform(const KeepAction& action) {
    const auto self = shared_from_this();
    tell_what_has_changed();
    std::visit([this](const auto& a) { act(a); }, action);
    if (!machine_.closed() || machine_.has_to_remove()) return;
    finish_closing();
    owed_.reset();
}

void PersistentNodeCore::act(const KeepWaiting&) {}

/// The retries of a look. After the last one, the next connect looks again.
RetryBudget PersistentNodeCore::budget() const {
    const auto last = RetryPolicy::forever(looks_again_after);
    return {machine_.closed() ? last : view_->retry_policy(), view_->now()};
}

void PersistentNodeCore::act(const MakeNode&) {
    CreateOptions options{.mode = options_.mode,
                          .protection = options_.protection,
                          .parents = options_.parents.value_or(view_->config().own_parents)};
    zk::CreateRequest request{path_, encoded_, options_.mode};
    const auto making = std::make_shared<CreateOperation>(
        view_, std::move(request), std::move(options), [self = shared_from_this()](error_code ec, const Created& made) {
            const auto itself = self->making_.lock();
            const bool data_is_known = itself && itself->machine() && !itself->machine()->known_by_session();
            if (!ec && self->seat_) self->seat_->claim(made.stat);
            self->perform(self->machine_.on_made(ec, made.path, made.stat, data_is_known));
        });
    making_ = making;
    making->begin();
}

void PersistentNodeCore::act(const LookAtNode& action) {
    watched_path_ = action.path;
    watch_ = machine_.closed() ? nullptr : zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
        if (event.type != WatchEventType::session_lost) perform(machine_.on_watch_event());
    }));
    std::make_shared<RequestOperation>(
        view_, zk::ExistsRequest{action.path, watch_},
        [self = shared_from_this()](error_code ec, const zk::Reply& reply) {
            const auto& seat = self->seat_;
            const auto next = self->machine_.on_looked(ec, reply.stat, !ec && seat && seat->is_anothers(reply.stat));
            if (!ec && seat && self->machine_.has(reply.stat)) self->seat_->claim(reply.stat);
            self->perform(next);
        },
        budget())
        ->begin();
}

void PersistentNodeCore::act(const WriteNode& action) {
    std::make_shared<RequestOperation>(
        view_, zk::SetRequest{action.path, encoded_, action.version},
        [self = shared_from_this()](error_code ec, const zk::Reply& reply) {
            self->perform(self->machine_.on_written(ec, reply.stat));
        },
        RetryBudget(RetryPolicy::none(), view_->now()))
        ->begin();
}

void PersistentNodeCore::act(const RemoveNode& action) {
    std::make_shared<RequestOperation>(
        view_, zk::RemoveRequest{action.path, action.version},
        [self = shared_from_this()](error_code ec, const zk::Reply&) { self->perform(self->machine_.on_removed(ec)); },
        RetryBudget(RetryPolicy::none(), view_->now()))
        ->begin();
}

void PersistentNodeCore::act(const PauseKeeping&) {
    timer_ = view_->call_after(looks_again_after, while_alive(weak_from_this(), [this] { perform(machine_.on_pause_over()); }));
}

void PersistentNodeCore::tell_what_has_changed() {
    const std::string now = machine_.node_path();
    std::string before;
    {
        const std::lock_guard lock(mutex_);
        before = std::exchange(node_path_, now);
    }
    if (machine_.closed()) return;
    if (before != now && !before.empty()) tell(PersistentNodeChange::gone, before);
    if (before != now && !now.empty()) tell(PersistentNodeChange::made, now);
    const error_code obstacle = machine_.obstacle();
    if (obstacle && obstacle != told_obstacle_) tell(PersistentNodeChange::not_made, {}, obstacle);
    told_obstacle_ = obstacle;
    if (machine_.settled()) waiting_.answer({});
    else if (obstacle && obstacle != server_error::node_exists) waiting_.answer(obstacle);
}

void PersistentNodeCore::tell(PersistentNodeChange change, const std::string& node_path, error_code reason) {
    listeners_.tell({change, node_path, reason});
}

} // namespace docent::detail
