// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes operations of the calls of atomic values.

#include "atomic/atomic_operation.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/operations/request_operation.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace docent::detail {

/// A plan that changes the present data, or makes the node.
inline AtomicMachine::Plan plan_of(Change change) {
    return {.change = std::move(change)};
}

inline Change always(std::string value) {
    return [value = std::move(value)](const auto&) { return NewData{value}; };
}

/// Tries at once, with the guess that there is no node.
inline AtomicMachine::Plan initialize_plan(std::string value) {
    auto plan = plan_of(
        [value = std::move(value)](const std::optional<std::string>& before) { return before ? NewData{} : NewData{value}; });
    plan.guess = SeenValue{};
    return plan;
}

/// Tries at once, with the guess that the node exists.
inline AtomicMachine::Plan force_set_plan(std::string value) {
    auto plan = plan_of(always(std::move(value)));
    plan.blind = true;
    plan.guess = SeenValue{std::string()};
    return plan;
}

/// `finish(done, error_code, AtomicBytes)` completes the call.
template <typename... Results, typename Finish>
void launch_atomic(const std::shared_ptr<AtomicCore>& core, std::string_view name, AtomicMachine::Plan plan, CallOptions call,
                   Handler<Results...> handler, Finish finish) {
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<Results...> done) {
        auto then = [done = std::move(done), finish](error_code ec, AtomicBytes result) {
            finish(done, ec, std::move(result));
        };
        return std::make_shared<AtomicOperation>(view, core, std::move(plan), std::move(then));
    };
    launch<Results...>(core->view(), {name, core->path()}, std::move(call), std::move(handler), make);
}

/// `convert(error_code&, AtomicBytes)` makes the handler's result.
template <typename Result, typename Convert>
void launch_change(const std::shared_ptr<AtomicCore>& core, std::string_view name, AtomicMachine::Plan plan, CallOptions call,
                   Handler<Result> handler, Convert convert) {
    launch_atomic<Result>(core, name, std::move(plan), std::move(call), std::move(handler),
                          [convert](const Done<Result>& done, error_code ec, AtomicBytes bytes) {
                              Result result = convert(ec, std::move(bytes));
                              done(ec, std::move(result));
                          });
}

/// For calls that must succeed: turns used-up tries or time into an error.
inline void must_be_settled(error_code& ec, bool settled) {
    if (!ec && !settled) ec = server_error::operation_timeout;
}

inline bool whether_initialized(error_code& ec, const AtomicBytes& result) {
    must_be_settled(ec, result.succeeded || result.before);
    return result.succeeded;
}

inline void launch_initialize(const std::shared_ptr<AtomicCore>& core, std::string value, CallOptions call,
                              Handler<bool> handler) {
    launch_change<bool>(core, "atomic_initialize", initialize_plan(std::move(value)), std::move(call), std::move(handler),
                        &whether_initialized);
}

inline void launch_force_set(const std::shared_ptr<AtomicCore>& core, std::string value, CallOptions call, Handler<> handler) {
    launch_atomic<>(core, "atomic_force_set", force_set_plan(std::move(value)), std::move(call), std::move(handler),
                    [](const Done<>& done, error_code ec, const AtomicBytes& result) {
                        must_be_settled(ec, result.succeeded);
                        done(ec);
                    });
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
