// SPDX-License-Identifier: Apache-2.0

// Where the templates of client.hpp arrive: each call becomes an operation.

#include "client/core.hpp"
#include "client/create_operation.hpp"
#include "client/request_operation.hpp"
#include "client/transaction_operation.hpp"
#include "client/watch_state.hpp"

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

template <typename Result, typename Convert>
void start_request(const CorePtr& core, zk::Request request, CallOptions call, Handler<Result> handler, Convert convert) {
    launch<Result>(core, std::move(call), std::move(handler), [&](Done<Result> done) {
        return std::make_shared<RequestOperation>(core, std::move(request),
                                                  [done = std::move(done), convert](error_code ec, zk::Reply reply) {
                                                      Result result = convert(reply, ec);
                                                      done(ec, std::move(result));
                                                  });
    });
}

void start_request(const CorePtr& core, zk::Request request, CallOptions call, Handler<> handler) {
    launch<>(core, std::move(call), std::move(handler), [&](Done<> done) {
        return std::make_shared<RequestOperation>(core, std::move(request),
                                                  [done = std::move(done)](error_code ec, const zk::Reply&) { done(ec); });
    });
}

/// `Read` with a watch: the sink is registered on the strand, when the operation begins.
template <typename Read, typename Value, typename Convert>
void start_watched(const CorePtr& core, std::string path, CallOptions call, Handler<Watched<Value>> handler, Convert convert) {
    auto state = std::make_shared<WatchState>(core, path);
    class Begin final : public Operation {
    public:
        Begin(std::shared_ptr<WatchState> watch, std::function<std::shared_ptr<Operation>(zk::WatchSink)> make)
            : watch_(std::move(watch)), make_(std::move(make)) {}
        void begin() override { request()->begin(); }
        void abort(error_code ec) override { request()->abort(ec); }
        error_code timeout_error() const override { return inner_ ? inner_->timeout_error() : Operation::timeout_error(); }

    private:
        Operation* request() {
            if (!inner_) inner_ = make_(watch_->open());
            return inner_.get();
        }
        std::shared_ptr<WatchState> watch_;
        std::function<std::shared_ptr<Operation>(zk::WatchSink)> make_;
        std::shared_ptr<Operation> inner_;
    };
    launch<Watched<Value>>(core, std::move(call), std::move(handler), [&](Done<Watched<Value>> done) {
        auto finish = [done = std::move(done), convert, state](error_code ec, zk::Reply reply) {
            Watched<Value> result{convert(reply, ec), ec ? Watch() : Watch(state)};
            done(ec, std::move(result));
        };
        return std::make_shared<Begin>(state, [core, path, finish](zk::WatchSink sink) {
            return std::make_shared<RequestOperation>(core, Read{path, std::move(sink)}, finish);
        });
    });
}

const auto node_data = [](zk::Reply& reply, error_code&) { return to_node_data(reply); };
const auto children_of = [](zk::Reply& reply, error_code&) { return to_children(reply); };
const auto exists_or_not = [](zk::Reply& reply, error_code& ec) { return to_exists(reply, ec); };
const auto stat_of = [](zk::Reply& reply, error_code&) { return reply.stat; };

/// Completes when the session is connected.
class UntilConnected final : public Operation {
public:
    UntilConnected(std::shared_ptr<Keeper> keeper, Done<> done)
        : keeper_(std::move(keeper)), done_(std::move(done)), wait_(*keeper_) {}

    void begin() override {
        wait_.until_connected([self = shared_from_this(), this](error_code ec) { abort(ec); });
    }
    void abort(error_code ec) override {
        wait_.cancel();
        if (done_) std::exchange(done_, nullptr)(ec);
    }
    error_code timeout_error() const override { return error::not_connected; }

private:
    std::shared_ptr<Keeper> keeper_;
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

void start_create(const CorePtr& core, std::string path, std::string data, CreateOptions options, CallOptions call,
                  Handler<Created> handler) {
    launch<Created>(core, std::move(call), std::move(handler), [&](Done<Created> done) {
        zk::CreateRequest request{std::move(path), std::move(data), options.mode, options.acl, options.ttl};
        return std::make_shared<CreateOperation>(core, std::move(request), std::move(options), std::move(done));
    });
}

void start_get(const CorePtr& core, std::string path, CallOptions call, Handler<NodeData> handler) {
    start_request<NodeData>(core, zk::GetRequest{std::move(path)}, std::move(call), std::move(handler), node_data);
}

void start_get_watched(const CorePtr& core, std::string path, CallOptions call, Handler<Watched<NodeData>> handler) {
    start_watched<zk::GetRequest>(core, std::move(path), std::move(call), std::move(handler), node_data);
}

void start_set(const CorePtr& core, std::string path, std::string data, std::int32_t version, CallOptions call,
               Handler<Stat> handler) {
    start_request<Stat>(core, zk::SetRequest{std::move(path), std::move(data), version}, std::move(call), std::move(handler),
                        stat_of);
}

void start_remove(const CorePtr& core, std::string path, std::int32_t version, CallOptions call, Handler<> handler) {
    start_request(core, zk::RemoveRequest{std::move(path), version}, std::move(call), std::move(handler));
}

void start_exists(const CorePtr& core, std::string path, CallOptions call, Handler<std::optional<Stat>> handler) {
    start_request<std::optional<Stat>>(core, zk::ExistsRequest{std::move(path)}, std::move(call), std::move(handler),
                                       exists_or_not);
}

void start_exists_watched(const CorePtr& core, std::string path, CallOptions call,
                          Handler<Watched<std::optional<Stat>>> handler) {
    start_watched<zk::ExistsRequest>(core, std::move(path), std::move(call), std::move(handler), exists_or_not);
}

void start_children(const CorePtr& core, std::string path, CallOptions call, Handler<Children> handler) {
    start_request<Children>(core, zk::ChildrenRequest{std::move(path)}, std::move(call), std::move(handler), children_of);
}

void start_children_watched(const CorePtr& core, std::string path, CallOptions call, Handler<Watched<Children>> handler) {
    start_watched<zk::ChildrenRequest>(core, std::move(path), std::move(call), std::move(handler), children_of);
}

void start_sync(const CorePtr& core, std::string path, CallOptions call, Handler<> handler) {
    start_request(core, zk::SyncRequest{std::move(path)}, std::move(call), std::move(handler));
}

void start_commit(const CorePtr& core, Transaction transaction, CallOptions call, Handler<TransactionResult> handler) {
    launch<TransactionResult>(core, std::move(call), std::move(handler), [&](Done<TransactionResult> done) {
        return std::make_shared<TransactionOperation>(core, std::move(transaction), std::move(done));
    });
}

void start_until_connected(const CorePtr& core, CallOptions call, Handler<> handler) {
    launch<>(core, std::move(call), std::move(handler),
             [&](Done<> done) { return std::make_shared<UntilConnected>(core, std::move(done)); });
}

void start_close(const CorePtr& core, Handler<> handler) {
    launch<>(core, {}, std::move(handler),
             [&](Done<> done) { return std::make_shared<CloseOperation>(core, std::move(done)); });
}

} // namespace docent::detail
