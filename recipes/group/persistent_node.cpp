// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/persistent_node.hpp>

#include "base/while_alive.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/events/user_listener.hpp"
#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"
#include "group/persistent_node_core.hpp"

#include <chrono>
#include <utility>

namespace docent {
namespace detail {
namespace {

/// The pause before the next try. It need not be short: the obstacle is usually an ACL, which lasts. The end of an outage is a
/// session event.
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
    if (is_ephemeral(options_.mode) && machine_.has_that_name()) registration_.emplace(*view_, path_);
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

/// Stops keeping the node. Returns the action that removes the node. Callers ignore it if the client is closed.
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

/// The retries of a look: after close() without a limit, otherwise the client's. Without a connection in time, the look ends,
/// and the next connect looks again.
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
            if (!ec && self->registration_) self->registration_->claim(made.stat);
            self->perform(self->machine_.on_made(ec, made.path, made.stat, data_is_known));
        });
    making_ = making;
    making->begin();
}

void PersistentNodeCore::act(const LookAtNode& action) {
    watched_path_ = action.path;
    watch_ = machine_.closed() ? nullptr : zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
        if (event.type == WatchEventType::session_lost) return;
        perform(event.type == WatchEventType::deleted ? machine_.on_deleted() : machine_.on_watch_event());
    }));
    const auto look = std::make_shared<RequestOperation>(
        view_, zk::ExistsRequest{action.path, watch_},
        [self = shared_from_this()](error_code ec, const zk::Reply& reply) {
            const auto& registration = self->registration_;
            const auto next =
                self->machine_.on_looked(ec, reply.stat, !ec && registration && registration->is_anothers(reply.stat));
            if (!ec && registration && self->machine_.has(reply.stat)) self->registration_->claim(reply.stat);
            self->perform(next);
        },
        budget());
    if (!machine_.closed()) return look->begin();
    // A server that lags behind may still show a node that this object has removed, or lack a node that it has made.
    std::make_shared<RequestOperation>(
        view_, zk::SyncRequest{action.path}, [look](error_code ec, const zk::Reply&) { ec ? look->abort(ec) : look->begin(); },
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

// ---- the calls

namespace {

/// Waits until the node exists with the wanted data. First calls `before` (a start or a change of the data), even if the wait
/// is cancelled.
class AwaitNodeOperation final : public ConnectedOperation<std::string> {
public:
    AwaitNodeOperation(std::shared_ptr<ClientView> view, std::shared_ptr<PersistentNodeCore> core, std::function<void()> before,
                       Done<std::string> done)
        : ConnectedOperation(std::move(view), std::move(done)), core_(std::move(core)), before_(std::move(before)) {}

    void begin() override {
        do_before();
        when_connected([this] {
            auto registration = core_->when_settled(
                [self = shared_from_this(), this](error_code ec) { complete(ec, ec ? std::string() : core_->node_path()); });
            if (is_open()) registration_ = std::move(registration);
        });
    }
    void abort(error_code ec) override {
        do_before();
        complete(ec, {});
    }

private:
    void do_before() {
        if (before_) std::exchange(before_, nullptr)();
    }
    void complete(error_code ec, std::string path) {
        const auto last = std::exchange(registration_, nullptr); // may own this object
        finish(ec, std::move(path));
    }

    std::shared_ptr<PersistentNodeCore> core_;
    std::function<void()> before_;
    Registration registration_;
};

} // namespace

asio::any_io_executor executor_of(const PersistentNodeCore& core) {
    return core.view()->executor();
}

void initiate_await_node(const std::shared_ptr<PersistentNodeCore>& core, CallOptions call, Handler<std::string> handler) {
    auto start = [core] { static_cast<void>(core->start()); };
    launch_made<AwaitNodeOperation>(core->view(), {"await_node", core->path()}, std::move(call), std::move(handler), core,
                                    std::move(start));
}

void initiate_node_set(const std::shared_ptr<PersistentNodeCore>& core, std::string data, CallOptions call, Handler<> handler) {
    std::string encoded = data;
    const error_code fault = encode_data(core->view()->config(), core->path(), Compression::client_default, encoded);
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<> done) -> std::shared_ptr<Operation> {
        if (fault) return std::make_shared<Refusal>([done = std::move(done), fault] { done(fault); });
        auto set = [core, data = std::move(data), encoded = std::move(encoded)] {
            static_cast<void>(core->start());
            core->set_data(data, encoded);
        };
        return std::make_shared<AwaitNodeOperation>(view, core, std::move(set),
                                                    [done = std::move(done)](error_code ec, const std::string&) { done(ec); });
    };
    launch<>(core->view(), {"node_set_data", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_node_close(const std::shared_ptr<PersistentNodeCore>& core, CallOptions call, Handler<> handler) {
    auto work = [core](ClientView&, std::function<void()> then) { core->close(std::move(then)); };
    launch_made<GiveUpOperation>(core->view(), {"node_close", core->path()}, std::move(call), std::move(handler),
                                 std::move(work), true);
}

} // namespace detail

std::string_view to_string(PersistentNodeChange change) noexcept {
    switch (change) {
    case PersistentNodeChange::made: return "made";
    case PersistentNodeChange::gone: return "gone";
    case PersistentNodeChange::not_made: return "not_made";
    }
    return "unknown";
}

PersistentNode::PersistentNode(Client& client, std::string_view path, PersistentNodeOptions options) {
    detail::require_path("persistent node", path);
    if (options.mode == CreateMode::container || has_ttl(options.mode)) {
        detail::throw_if(server_error::unimplemented, "persistent node", path);
    }
    const auto& view = detail::Access::open_view(client, "persistent node");
    std::string encoded = options.data;
    const error_code ec = detail::encode_data(view->config(), std::string(path), Compression::client_default, encoded);
    detail::throw_if(ec, "compress the data of the persistent node", path);
    core_ = std::make_shared<detail::PersistentNodeCore>(view, std::string(path), std::move(options), std::move(encoded));
    keeping_ = detail::post_at_end(view, [core = core_] { core->close([] {}); });
}

const std::string& PersistentNode::path() const noexcept {
    return core_->path();
}

std::string PersistentNode::node_path() const {
    return core_->node_path();
}

std::string PersistentNode::data() const {
    return core_->data();
}

void PersistentNode::start(error_code& ec) {
    ec = core_->start();
}

void PersistentNode::start() {
    detail::throw_if(core_->start(), "start the persistent node", path());
}

std::string PersistentNode::await_node(error_code& ec, CallOptions call) {
    return detail::block<std::string>(*core_->view(), std::move(call), ec, detail::initiate_await_node, core_);
}

std::string PersistentNode::await_node(CallOptions call) {
    return detail::throwing("await the persistent node", path(),
                            [&](error_code& ec) { return await_node(ec, std::move(call)); });
}

void PersistentNode::set_data(std::string_view data, error_code& ec, CallOptions call) {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_node_set, core_, std::string(data));
}

void PersistentNode::set_data(std::string_view data, CallOptions call) {
    detail::throwing("set the data of the persistent node", path(),
                     [&](error_code& ec) { set_data(data, ec, std::move(call)); });
}

void PersistentNode::close(error_code& ec, CallOptions call) {
    detail::block_also_before_start<>(*core_->view(), std::move(call), ec, detail::initiate_node_close, core_);
}

void PersistentNode::close(CallOptions call) {
    detail::throwing("close the persistent node", path(), [&](error_code& ec) { close(ec, std::move(call)); });
}

Subscription PersistentNode::listen(std::function<void(const PersistentNodeEvent&)> listener, asio::any_io_executor executor) {
    return Subscription(detail::listen_for_user<PersistentNodeEvent>(
        core_->view(), [core = core_](auto each) { return core->listen(std::move(each)); }, std::move(listener), executor));
}

} // namespace docent
