// SPDX-License-Identifier: Apache-2.0
#pragma once

// The calls of atomic values, as operations.

#include "atomic/atomic_core.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/operations/request_operation.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace docent::detail {

/// For calls that must succeed: turns used-up tries or time into an error.
inline void must_be_settled(error_code& ec, bool settled) {
    if (!ec && !settled) ec = server_error::operation_timeout;
}

/// Changes the value. `convert(error_code&, AtomicBytes)` makes the handler's result.
template <typename Result, typename Convert>
void launch_change(const std::shared_ptr<AtomicCore>& core, std::string_view name, AtomicMachine::Plan plan, CallOptions call,
                   Handler<Result> handler, Convert convert) {
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<Result> done) {
        auto then = [done = std::move(done), convert](error_code ec, AtomicBytes bytes) {
            Result result = convert(ec, std::move(bytes));
            done(ec, std::move(result));
        };
        return std::make_shared<AtomicOperation>(view, core, std::move(plan), std::move(then));
    };
    launch<Result>(core->view(), {name, core->path()}, std::move(call), std::move(handler), make);
}

/// The same for a call that must succeed, and has no result.
inline void launch_certain_change(const std::shared_ptr<AtomicCore>& core, std::string_view name, AtomicMachine::Plan plan,
                                  CallOptions call, Handler<> handler) {
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<> done) {
        auto then = [done = std::move(done)](error_code ec, const AtomicBytes& bytes) {
            must_be_settled(ec, bytes.succeeded);
            done(ec);
        };
        return std::make_shared<AtomicOperation>(view, core, std::move(plan), std::move(then));
    };
    launch<>(core->view(), {name, core->path()}, std::move(call), std::move(handler), make);
}

/// Reads once. Does not wait for other calls on the object.
template <typename Result, typename Convert>
void launch_get(const std::shared_ptr<AtomicCore>& core, CallOptions call, Handler<Result> handler, Convert convert) {
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<Result> done) {
        return std::make_shared<RequestOperation>(
            view, zk::GetRequest{core->path()}, [core, done = std::move(done), convert](error_code ec, zk::Reply reply) {
                AtomicBytes found{.succeeded = true};
                if (!ec) ec = decode_data(core->view()->config(), core->path(), Compression::client_default, reply.data);
                if (!ec) found.before = found.after = std::move(reply.data);
                if (ec == server_error::no_node) ec = {};
                if (ec) found = {};
                Result result = convert(ec, std::move(found));
                done(ec, std::move(result));
            });
    };
    launch<Result>(core->view(), {"atomic_get", core->path()}, std::move(call), std::move(handler), make);
}

} // namespace docent::detail
