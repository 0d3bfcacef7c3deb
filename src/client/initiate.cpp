// SPDX-License-Identifier: Apache-2.0

// Makes an operation of each call of client.hpp's templates, except for close(), which nothing can cancel.

#include "client/core/client_runtime.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/events/event_source.hpp"
#include "client/operations/create_operation.hpp"
#include "client/operations/remove_operation.hpp"
#include "client/operations/request_operation.hpp"
#include "client/transaction/transaction_operation.hpp"

#include <docent/client.hpp>

namespace docent::detail {
namespace {

const auto plain_data = [](zk::Reply& reply, error_code&) { return NodeData{std::move(reply.data), reply.stat}; };
const auto children_of = [](zk::Reply& reply, error_code&) { return Children{std::move(reply.children), reply.stat}; };
const auto acl_of = [](zk::Reply& reply, error_code&) { return NodeAcl{std::move(reply.acl), reply.stat}; };

/// A missing node is an answer of exists(), and not an error.
const auto exists_or_not = [](zk::Reply& reply, error_code& ec) {
    const bool exists = !ec;
    if (ec == server_error::no_node) ec = {};
    return exists ? std::optional(reply.stat) : std::nullopt;
};

/// Reads data and decompresses it.
auto node_data(const ClientViewPtr& client, std::string path, Compression compression) {
    return [client, path = std::move(path), compression](zk::Reply& reply, error_code& ec) {
        NodeData data = plain_data(reply, ec);
        if (!ec) ec = decode_data(client->config(), path, compression, data.data);
        return data;
    };
}

/// Starts the operation for one request.
template <typename Result, typename Convert>
void initiate_request(const ClientViewPtr& client, OperationName name, zk::Request request, CallOptions call,
                      Handler<Result> handler, Convert convert) {
    launch<Result>(client, std::move(name), std::move(call), std::move(handler),
                   [&](const ClientViewPtr& view, Done<Result> done) {
                       return std::make_shared<RequestOperation>(
                           view, std::move(request), [done = std::move(done), convert](error_code ec, zk::Reply reply) {
                               Result result = convert(reply, ec);
                               done(ec, std::move(result));
                           });
                   });
}

/// Starts the operation for one request with a watch.
template <typename Value, typename Request, typename Convert>
void initiate_watched(const ClientViewPtr& client, OperationName name, Request request, CallOptions call,
                      Handler<Watched<Value>> handler, Convert convert) {
    if (!client) return complete_empty<Watched<Value>>(std::move(handler), error::closed);
    const auto state = std::make_shared<WatchState>(client, name.path, *Request::facts.watch);
    request.watch = state->open();
    auto convert_both = [convert, state](zk::Reply& reply, error_code& ec) {
        auto value = convert(reply, ec);
        return Watched<Value>{std::move(value), ec ? Watch() : Watch(state)};
    };
    initiate_request<Watched<Value>>(client, std::move(name), std::move(request), std::move(call), std::move(handler),
                                     std::move(convert_both));
}

/// Completes when the session is connected.
class UntilConnected final : public ConnectedOperation<> {
public:
    UntilConnected(std::shared_ptr<ClientView> view, ConnectionWait::Limit limit, Done<> done)
        : ConnectedOperation(std::move(view), std::move(done)), limit_(limit) {}

    void begin() override {
        when_connected([this] { finish({}); }, limit_);
    }

private:
    const ConnectionWait::Limit limit_;
};

} // namespace

void initiate_create(const ClientViewPtr& client, std::string path, Text data, CreateOptions options, CallOptions call,
                     Handler<Created> handler) {
    if (!client) return complete_empty<Created>(std::move(handler), error::closed);
    std::string bytes = data ? std::move(*data) : std::string(*client->config().default_data);
    const error_code fault = encode_data(client->config(), path, options.compression, bytes);
    launch<Created>(
        client, {"create", path}, std::move(call), std::move(handler),
        [&](const ClientViewPtr& view, Done<Created> done) -> std::shared_ptr<Operation> {
            if (fault) return std::make_shared<Refusal>([done = std::move(done), fault] { done(fault, {}); });
            zk::CreateRequest request{path, std::move(bytes), options.mode, options.acl, options.ttl};
            if (options.if_exists == IfExists::fail) {
                return std::make_shared<CreateOperation>(view, std::move(request), std::move(options), std::move(done));
            }
            return std::make_shared<CreateOrOperation>(view, std::move(request), std::move(options), std::move(done));
        });
}

void initiate_get(const ClientViewPtr& client, std::string path, GetOptions options, CallOptions call,
                  Handler<NodeData> handler) {
    auto convert = node_data(client, path, options.compression);
    initiate_request<NodeData>(client, {"get", path}, zk::GetRequest{path}, std::move(call), std::move(handler),
                               std::move(convert));
}

void initiate_get_watched(const ClientViewPtr& client, std::string path, GetOptions options, CallOptions call,
                          Handler<Watched<NodeData>> handler) {
    auto convert = node_data(client, path, options.compression);
    initiate_watched<NodeData>(client, {"get_watched", path}, zk::GetRequest{path}, std::move(call), std::move(handler),
                               std::move(convert));
}

void initiate_set(const ClientViewPtr& client, std::string path, std::string data, SetOptions options, CallOptions call,
                  Handler<Stat> handler) {
    if (!client) return complete_empty<Stat>(std::move(handler), error::closed);
    const error_code fault = encode_data(client->config(), path, options.compression, data);
    launch<Stat>(client, {"set", path}, std::move(call), std::move(handler),
                 [&](const ClientViewPtr& view, Done<Stat> done) -> std::shared_ptr<Operation> {
                     if (fault) return std::make_shared<Refusal>([done = std::move(done), fault] { done(fault, {}); });
                     zk::SetRequest request{path, std::move(data), options.version};
                     if (options.if_changed == IfChanged::accept_same) {
                         return std::make_shared<SetSameOperation>(view, std::move(request), std::move(done));
                     }
                     return std::make_shared<RequestOperation>(
                         view, std::move(request),
                         [done = std::move(done)](error_code ec, const zk::Reply& reply) { done(ec, reply.stat); });
                 });
}

void initiate_remove(const ClientViewPtr& client, std::string path, RemoveOptions options, CallOptions call,
                     Handler<> handler) {
    launch<>(client, {"remove", path}, std::move(call), std::move(handler),
             [&](const ClientViewPtr& view, Done<> done) -> std::shared_ptr<Operation> {
                 Done<> finish = finish_remove(view, path, options, std::move(done));
                 if (options.children == RemoveChildren::yes) {
                     return std::make_shared<RemoveTreeOperation>(view, path, options.version, std::move(finish));
                 }
                 return std::make_shared<RequestOperation>(
                     view, zk::RemoveRequest{path, options.version},
                     [finish = std::move(finish)](error_code ec, const zk::Reply&) { finish(ec); });
             });
}

void initiate_exists(const ClientViewPtr& client, std::string path, CallOptions call, Handler<std::optional<Stat>> handler) {
    initiate_request<std::optional<Stat>>(client, {"exists", path}, zk::ExistsRequest{path}, std::move(call),
                                          std::move(handler), exists_or_not);
}

void initiate_exists_watched(const ClientViewPtr& client, std::string path, CallOptions call,
                             Handler<Watched<std::optional<Stat>>> handler) {
    initiate_watched<std::optional<Stat>>(client, {"exists_watched", path}, zk::ExistsRequest{path}, std::move(call),
                                          std::move(handler), exists_or_not);
}

void initiate_children(const ClientViewPtr& client, std::string path, CallOptions call, Handler<Children> handler) {
    initiate_request<Children>(client, {"children", path}, zk::ChildrenRequest{path}, std::move(call), std::move(handler),
                               children_of);
}

void initiate_children_watched(const ClientViewPtr& client, std::string path, CallOptions call,
                               Handler<Watched<Children>> handler) {
    initiate_watched<Children>(client, {"children_watched", path}, zk::ChildrenRequest{path}, std::move(call),
                               std::move(handler), children_of);
}

void initiate_get_acl(const ClientViewPtr& client, std::string path, CallOptions call, Handler<NodeAcl> handler) {
    initiate_request<NodeAcl>(client, {"get_acl", path}, zk::GetAclRequest{path}, std::move(call), std::move(handler), acl_of);
}

void initiate_set_acl(const ClientViewPtr& client, std::string path, Acl acl, std::int32_t version, CallOptions call,
                      Handler<Stat> handler) {
    launch<Stat>(
        client, {"set_acl", path}, std::move(call), std::move(handler), [&](const ClientViewPtr& view, Done<Stat> done) {
            return std::make_shared<SetAclOperation>(view, zk::SetAclRequest{path, std::move(acl), version}, std::move(done));
        });
}

void initiate_sync(const ClientViewPtr& client, std::string path, CallOptions call, Handler<> handler) {
    launch<>(client, {"sync", path}, std::move(call), std::move(handler), [&](const ClientViewPtr& view, Done<> done) {
        return std::make_shared<RequestOperation>(view, zk::SyncRequest{path},
                                                  [done = std::move(done)](error_code ec, const zk::Reply&) { done(ec); });
    });
}

void initiate_ensemble_config(const RuntimePtr& core, CallOptions call, Handler<NodeData> handler) {
    initiate_request<NodeData>(core, {"ensemble_config", zk::config_path}, zk::GetRequest{zk::config_path}, std::move(call),
                               std::move(handler), plain_data);
}

void initiate_ensemble_config_watched(const RuntimePtr& core, CallOptions call, Handler<Watched<NodeData>> handler) {
    initiate_watched<NodeData>(core, {"ensemble_config_watched", zk::config_path}, zk::GetRequest{zk::config_path},
                               std::move(call), std::move(handler), plain_data);
}

void initiate_reconfigure(const ClientViewPtr& client, Reconfiguration change, CallOptions call, Handler<NodeData> handler) {
    launch<NodeData>(client, {"reconfigure", zk::config_path}, std::move(call), std::move(handler),
                     [&](const ClientViewPtr& view, Done<NodeData> done) {
                         zk::ReconfigRequest request{std::move(change.joining), std::move(change.leaving),
                                                     std::move(change.members), change.from_version};
                         return std::make_shared<ReconfigureOperation>(view, std::move(request), std::move(done));
                     });
}

void initiate_commit(const ClientViewPtr& client, Transaction transaction, CallOptions call,
                     Handler<TransactionResult> handler) {
    const auto& operations = transaction.operations();
    std::string path =
        operations.empty() ? std::string() : std::visit([](const auto& o) { return o.path; }, operations.front());
    launch<TransactionResult>(client, {"commit", std::move(path)}, std::move(call), std::move(handler),
                              [&](const ClientViewPtr& view, Done<TransactionResult> done) {
                                  return std::make_shared<TransactionOperation>(view, std::move(transaction), std::move(done));
                              });
}

void initiate_until_connected(const ClientViewPtr& client, CallOptions call, Handler<> handler) {
    const auto limit = call.timeout ? ConnectionWait::Limit::none : ConnectionWait::Limit::connection_timeout;
    launch_made<UntilConnected>(client, {}, std::move(call), std::move(handler), limit);
}

void initiate_close(const RuntimePtr& core, Handler<> handler) {
    if (!core) return complete_empty<>(std::move(handler), {});
    if (!core->is_here()) return complete_at_once<>(*core, std::move(handler), error::other_process);
    const auto completion = std::make_shared<Completion<>>(core, std::move(handler));
    core->post([core, completion] { core->close([completion] { completion->complete({}); }); }); // cannot be cancelled
}

} // namespace docent::detail
