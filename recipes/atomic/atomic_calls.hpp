// SPDX-License-Identifier: Apache-2.0
#pragma once

// The calls of atomic values, as operations.

#include "atomic/atomic_core.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/operations/request_operation.hpp"

#include <memory>
#include <optional>
#include <string>
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

/// Tries at once, with the guess that there is no node.
inline void launch_initialize(const std::shared_ptr<AtomicCore>& core, std::string value, CallOptions call,
                              Handler<bool> handler) {
    AtomicMachine::Plan plan{
        .change = [value = std::move(value)](const auto& before) { return before ? NewData{} : NewData{value}; },
        .guess = SeenValue{}};
    launch_change<bool>(core, "atomic_initialize", std::move(plan), std::move(call), std::move(handler),
                        [](error_code& ec, const AtomicBytes& result) {
                            must_be_settled(ec, result.succeeded || result.before);
                            return result.succeeded;
                        });
}

/// Tries at once, with the guess that the node exists.
inline void launch_force_set(const std::shared_ptr<AtomicCore>& core, std::string value, CallOptions call, Handler<> handler) {
    AtomicMachine::Plan plan{.change = [value = std::move(value)](const auto&) { return NewData{value}; },
                             .blind = true,
                             .guess = SeenValue{std::string()}};
    launch_certain_change(core, "atomic_force_set", std::move(plan), std::move(call), std::move(handler));
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
