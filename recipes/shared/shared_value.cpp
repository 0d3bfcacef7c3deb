// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/shared_value.hpp>

#include "base/while_alive.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/events/user_listener.hpp"
#include "client/operations/create_operation.hpp"
#include "client/operations/request_operation.hpp"
#include "shared/number_bytes.hpp"
#include "shared/shared_value_core.hpp"

#include <docent/recipes/shared_count.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

namespace docent {
namespace detail {
namespace {

// The pause before the next read after a failure grows from the shortest to the longest.
constexpr std::chrono::milliseconds shortest_pause{1'000};
constexpr std::chrono::milliseconds longest_pause{64'000};

} // namespace

VersionedValue SharedValueCore::value() const {
    if (!view_->is_here()) return {-1, seed_};
    const std::lock_guard lock(mutex_);
    return value_;
}

error_code SharedValueCore::learn(std::string data, const Stat& stat, bool was_read) {
    if (const auto ec = decode_data(view_->config(), path_, Compression::client_default, data)) return ec;
    VersionedValue now{stat.version, std::move(data)};
    bool is_change = true;
    {
        const std::lock_guard lock(mutex_);
        is_change = !was_read || value_.version >= 0; // otherwise this is the first value
        if (stat.mzxid <= mzxid_) return {};          // a server that lags behind, or this client's own write again
        mzxid_ = stat.mzxid;
        value_ = now;
    }
    if (is_change) listeners_.tell(now);
    return {};
}

void SharedValueCore::follow(std::function<void(error_code)> done) {
    waiting_.push_back(std::move(done));
    was_started_ = true;
    if (!std::exchange(following_, true)) {
        watch_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
            watched_ = false;
            if (event.type != WatchEventType::session_lost) read(); // otherwise the next session reads
        }));
        session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { on_session_event(event); }));
    }
    read();
}

void SharedValueCore::refresh(std::function<void(error_code)> done) {
    if (!following_) return done({});
    waiting_.push_back(std::move(done));
    read(); // a read under way is late enough: it follows the refused write
}

void SharedValueCore::stop() {
    following_ = false;
    if (std::exchange(watch_, nullptr)) view_->forget_watch(path_, zk::WatchKind::data);
    session_.reset();
    timer_.reset();
}

void SharedValueCore::on_session_event(const SessionEvent& event) {
    // Also with a watch: a watch reports newer changes only, and not that the servers were restored from older data.
    if (event.state != SessionState::connected) return;
    pause_ = {};
    read();
}

/// Sends a request, unless one is under way.
void SharedValueCore::ask(zk::Request request, OnReply on_reply) {
    if (std::exchange(busy_, true)) return;
    std::make_shared<RequestOperation>(view_, std::move(request),
                                       [self = shared_from_this(), this, on_reply](error_code ec, const zk::Reply& reply) {
                                           busy_ = false;
                                           (this->*on_reply)(ec, reply);
                                       })
        ->begin();
}

void SharedValueCore::read() {
    if (!following_) return tell({});
    ask(zk::GetRequest{path_, watch_}, &SharedValueCore::on_read);
}

void SharedValueCore::on_read(error_code ec, const zk::Reply& reply) {
    if (ec == server_error::no_node && following_) {
        synced_ = false;
        ask(zk::ExistsRequest{path_, watch_}, &SharedValueCore::on_looked);
        return tell(ec);
    }
    watched_ = !ec;
    if (!ec && is_older(reply.stat)) {
        // The answer may come from a server that lags behind: read again after a sync.
        if (!std::exchange(synced_, false)) return ask(zk::SyncRequest{path_}, &SharedValueCore::on_synced);
        const std::lock_guard lock(mutex_);
        mzxid_ = 0; // the leader has no newer value: it was restored from older data
    }
    synced_ = false;
    if (!ec) pause_ = {};
    if (!ec) ec = learn_read(reply.data, reply.stat);
    else read_later(ec);
    tell(ec);
}

bool SharedValueCore::is_older(const Stat& stat) const {
    const std::lock_guard lock(mutex_);
    return stat.mzxid < mzxid_;
}

void SharedValueCore::on_synced(error_code ec, const zk::Reply&) {
    synced_ = !ec;
    if (!ec) return read();
    watched_ = false;
    read_later(ec);
    tell(ec);
}

void SharedValueCore::on_looked(error_code ec, const zk::Reply&) {
    watched_ = !ec || ec == server_error::no_node;
    if (!ec) return read(); // the node exists by now
    if (watched_) pause_ = {};
    else read_later(ec);
    tell(ec); // to calls that came meanwhile
}

/// Reads again after a pause, or after the next connect. Not after `no_auth`: the client itself looks at watched nodes that it
/// may not read (zk/watch_table.hpp).
void SharedValueCore::read_later(error_code ec) {
    if (!following_ || ec == error::closed || ec == server_error::no_auth) return;
    const auto read_again = [this] {
        if (!watched_) read();
    };
    timer_ = view_->call_after(std::max(pause_, shortest_pause), while_alive(weak_from_this(), read_again));
    pause_ = std::clamp(2 * pause_, 2 * shortest_pause, longest_pause);
}

void SharedValueCore::tell(error_code ec) {
    for (const auto& done : std::exchange(waiting_, {})) done(ec);
}

// ---- the calls

namespace {

/// Creates the node, reads it, and follows it.
class FollowOperation final : public SequenceOperation<> {
public:
    FollowOperation(std::shared_ptr<ClientView> view, std::shared_ptr<SharedValueCore> core, std::string data, Done<> done)
        : SequenceOperation(std::move(done)), view_(std::move(view)), core_(std::move(core)), data_(std::move(data)) {}

private:
    std::shared_ptr<Operation> first() override {
        zk::CreateRequest request{core_->path(), data_};
        CreateOptions options{.parents = view_->config().own_parents, .if_exists = IfExists::accept};
        return std::make_shared<CreateOrOperation>(
            view_, std::move(request), std::move(options),
            [self = self<FollowOperation>()](error_code ec, const Created&) { self->on_made(ec); });
    }
    void on_made(error_code ec) {
        if (ec) return finish(ec);
        await_other();
        core_->follow([self = self<FollowOperation>()](error_code read) { self->finish(read); });
    }

    std::shared_ptr<ClientView> view_;
    std::shared_ptr<SharedValueCore> core_;
    std::string data_;
};

/// Sets the value if it has this version; with -1, in any case.
class SharedSetOperation final : public RequestSequence<VersionedValue> {
public:
    SharedSetOperation(std::shared_ptr<ClientView> view, std::shared_ptr<SharedValueCore> core, zk::SetRequest request,
                       Done<VersionedValue> done)
        : RequestSequence(std::move(view), std::move(done)), core_(std::move(core)), request_(std::move(request)) {}

private:
    std::shared_ptr<Operation> first() override {
        return request(request_, [this](error_code ec, const zk::Reply& reply) { on_set(ec, reply.stat); });
    }
    void on_set(error_code ec, const Stat& stat) {
        if (!ec) {
            static_cast<void>(core_->learn_written(request_.data, stat)); // cannot fail: this client has encoded the data
            return finish({}, core_->value());
        }
        if (ec != server_error::bad_version) return finish(ec, {});
        // Another write came first. After a lost reply, it may be this call's own write: a second try would count twice.
        const error_code verdict = in_doubt_ ? make_error_code(server_error::connection_loss) : ec;
        await_other();
        core_->refresh([self = self<SharedSetOperation>(), verdict](error_code) { self->finish(verdict, {}); });
    }

    std::shared_ptr<SharedValueCore> core_;
    zk::SetRequest request_;
};

template <typename Result, typename Finish>
void initiate_set(const std::shared_ptr<SharedValueCore>& core, std::int32_t version, std::string value, CallOptions call,
                  Handler<Result> handler, Finish finish) {
    const auto& config = core->view()->config();
    const error_code fault = encode_data(config, core->path(), Compression::client_default, value);
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<Result> done) -> std::shared_ptr<Operation> {
        auto on_set = [done = std::move(done), finish](error_code ec, VersionedValue now) { finish(done, ec, std::move(now)); };
        if (fault) return std::make_shared<Refusal>([on_set, fault] { on_set(fault, {}); });
        return std::make_shared<SharedSetOperation>(view, core, zk::SetRequest{core->path(), std::move(value), version},
                                                    std::move(on_set));
    };
    launch<Result>(core->view(), {"shared_set", core->path()}, std::move(call), std::move(handler), make);
}

VersionedCount to_count(const VersionedValue& value, error_code& ec) {
    const auto count = decode_count(value.value);
    if (!ec && !count) ec = error::corrupt_data; // written by another client
    return ec ? VersionedCount{} : VersionedCount{value.version, *count};
}

} // namespace

asio::any_io_executor executor_of(const SharedValueCore& core) {
    return core.view()->executor();
}

void initiate_following(const std::shared_ptr<SharedValueCore>& core, CallOptions call, Handler<> handler) {
    std::string data = core->seed();
    const error_code fault = encode_data(core->view()->config(), core->path(), Compression::client_default, data);
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<> done) -> std::shared_ptr<Operation> {
        if (fault) return std::make_shared<Refusal>([done = std::move(done), fault] { done(fault); });
        return std::make_shared<FollowOperation>(view, core, std::move(data), std::move(done));
    };
    launch<>(core->view(), {"shared_start", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_shared_set(const std::shared_ptr<SharedValueCore>& core, std::string value, CallOptions call,
                         Handler<VersionedValue> handler) {
    initiate_set<VersionedValue>(core, any_version, std::move(value), std::move(call), std::move(handler),
                                 [](const auto& done, error_code ec, VersionedValue now) { done(ec, std::move(now)); });
}

void initiate_count_set(const std::shared_ptr<SharedValueCore>& core, std::int32_t count, CallOptions call,
                        Handler<VersionedCount> handler) {
    initiate_set<VersionedCount>(core, any_version, encode_count(count), std::move(call), std::move(handler),
                                 [](const auto& done, error_code ec, const VersionedValue& now) {
                                     const VersionedCount written = to_count(now, ec);
                                     done(ec, written);
                                 });
}

void initiate_shared_try_set(const std::shared_ptr<SharedValueCore>& core, std::int32_t version, std::string value,
                             CallOptions call, Handler<bool> handler) {
    // Version -1 means that the value was not read yet. A server would accept it for any version.
    constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();
    initiate_set<bool>(core, version < 0 ? never : version, std::move(value), std::move(call), std::move(handler),
                       [](const auto& done, error_code ec, const VersionedValue&) {
                           ec == server_error::bad_version ? done({}, false) : done(ec, !ec);
                       });
}

void initiate_count_try_set(const std::shared_ptr<SharedValueCore>& core, std::int32_t version, std::int32_t count,
                            CallOptions call, Handler<bool> handler) {
    initiate_shared_try_set(core, version, encode_count(count), std::move(call), std::move(handler));
}

} // namespace detail

SharedValue::SharedValue(Client& client, std::string_view path, std::string_view seed) {
    detail::require_path("shared value", path);
    const auto& view = detail::Access::open_view(client, "shared value");
    core_ = std::make_shared<detail::SharedValueCore>(view, std::string(path), std::string(seed));
    following_ = detail::post_at_end(core_->view(), [core = core_] { core->stop(); });
}

const std::string& SharedValue::path() const noexcept {
    return core_->path();
}

VersionedValue SharedValue::get() const {
    return core_->value();
}

void SharedValue::start(error_code& ec, CallOptions call) {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_following, core_);
}

void SharedValue::start(CallOptions call) {
    detail::throwing("start the shared value", path(), [&](error_code& ec) { start(ec, std::move(call)); });
}

VersionedValue SharedValue::set(std::string_view value, error_code& ec, CallOptions call) {
    return detail::block<VersionedValue>(*core_->view(), std::move(call), ec, detail::initiate_shared_set, core_,
                                         std::string(value));
}

VersionedValue SharedValue::set(std::string_view value, CallOptions call) {
    return detail::throwing("set the shared value", path(), [&](error_code& ec) { return set(value, ec, std::move(call)); });
}

bool SharedValue::try_set(const VersionedValue& expected, std::string_view value, error_code& ec, CallOptions call) {
    return detail::block<bool>(*core_->view(), std::move(call), ec, detail::initiate_shared_try_set, core_, expected.version,
                               std::string(value));
}

bool SharedValue::try_set(const VersionedValue& expected, std::string_view value, CallOptions call) {
    return detail::throwing("set the shared value", path(),
                            [&](error_code& ec) { return try_set(expected, value, ec, std::move(call)); });
}

Subscription SharedValue::listen(std::function<void(const VersionedValue&)> listener, asio::any_io_executor executor) {
    return Subscription(detail::listen_for_user<VersionedValue>(
        core_->view(), [core = core_](auto each) { return core->listen(std::move(each)); }, std::move(listener), executor));
}

// ---- SharedCount

namespace {

/// The throwing form of a call.
template <typename Call> VersionedCount or_throw_count(const SharedCount& count, std::string_view operation, Call call) {
    return detail::throwing_number(sizeof(std::int32_t), operation, count.path(), std::move(call));
}

} // namespace

SharedCount::SharedCount(Client& client, std::string_view path, std::int32_t seed)
    : value_(client, path, detail::encode_count(seed)) {
    core_ = detail::Access::core(value_);
}

VersionedCount SharedCount::get(error_code& ec) const {
    ec = {};
    return detail::to_count(value_.get(), ec);
}

VersionedCount SharedCount::get() const {
    return or_throw_count(*this, "read the shared count", [&](error_code& ec) { return get(ec); });
}

VersionedCount SharedCount::set(std::int32_t count, error_code& ec, CallOptions call) {
    return detail::to_count(value_.set(detail::encode_count(count), ec, std::move(call)), ec);
}

VersionedCount SharedCount::set(std::int32_t count, CallOptions call) {
    return or_throw_count(*this, "set the shared count", [&](error_code& ec) { return set(count, ec, std::move(call)); });
}

bool SharedCount::try_set(const VersionedCount& expected, std::int32_t count, error_code& ec, CallOptions call) {
    return value_.try_set({expected.version, {}}, detail::encode_count(count), ec, std::move(call));
}

bool SharedCount::try_set(const VersionedCount& expected, std::int32_t count, CallOptions call) {
    return value_.try_set({expected.version, {}}, detail::encode_count(count), std::move(call));
}

Subscription SharedCount::listen(std::function<void(const VersionedCount&)> listener, asio::any_io_executor executor) {
    return value_.listen(
        [listener = std::move(listener)](const VersionedValue& value) {
            error_code ec;
            const VersionedCount count = detail::to_count(value, ec);
            if (!ec) listener(count);
        },
        std::move(executor));
}

} // namespace docent
