// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a call becomes an operation on the client's strand and completes exactly once.

#include "client/core/observation.hpp"
#include "client/core/operation.hpp"

#include <docent/detail/async.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace docent::detail {

/// Makes an operation with `make(view, done)`, bounds it by `call` and by the handler's cancellation slot, and starts it.
/// `done` posts the handler through its associated executor, once; later calls do nothing.
template <typename... Results, typename Make>
void launch(const std::shared_ptr<ClientView>& view, OperationName name, CallOptions call, Handler<Results...> handler,
            Make make) {
    const auto observation = observe(view, std::move(name), call);
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto bounds = std::make_shared<Operation::Bounds>();

    struct Completion {
        Handler<Results...> handler;
        asio::executor_work_guard<asio::any_completion_executor> work;
    };
    auto executor = asio::get_associated_executor(handler, asio::any_completion_executor(view->executor()));
    auto completion = std::make_shared<std::optional<Completion>>(
        Completion{std::move(handler), asio::executor_work_guard<asio::any_completion_executor>(executor)});
    Done<Results...> done = [completion, bounds, observation, strand = view->executor()](error_code ec, Results... results) {
        if (!completion->has_value()) return;
        bounds->drop();
        if (observation) observation->on_completed(ec);
        auto last = std::make_shared<Completion>(std::move(**completion));
        completion->reset();
        // Posted first: whoever calls this must not find user code inside its own.
        auto values = std::make_shared<std::tuple<error_code, Results...>>(ec, std::move(results)...);
        asio::post(strand, [last, values] {
            asio::dispatch(last->work.get_executor(), [last, values] {
                std::apply([&last](auto&... value) { std::move(last->handler)(std::move(value)...); }, *values);
            });
        });
    };

    std::shared_ptr<Operation> operation = make(observation ? observation->view() : view, std::move(done));
    operation->bounds = bounds;
    std::weak_ptr<Operation> weak = operation;
    auto cancel = [weak, view] {
        view->post([weak] {
            if (auto alive = weak.lock()) alive->abort(asio::error::operation_aborted);
        });
    };
    if (slot.is_connected()) {
        slot.assign([cancel](asio::cancellation_type type) {
            if (type != asio::cancellation_type::none) cancel();
        });
    }
    view->post([operation, view, call = std::move(call), cancel] {
        if (call.stop.stop_requested()) return operation->abort(asio::error::operation_aborted);
        if (call.timeout) {
            operation->bounds->timer = view->call_at(view->now() + *call.timeout, [weak = std::weak_ptr(operation)] {
                if (auto alive = weak.lock()) alive->abort(alive->timeout_error());
            });
        }
        if (call.stop.stop_possible()) operation->bounds->stop.emplace(call.stop, cancel);
        operation->begin();
    });
}

} // namespace docent::detail
