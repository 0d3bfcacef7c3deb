// SPDX-License-Identifier: Apache-2.0

// Where the templates of client.hpp arrive: each call becomes an operation.

#include "client/core/core.hpp"
#include "client/operations/create_or_operation.hpp"
#include "client/data/data_codec.hpp"
#include "client/operations/reconfigure_operation.hpp"
#include "client/operations/remove_operation.hpp"
#include "client/operations/request_operation.hpp"
#include "client/operations/set_operation.hpp"
#include "client/transaction/transaction_operation.hpp"
#include "client/events/watch_state.hpp"

#include <docent/client.hpp>

namespace docent::detail {
namespace {

NodeData to_node_data(zk::Reply& reply) {
    return {std::move(reply.data), reply.stat};
}

Children to_children(zk::Reply& reply) {
    return {std::move(reply.children), reply.stat};
}

/// That a node does not exist is an answer, not an error.
std::optional<Stat> to_exists(zk::Reply& reply, error_code& ec) {
    if (ec != server_error::no_node) return ec ? std::nullopt : std::optional(reply.stat);
    ec = {};
    return std::nullopt;
}

/// The operation for one request.
template <typename Result, typename Convert>
void start_request(const LauncherPtr& client, OperationName name, zk::Request request, CallOptions call,
                   Handler<Result> handler, Convert convert) {
    launch<Result>(client, std::move(name), std::move(call), std::move(handler),
                   [&](const LauncherPtr& keeper, Done<Result> done) {
                       return std::make_shared<RequestOperation>(
                           keeper, std::move(request), [done = std::move(done), convert](error_code ec, zk::Reply reply) {
                               Result result = convert(reply, ec);
                               done(ec, std::move(result));
                           });
                   });
}

/// `request` with a watch: the sink is registered on the strand, when the operation begins.
template <typename Value, typename WithWatch, typename Convert>
void start_watched(const LauncherPtr& client, OperationName name, WatchState::Forget forget, WithWatch with_watch,
                   CallOptions call, Handler<Watched<Value>> handler, Convert convert) {
    auto state = std::make_shared<WatchState>(client, name.path, std::move(forget));
    using Make = std::function<std::shared_ptr<Operation>(zk::WatchSink, Done<zk::Reply>)>;
    class Begin final : public Operation {
    public:
        Begin(std::shared_ptr<WatchState> watch, Make make, Done<zk::Reply> done)
            : watch_(std::move(watch)), make_(std::move(make)), done_(std::move(done)) {}
        void begin() override { request()->begin(); }
        void abort(error_code ec) override { request()->abort(ec); }
        error_code timeout_error() const override { return inner_ ? inner_->timeout_error() : Operation::timeout_error(); }

    private:
        Operation* request() {
            if (inner_) return inner_.get();
            inner_ = make_(watch_->open(), [self = shared_from_this(), this](error_code ec, zk::Reply reply) {
                done_(ec, std::move(reply)); // until then we are what can be aborted
            });
            return inner_.get();
        }
        std::shared_ptr<WatchState> watch_;
        Make make_;
        Done<zk::Reply> done_;
        std::shared_ptr<Operation> inner_;
    };
    launch<Watched<Value>>(client, std::move(name), std::move(call), std::move(handler),
                           [&](const LauncherPtr& keeper, Done<Watched<Value>> done) {
                               auto finish = [done = std::move(done), convert, state](error_code ec, zk::Reply reply) {
                                   Watched<Value> result{convert(reply, ec), ec ? Watch() : Watch(state)};
                                   done(ec, std::move(result));
                               };
                               auto make = [keeper, with_watch](zk::WatchSink sink, Done<zk::Reply> replied) {
                                   return std::make_shared<RequestOperation>(keeper, with_watch(std::move(sink)),
                                                                             std::move(replied));
                               };
                               return std::make_shared<Begin>(state, std::move(make), std::move(finish));
                           });
}

WatchState::Forget forget(const std::string& path, zk::WatchKind kind) {
    return [path, kind](Keeper& keeper) { keeper.forget_watch(path, kind); };
}

/// Reads data and decompresses it.
auto node_data(const LauncherPtr& client, std::string path, Compression compression) {
    return [client, path = std::move(path), compression](zk::Reply& reply, error_code& ec) {
        NodeData data = to_node_data(reply);
        if (!ec) ec = decode_data(client->config(), path, compression, data.data);
        return data;
    };
}

const auto plain_data = [](zk::Reply& reply, error_code&) { return to_node_data(reply); };
const auto children_of = [](zk::Reply& reply, error_code&) { return to_children(reply); };
const auto exists_or_not = [](zk::Reply& reply, error_code& ec) { return to_exists(reply, ec); };
const auto acl_of = [](zk::Reply& reply, error_code&) { return NodeAcl{std::move(reply.acl), reply.stat}; };

/// Completes when the session is connected.
class UntilConnected final : public Operation {
public:
    /// `bounded`: by the client's connection timeout; else the call has a limit of its own.
    UntilConnected(std::shared_ptr<Keeper> keeper, bool bounded, Done<> done)
        : keeper_(std::move(keeper)), bounded_(bounded), done_(std::move(done)), wait_(*keeper_) {}

    void begin() override {
        auto then = [self = shared_from_this(), this](error_code ec) { abort(ec); };
        bounded_ ? wait_.until_connected(std::move(then)) : wait_.until_connected_at_last(std::move(then));
    }
    void abort(error_code ec) override {
        wait_.cancel();
        if (done_) std::exchange(done_, nullptr)(ec);
    }
    error_code timeout_error() const override { return error::not_connected; }

private:
    std::shared_ptr<Keeper> keeper_;
    bool bounded_;
    Done<> done_;
    ConnectionWait wait_;
};

/// Closes the client; cannot be aborted.
class CloseOperation final : public Operation {
public:
    CloseOperation(CorePtr core, Done<> done) : core_(std::move(core)), done_(std::move(done)) {}

    void begin() override {
        core_->close([done = done_] { done({}); });
    }
    void abort(error_code) override {}

private:
    CorePtr core_;
    Done<> done_;
};

} // namespace

void start_create(const LauncherPtr& client, std::string path, Text data, CreateOptions options, CallOptions call,
                  Handler<Created> handler) {
    std::string bytes = data ? std::move(*data) : std::string(*client->config().default_data);
    const error_code fault = encode_data(client->config(), path, options.compression, bytes);
    launch<Created>(
        client, {"create", path}, std::move(call), std::move(handler),
        [&](const LauncherPtr& keeper, Done<Created> done) -> std::shared_ptr<Operation> {
            if (fault) return std::make_shared<Refusal>([done = std::move(done), fault] { done(fault, {}); });
            zk::CreateRequest request{path, std::move(bytes), options.mode, options.acl, options.ttl};
            if (options.if_exists == IfExists::fail) {
                return std::make_shared<CreateOperation>(keeper, std::move(request), std::move(options), std::move(done));
            }
            return std::make_shared<CreateOrOperation>(keeper, std::move(request), std::move(options), std::move(done));
        });
}

void start_get(const LauncherPtr& client, std::string path, GetOptions options, CallOptions call, Handler<NodeData> handler) {
    auto convert = node_data(client, path, options.compression);
    start_request<NodeData>(client, {"get", path}, zk::GetRequest{path}, std::move(call), std::move(handler),
                            std::move(convert));
}

void start_get_watched(const LauncherPtr& client, std::string path, GetOptions options, CallOptions call,
                       Handler<Watched<NodeData>> handler) {
    start_watched<NodeData>(
        client, {"get_watched", path}, forget(path, zk::WatchKind::data),
        [path](zk::WatchSink sink) {
            return zk::GetRequest{path, std::move(sink)};
        },
        std::move(call), std::move(handler), node_data(client, path, options.compression));
}

void start_set(const LauncherPtr& client, std::string path, std::string data, SetOptions options, CallOptions call,
               Handler<Stat> handler) {
    const error_code fault = encode_data(client->config(), path, options.compression, data);
    launch<Stat>(client, {"set", path}, std::move(call), std::move(handler),
                 [&](const LauncherPtr& keeper, Done<Stat> done) -> std::shared_ptr<Operation> {
                     if (fault) return std::make_shared<Refusal>([done = std::move(done), fault] { done(fault, {}); });
                     zk::SetRequest request{path, std::move(data), options.version};
                     if (options.if_changed == IfChanged::accept_same) {
                         return std::make_shared<SetSameOperation>(keeper, std::move(request), std::move(done));
                     }
                     return std::make_shared<RequestOperation>(
                         keeper, std::move(request),
                         [done = std::move(done)](error_code ec, const zk::Reply& reply) { done(ec, reply.stat); });
                 });
}

void start_remove(const LauncherPtr& client, std::string path, RemoveOptions options, CallOptions call, Handler<> handler) {
    launch<>(client, {"remove", path}, std::move(call), std::move(handler),
             [&](const LauncherPtr& keeper, Done<> done) -> std::shared_ptr<Operation> {
                 Done<> finish = finish_remove(keeper, path, options, std::move(done));
                 if (options.children == RemoveChildren::yes) {
                     return std::make_shared<RemoveTreeOperation>(keeper, path, options.version, std::move(finish));
                 }
                 return std::make_shared<RequestOperation>(
                     keeper, zk::RemoveRequest{path, options.version},
                     [finish = std::move(finish)](error_code ec, const zk::Reply&) { finish(ec); });
             });
}

void start_exists(const LauncherPtr& client, std::string path, CallOptions call, Handler<std::optional<Stat>> handler) {
    start_request<std::optional<Stat>>(client, {"exists", path}, zk::ExistsRequest{path}, std::move(call), std::move(handler),
                                       exists_or_not);
}

void start_exists_watched(const LauncherPtr& client, std::string path, CallOptions call,
                          Handler<Watched<std::optional<Stat>>> handler) {
    start_watched<std::optional<Stat>>(
        client, {"exists_watched", path}, forget(path, zk::WatchKind::exists),
        [path](zk::WatchSink sink) {
            return zk::ExistsRequest{path, std::move(sink)};
        },
        std::move(call), std::move(handler), exists_or_not);
}

void start_children(const LauncherPtr& client, std::string path, CallOptions call, Handler<Children> handler) {
    start_request<Children>(client, {"children", path}, zk::ChildrenRequest{path}, std::move(call), std::move(handler),
                            children_of);
}

void start_children_watched(const LauncherPtr& client, std::string path, CallOptions call, Handler<Watched<Children>> handler) {
    start_watched<Children>(
        client, {"children_watched", path}, forget(path, zk::WatchKind::children),
        [path](zk::WatchSink sink) {
            return zk::ChildrenRequest{path, std::move(sink)};
        },
        std::move(call), std::move(handler), children_of);
}

void start_get_acl(const LauncherPtr& client, std::string path, CallOptions call, Handler<NodeAcl> handler) {
    start_request<NodeAcl>(client, {"get_acl", path}, zk::GetAclRequest{path}, std::move(call), std::move(handler), acl_of);
}

void start_set_acl(const LauncherPtr& client, std::string path, Acl acl, std::int32_t version, CallOptions call,
                   Handler<Stat> handler) {
    launch<Stat>(
        client, {"set_acl", path}, std::move(call), std::move(handler), [&](const LauncherPtr& keeper, Done<Stat> done) {
            return std::make_shared<SetAclOperation>(keeper, zk::SetAclRequest{path, std::move(acl), version}, std::move(done));
        });
}

void start_sync(const LauncherPtr& client, std::string path, CallOptions call, Handler<> handler) {
    launch<>(client, {"sync", path}, std::move(call), std::move(handler), [&](const LauncherPtr& keeper, Done<> done) {
        return std::make_shared<RequestOperation>(keeper, zk::SyncRequest{path},
                                                  [done = std::move(done)](error_code ec, const zk::Reply&) { done(ec); });
    });
}

void start_ensemble_config(const LauncherPtr& client, CallOptions call, Handler<NodeData> handler) {
    start_request<NodeData>(client, {"ensemble_config", zk::config_path}, zk::GetConfigRequest{}, std::move(call),
                            std::move(handler), plain_data);
}

void start_ensemble_config_watched(const LauncherPtr& client, CallOptions call, Handler<Watched<NodeData>> handler) {
    start_watched<NodeData>(
        client, {"ensemble_config_watched", zk::config_path}, [](Keeper& keeper) { keeper.forget_config_watch(); },
        [](zk::WatchSink sink) { return zk::GetConfigRequest{std::move(sink)}; }, std::move(call), std::move(handler),
        plain_data);
}

void start_reconfigure(const LauncherPtr& client, Reconfiguration change, CallOptions call, Handler<NodeData> handler) {
    launch<NodeData>(client, {"reconfigure", zk::config_path}, std::move(call), std::move(handler),
                     [&](const LauncherPtr& keeper, Done<NodeData> done) {
                         zk::ReconfigRequest request{std::move(change.joining), std::move(change.leaving),
                                                     std::move(change.members), change.from_version};
                         return std::make_shared<ReconfigureOperation>(keeper, std::move(request), std::move(done));
                     });
}

void start_commit(const LauncherPtr& client, Transaction transaction, CallOptions call, Handler<TransactionResult> handler) {
    const auto& operations = transaction.operations();
    std::string path =
        operations.empty() ? std::string() : std::visit([](const auto& o) { return o.path; }, operations.front());
    launch<TransactionResult>(client, {"commit", std::move(path)}, std::move(call), std::move(handler),
                              [&](const LauncherPtr& keeper, Done<TransactionResult> done) {
                                  return std::make_shared<TransactionOperation>(keeper, std::move(transaction),
                                                                                std::move(done));
                              });
}

void start_until_connected(const LauncherPtr& client, CallOptions call, Handler<> handler) {
    const bool bounded = !call.timeout;
    const auto make = [bounded](const LauncherPtr& keeper, Done<> done) {
        return std::make_shared<UntilConnected>(keeper, bounded, std::move(done));
    };
    launch<>(client, {}, std::move(call), std::move(handler), make);
}

void start_close(const CorePtr& core, Handler<> handler) {
    const auto make = [&core](const LauncherPtr&, Done<> done) {
        return std::make_shared<CloseOperation>(core, std::move(done));
    };
    launch<>(core, {}, {}, std::move(handler), make);
}

} // namespace docent::detail
