// SPDX-License-Identifier: Apache-2.0
#include <docent/client.hpp>

#include "client/blocking.hpp"
#include "client/core.hpp"
#include "client/session_event_queue.hpp"

#include <docent/path.hpp>

namespace docent {

using detail::block_on;
using detail::throw_if;

Client::Client(ClientConfig config) : core_(std::make_shared<detail::ClientCore>(std::nullopt, std::move(config))) {}

Client::Client(asio::any_io_executor executor, ClientConfig config)
    : core_(std::make_shared<detail::ClientCore>(std::move(executor), std::move(config))) {}

Client::~Client() {
    close();
}

void Client::start() {
    core_->start();
}

void Client::close() {
    // Waiting for an executor that may have been stopped could take for ever.
    if (!core_->owns_thread() || core_->running_in_this_thread()) return core_->close(nullptr);
    const boost::this_thread::disable_interruption uninterrupted;
    error_code ignored;
    block_on<>(*core_, {}, ignored,
               [this](const CallOptions&, detail::Handler<> handler) { detail::start_close(core_, std::move(handler)); });
}

void Client::wait_connected(error_code& ec, CallOptions call) {
    block_on<>(*core_, std::move(call), ec, [this](CallOptions options, detail::Handler<> handler) {
        detail::start_until_connected(core_, std::move(options), std::move(handler));
    });
}

void Client::wait_connected(CallOptions call) {
    error_code ec;
    wait_connected(ec, std::move(call));
    const std::string reason = ec ? last_connect_error() : std::string();
    throw_if(ec, "connect to", core_->config().connect_string + (reason.empty() ? "" : " (" + reason + ")"));
}

SessionEvent Client::session() const {
    return core_->last_event();
}

std::chrono::milliseconds Client::negotiated_timeout() const {
    return core_->negotiated_timeout();
}

std::string Client::last_connect_error() const {
    return core_->last_connect_error();
}

SessionEvents Client::session_events() {
    auto queue = std::make_shared<detail::SessionEventQueue>(core_);
    core_->post([queue] { queue->open(); });
    return SessionEvents(std::move(queue));
}

Subscription Client::listen(std::function<void(const SessionEvent&)> listener, asio::any_io_executor executor) {
    return Subscription(detail::listen_for_user(core_, std::move(listener), executor));
}

void Client::remove_guaranteed(std::string_view path) {
    core_->post([core = core_, path = std::string(path)] { core->remove_in_background({path}, nullptr); });
}

Created Client::create(std::string_view path, std::string_view data, CreateOptions options, error_code& ec, CallOptions call) {
    return block_on<Created>(*core_, std::move(call), ec, [&](CallOptions c, detail::Handler<Created> handler) {
        detail::start_create(core_, std::string(path), std::string(data), std::move(options), std::move(c), std::move(handler));
    });
}

Created Client::create(std::string_view path, std::string_view data, CreateOptions options, CallOptions call) {
    error_code ec;
    Created created = create(path, data, std::move(options), ec, std::move(call));
    throw_if(ec, "create", path);
    return created;
}

NodeData Client::get(std::string_view path, error_code& ec, CallOptions call) {
    return block_on<NodeData>(*core_, std::move(call), ec, [&](CallOptions c, detail::Handler<NodeData> handler) {
        detail::start_get(core_, std::string(path), std::move(c), std::move(handler));
    });
}

NodeData Client::get(std::string_view path, CallOptions call) {
    error_code ec;
    NodeData result = get(path, ec, std::move(call));
    throw_if(ec, "get", path);
    return result;
}

Watched<NodeData> Client::get_watched(std::string_view path, error_code& ec, CallOptions call) {
    return block_on<Watched<NodeData>>(*core_, std::move(call), ec, [&](CallOptions c, auto handler) {
        detail::start_get_watched(core_, std::string(path), std::move(c), std::move(handler));
    });
}

Watched<NodeData> Client::get_watched(std::string_view path, CallOptions call) {
    error_code ec;
    auto result = get_watched(path, ec, std::move(call));
    throw_if(ec, "get and watch", path);
    return result;
}

Stat Client::set(std::string_view path, std::string_view data, std::int32_t version, error_code& ec, CallOptions call) {
    return block_on<Stat>(*core_, std::move(call), ec, [&](CallOptions c, detail::Handler<Stat> handler) {
        detail::start_set(core_, std::string(path), std::string(data), version, std::move(c), std::move(handler));
    });
}

Stat Client::set(std::string_view path, std::string_view data, std::int32_t version, CallOptions call) {
    error_code ec;
    Stat result = set(path, data, version, ec, std::move(call));
    throw_if(ec, "set", path);
    return result;
}

void Client::remove(std::string_view path, std::int32_t version, error_code& ec, CallOptions call) {
    block_on<>(*core_, std::move(call), ec, [&](CallOptions c, detail::Handler<> handler) {
        detail::start_remove(core_, std::string(path), version, std::move(c), std::move(handler));
    });
}

void Client::remove(std::string_view path, std::int32_t version, CallOptions call) {
    error_code ec;
    remove(path, version, ec, std::move(call));
    throw_if(ec, "remove", path);
}

std::optional<Stat> Client::exists(std::string_view path, error_code& ec, CallOptions call) {
    return block_on<std::optional<Stat>>(*core_, std::move(call), ec, [&](CallOptions c, auto handler) {
        detail::start_exists(core_, std::string(path), std::move(c), std::move(handler));
    });
}

std::optional<Stat> Client::exists(std::string_view path, CallOptions call) {
    error_code ec;
    auto result = exists(path, ec, std::move(call));
    throw_if(ec, "exists", path);
    return result;
}

Watched<std::optional<Stat>> Client::exists_watched(std::string_view path, error_code& ec, CallOptions call) {
    return block_on<Watched<std::optional<Stat>>>(*core_, std::move(call), ec, [&](CallOptions c, auto handler) {
        detail::start_exists_watched(core_, std::string(path), std::move(c), std::move(handler));
    });
}

Watched<std::optional<Stat>> Client::exists_watched(std::string_view path, CallOptions call) {
    error_code ec;
    auto result = exists_watched(path, ec, std::move(call));
    throw_if(ec, "exists and watch", path);
    return result;
}

Children Client::children(std::string_view path, error_code& ec, CallOptions call) {
    return block_on<Children>(*core_, std::move(call), ec, [&](CallOptions c, detail::Handler<Children> handler) {
        detail::start_children(core_, std::string(path), std::move(c), std::move(handler));
    });
}

Children Client::children(std::string_view path, CallOptions call) {
    error_code ec;
    Children result = children(path, ec, std::move(call));
    throw_if(ec, "children of", path);
    return result;
}

Watched<Children> Client::children_watched(std::string_view path, error_code& ec, CallOptions call) {
    return block_on<Watched<Children>>(*core_, std::move(call), ec, [&](CallOptions c, auto handler) {
        detail::start_children_watched(core_, std::string(path), std::move(c), std::move(handler));
    });
}

Watched<Children> Client::children_watched(std::string_view path, CallOptions call) {
    error_code ec;
    auto result = children_watched(path, ec, std::move(call));
    throw_if(ec, "children of, and watch,", path);
    return result;
}

TransactionResult Client::commit(const Transaction& transaction, error_code& ec, CallOptions call) {
    return block_on<TransactionResult>(*core_, std::move(call), ec, [&](CallOptions c, auto handler) {
        detail::start_commit(core_, transaction, std::move(c), std::move(handler));
    });
}

TransactionResult Client::commit(const Transaction& transaction, CallOptions call) {
    error_code ec;
    TransactionResult result = commit(transaction, ec, std::move(call));
    if (!ec) return result;
    std::string what = "commit";
    if (result.failed_operation) {
        what += ", operation " + std::to_string(*result.failed_operation + 1) + " on " +
                result.operations[*result.failed_operation].for_path;
    }
    throw TransactionError(ec, what, std::move(result));
}

void Client::sync(std::string_view path, error_code& ec, CallOptions call) {
    block_on<>(*core_, std::move(call), ec, [&](CallOptions c, detail::Handler<> handler) {
        detail::start_sync(core_, std::string(path), std::move(c), std::move(handler));
    });
}

void Client::sync(std::string_view path, CallOptions call) {
    error_code ec;
    sync(path, ec, std::move(call));
    throw_if(ec, "sync", path);
}

} // namespace docent
