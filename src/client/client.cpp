// SPDX-License-Identifier: Apache-2.0

#include "client/core/blocking.hpp"
#include "client/core/client_runtime.hpp"
#include "client/core/name_space.hpp"
#include "client/events/event_source.hpp"
#include "client/events/user_listener.hpp"
#include "posix/process_mark.hpp"
#include "posix/threads.hpp"

#include <docent/client.hpp>
#include <docent/detail/process_owned.hpp>
#include <docent/path.hpp>

namespace docent {

using detail::block;
using detail::block_on;
using detail::throw_if;
using detail::throwing;
using detail::throwing_at;

namespace {

SessionEvent closed_event() {
    SessionEvent event;
    event.state = SessionState::closed;
    return event;
}

} // namespace

Client::Client(ClientConfig config)
    : Client(std::make_shared<detail::ClientRuntime>(std::nullopt, std::move(config)), Role::owner) {}

Client::Client(Role role, asio::any_io_executor executor, ClientConfig config)
    : Client(std::make_shared<detail::ClientRuntime>(std::move(executor), std::move(config)), role) {
    core_->attend_context();
}

Client::Client(detail::RuntimePtr core, Role role) : Client(core, core->own_namespace(), role) {}

Client::Client(detail::RuntimePtr core, std::string name_space, Role role) : role_(role) {
    core_ = std::move(core);
    name_space_ = std::move(name_space);
    view_ = core_->in_namespace(name_space_);
}

namespace {

/// The fault in the arguments of a create; empty if they are not the reason of the error.
std::string explain_create(const error_code& ec, std::string_view path, const CreateOptions& options) {
    if (ec == error::invalid_path) return explain_path(path);
    if (ec != server_error::bad_arguments || !has_ttl(options.mode)) return {};
    return options.ttl.count() <= 0 ? "a mode with a TTL needs CreateOptions::ttl" : "the TTL is too long: 2^40 ms or more";
}

/// Explains the first invalid path of a transaction.
std::string explain_paths(const Transaction& transaction) {
    for (const auto& operation : transaction.operations()) {
        std::string path = std::visit([](const auto& o) { return o.path; }, operation);
        const auto* create = std::get_if<Transaction::Create>(&operation);
        if (create != nullptr && is_sequential(create->mode)) path += '0'; // the server appends digits
        if (std::string fault = explain_path(path); !fault.empty()) return fault;
    }
    return {};
}

/// Closes the client and waits for handlers that were posted before. Also waits for the client's threads if nothing else owns
/// its core: a thread that outlives main() would use OpenSSL during OpenSSL's cleanup.
void end(Client& client, detail::ProcessOwned<detail::ClientRuntime>& core,
         detail::ProcessOwned<detail::ClientView>& view) noexcept {
    client.close();
    if (!core.own()) return;
    const posix::NotCanceled not_canceled; // waiting for a thread is a cancellation point
    const detail::IoThreads threads = core->threads();
    threads.await_functions(); // users' handlers may use the client until now
    view = {};
    core = {};
    threads.await_functions(); // functions that those handlers have posted own the core, too
}

} // namespace

Client::~Client() {
    if (role_ == Role::owner) end(*this, core_, view_);
}

Client& Client::operator=(Client&& other) noexcept {
    if (this == &other) return *this;
    if (role_ == Role::owner) end(*this, core_, view_);
    core_ = std::move(other.core_);
    name_space_ = std::move(other.name_space_);
    view_ = std::move(other.view_);
    role_ = other.role_;
    return *this;
}

Client::executor_type Client::get_executor() const {
    return view_ ? view_->executor() : executor_type{};
}

Client Client::in_namespace(std::string_view name) const {
    if (!core_) throw Error(error::closed, "in_namespace");
    if (core_.is_foreign()) throw Error(error::other_process, "in_namespace");
    return {core_, detail::without_slash(std::string(name)), Role::view};
}

void Client::start() {
    if (!core_) throw Error(error::closed, "start");
    core_->start();
}

void Client::close() {
    if (!core_.own()) return; // the session belongs to the parent process
    // A user's executor may have been stopped, so do not wait for it.
    if (!core_->owns_thread() || core_->running_in_this_thread()) return core_->close(nullptr);
    const boost::this_thread::disable_interruption uninterrupted;
    error_code ignored;
    block_on<>(
        *core_, {}, ignored,
        [this](const CallOptions&, detail::Handler<> handler) { detail::initiate_close(core_, std::move(handler)); }, {},
        detail::BeforeStart::goes_on);
    core_->await_tracer();
}

void Client::wait_connected(error_code& ec, CallOptions call) {
    block<>(view_, std::move(call), ec, detail::initiate_until_connected, view_);
}

void Client::wait_connected(CallOptions call) {
    error_code ec;
    wait_connected(ec, std::move(call));
    const std::string reason = ec ? last_connect_error() : std::string();
    const std::string servers = core_ ? core_->config().connect_string : std::string("nobody");
    throw_if(ec, "connect to", servers + (reason.empty() ? "" : " (" + reason + ")"));
}

void Client::renew_session() {
    if (core_) core_->renew_session();
}

SessionEvent Client::session() const {
    return core_ ? core_->last_event() : closed_event();
}

std::chrono::milliseconds Client::negotiated_timeout() const {
    return core_ ? core_->negotiated_timeout() : std::chrono::milliseconds{0};
}

std::string Client::last_connect_error() const {
    return core_ ? core_->last_connect_error() : std::string{};
}

SessionEvents Client::session_events() {
    if (!view_) return SessionEvents(nullptr);
    auto queue = std::make_shared<detail::SessionEventQueue>(view_);
    view_->post([queue] { queue->open(); });
    return SessionEvents(std::move(queue));
}

Subscription Client::listen(std::function<void(const SessionEvent&)> listener, asio::any_io_executor executor) {
    if (!view_) return {};
    return Subscription(detail::listen_for_user<SessionEvent>(
        view_, [view = view_](auto each) { return view->listen(std::move(each)); }, std::move(listener), executor));
}

void Client::remove_guaranteed(std::string_view path) {
    if (!view_) return;
    view_->post([core = view_, path = std::string(path)] { core->remove_in_background({path}, nullptr); });
}

Created Client::create(std::string_view path, std::optional<std::string_view> data, CreateOptions options, error_code& ec,
                       CallOptions call) {
    return block<Created>(view_, std::move(call), ec, detail::initiate_create, view_, std::string(path), detail::Text(data),
                          std::move(options));
}

Created Client::create(std::string_view path, std::optional<std::string_view> data, error_code& ec, CallOptions call) {
    return create(path, data, CreateOptions{}, ec, std::move(call));
}

Created Client::create(std::string_view path, error_code& ec, CallOptions call) {
    return create(path, std::nullopt, CreateOptions{}, ec, std::move(call));
}

Created Client::create(std::string_view path, std::optional<std::string_view> data, CreateOptions options, CallOptions call) {
    error_code ec;
    Created created = create(path, data, options, ec, std::move(call));
    const std::string parent = created.path.empty() ? std::string() : ", whose parent " + created.path + " is missing";
    if (ec) throw_if(ec, "create", std::string(path) + parent, explain_create(ec, path, options));
    return created;
}

Created Client::create(std::string_view path, CreateOptions options, CallOptions call) {
    return create(path, std::nullopt, std::move(options), std::move(call));
}

Created Client::create(std::string_view path, CreateOptions options, error_code& ec, CallOptions call) {
    return create(path, std::nullopt, std::move(options), ec, std::move(call));
}

Created Client::create(std::string_view path, std::optional<std::string_view> data, CreateMode mode, CallOptions call) {
    return create(path, data, CreateOptions{.mode = mode}, std::move(call));
}

Created Client::create(std::string_view path, std::optional<std::string_view> data, CreateMode mode, error_code& ec,
                       CallOptions call) {
    return create(path, data, CreateOptions{.mode = mode}, ec, std::move(call));
}

NodeData Client::get(std::string_view path, GetOptions options, error_code& ec, CallOptions call) {
    return block<NodeData>(view_, std::move(call), ec, detail::initiate_get, view_, std::string(path), options);
}

NodeData Client::get(std::string_view path, error_code& ec, CallOptions call) {
    return get(path, GetOptions{}, ec, std::move(call));
}

NodeData Client::get(std::string_view path, GetOptions options, CallOptions call) {
    return throwing_at("get", path, [&](error_code& ec) { return get(path, options, ec, std::move(call)); });
}

Watched<NodeData> Client::get_watched(std::string_view path, GetOptions options, error_code& ec, CallOptions call) {
    return block<Watched<NodeData>>(view_, std::move(call), ec, detail::initiate_get_watched, view_, std::string(path),
                                    options);
}

Watched<NodeData> Client::get_watched(std::string_view path, error_code& ec, CallOptions call) {
    return get_watched(path, GetOptions{}, ec, std::move(call));
}

Watched<NodeData> Client::get_watched(std::string_view path, GetOptions options, CallOptions call) {
    return throwing_at("get and watch", path, [&](error_code& ec) { return get_watched(path, options, ec, std::move(call)); });
}

Stat Client::set(std::string_view path, std::string_view data, SetOptions options, error_code& ec, CallOptions call) {
    return block<Stat>(view_, std::move(call), ec, detail::initiate_set, view_, std::string(path), std::string(data), options);
}

Stat Client::set(std::string_view path, std::string_view data, error_code& ec, CallOptions call) {
    return set(path, data, SetOptions{}, ec, std::move(call));
}

Stat Client::set(std::string_view path, std::string_view data, SetOptions options, CallOptions call) {
    return throwing_at("set", path, [&](error_code& ec) { return set(path, data, options, ec, std::move(call)); });
}

void Client::remove(std::string_view path, RemoveOptions options, error_code& ec, CallOptions call) {
    block<>(view_, std::move(call), ec, detail::initiate_remove, view_, std::string(path), options);
}

void Client::remove(std::string_view path, error_code& ec, CallOptions call) {
    remove(path, {}, ec, std::move(call));
}

void Client::remove(std::string_view path, RemoveOptions options, CallOptions call) {
    throwing_at("remove", path, [&](error_code& ec) { remove(path, options, ec, std::move(call)); });
}

NodeAcl Client::get_acl(std::string_view path, error_code& ec, CallOptions call) {
    return block<NodeAcl>(view_, std::move(call), ec, detail::initiate_get_acl, view_, std::string(path));
}

NodeAcl Client::get_acl(std::string_view path, CallOptions call) {
    return throwing_at("get the ACL of", path, [&](error_code& ec) { return get_acl(path, ec, std::move(call)); });
}

Stat Client::set_acl(std::string_view path, Acl acl, std::int32_t version, error_code& ec, CallOptions call) {
    return block<Stat>(view_, std::move(call), ec, detail::initiate_set_acl, view_, std::string(path), std::move(acl), version);
}

Stat Client::set_acl(std::string_view path, Acl acl, error_code& ec, CallOptions call) {
    return set_acl(path, std::move(acl), any_version, ec, std::move(call));
}

Stat Client::set_acl(std::string_view path, Acl acl, std::int32_t version, CallOptions call) {
    return throwing_at("set the ACL of", path,
                       [&](error_code& ec) { return set_acl(path, std::move(acl), version, ec, std::move(call)); });
}

NodeData Client::ensemble_config(error_code& ec, CallOptions call) {
    return block<NodeData>(view_, std::move(call), ec, detail::initiate_ensemble_config, core_);
}

NodeData Client::ensemble_config(CallOptions call) {
    return throwing("get", "the configuration of the ensemble",
                    [&](error_code& ec) { return ensemble_config(ec, std::move(call)); });
}

Watched<NodeData> Client::ensemble_config_watched(error_code& ec, CallOptions call) {
    return block<Watched<NodeData>>(view_, std::move(call), ec, detail::initiate_ensemble_config_watched, core_);
}

Watched<NodeData> Client::ensemble_config_watched(CallOptions call) {
    return throwing("get and watch", "the configuration of the ensemble",
                    [&](error_code& ec) { return ensemble_config_watched(ec, std::move(call)); });
}

NodeData Client::reconfigure(Reconfiguration change, error_code& ec, CallOptions call) {
    return block<NodeData>(view_, std::move(call), ec, detail::initiate_reconfigure, view_, std::move(change));
}

NodeData Client::reconfigure(Reconfiguration change, CallOptions call) {
    return throwing("change", "the ensemble",
                    [&](error_code& ec) { return reconfigure(std::move(change), ec, std::move(call)); });
}

std::optional<Stat> Client::exists(std::string_view path, error_code& ec, CallOptions call) {
    return block<std::optional<Stat>>(view_, std::move(call), ec, detail::initiate_exists, view_, std::string(path));
}

std::optional<Stat> Client::exists(std::string_view path, CallOptions call) {
    return throwing_at("exists", path, [&](error_code& ec) { return exists(path, ec, std::move(call)); });
}

Watched<std::optional<Stat>> Client::exists_watched(std::string_view path, error_code& ec, CallOptions call) {
    return block<Watched<std::optional<Stat>>>(view_, std::move(call), ec, detail::initiate_exists_watched, view_,
                                               std::string(path));
}

Watched<std::optional<Stat>> Client::exists_watched(std::string_view path, CallOptions call) {
    return throwing_at("exists and watch", path, [&](error_code& ec) { return exists_watched(path, ec, std::move(call)); });
}

Children Client::children(std::string_view path, error_code& ec, CallOptions call) {
    return block<Children>(view_, std::move(call), ec, detail::initiate_children, view_, std::string(path));
}

Children Client::children(std::string_view path, CallOptions call) {
    return throwing_at("children of", path, [&](error_code& ec) { return children(path, ec, std::move(call)); });
}

Watched<Children> Client::children_watched(std::string_view path, error_code& ec, CallOptions call) {
    return block<Watched<Children>>(view_, std::move(call), ec, detail::initiate_children_watched, view_, std::string(path));
}

Watched<Children> Client::children_watched(std::string_view path, CallOptions call) {
    return throwing_at("children of, and watch,", path,
                       [&](error_code& ec) { return children_watched(path, ec, std::move(call)); });
}

TransactionResult Client::commit(const Transaction& transaction, error_code& ec, CallOptions call) {
    return block<TransactionResult>(view_, std::move(call), ec, detail::initiate_commit, view_, transaction);
}

TransactionResult Client::commit(const Transaction& transaction, CallOptions call) {
    error_code ec;
    TransactionResult result = commit(transaction, ec, std::move(call));
    if (!ec) return result;
    std::string what = "commit";
    if (result.failed_operation) {
        what += ", operations[" + std::to_string(*result.failed_operation) + "] on " +
                result.operations[*result.failed_operation].for_path;
    }
    if (ec == error::invalid_path) what += ": " + explain_paths(transaction);
    throw TransactionError(ec, what, std::move(result));
}

void Client::sync(std::string_view path, error_code& ec, CallOptions call) {
    block<>(view_, std::move(call), ec, detail::initiate_sync, view_, std::string(path));
}

void Client::sync(error_code& ec, CallOptions call) {
    sync("/", ec, std::move(call));
}

void Client::sync(std::string_view path, CallOptions call) {
    throwing_at("sync", path, [&](error_code& ec) { sync(path, ec, std::move(call)); });
}

} // namespace docent

namespace docent::detail {

std::uint64_t this_process() noexcept {
    return posix::this_process();
}

void keep_for_ever(std::shared_ptr<void> object) noexcept {
    posix::keep_for_ever(std::move(object));
}

} // namespace docent::detail
