// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes an operation of a call. It runs on the client's strand and completes exactly once.

#include "client/core/completion/completion.hpp"
#include "client/core/observation.hpp"
#include "client/core/operation.hpp"

#include <docent/detail/async.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace docent::detail {

/// The parts of a call beside its operation, in one allocation, because there may be many waiting calls.
template <typename... Results> struct UnderWay {
    UnderWay(const std::shared_ptr<ClientView>& view, Handler<Results...> handler) : completion(view, std::move(handler)) {}

    Operation::Bounds bounds;
    Completion<Results...> completion;
    std::shared_ptr<Observation> observation;
};

/// Makes an operation with `make(view, done)`, bounds it by `call` and by the handler's cancellation slot, and starts it.
/// The first call of `done` calls the handler; later calls do nothing.
template <typename... Results, typename Make>
void launch(const std::shared_ptr<ClientView>& view, OperationName name, CallOptions call, Handler<Results...> handler,
            Make make) {
    if (!view) return complete_empty<Results...>(std::move(handler), error::closed);
    if (!view->is_here()) return complete_at_once<Results...>(*view, std::move(handler), error::other_process, Results{}...);
    auto slot = asio::get_associated_cancellation_slot(handler);
    const auto under_way = std::make_shared<UnderWay<Results...>>(view, std::move(handler));
    under_way->observation = observe(view, std::move(name), call);
    Done<Results...> done = [under_way, view](error_code ec, Results... results) {
        if (!under_way->completion.is_open()) return;
        if (ec == error::not_connected && !view->is_started()) ec = error::not_started;
        under_way->bounds.drop();
        if (under_way->observation) under_way->observation->on_completed(ec);
        under_way->completion.complete(ec, std::move(results)...);
    };

    const auto& observation = under_way->observation;
    std::shared_ptr<Operation> operation = make(observation ? observation : view, std::move(done));
    operation->bounds = std::shared_ptr<Operation::Bounds>(under_way, &under_way->bounds);
    std::weak_ptr<Operation> weak = operation;
    auto cancel = [weak, view] {
        view->post([weak] {
            if (auto alive = weak.lock()) alive->abort(asio::error::operation_aborted);
        });
    };
    if (slot.is_connected()) {
        slot.assign([weak, view](asio::cancellation_type type) {
            using asio::cancellation_type;
            if (type == cancellation_type::none) return;
            const bool total_only =
                (type & (cancellation_type::terminal | cancellation_type::partial)) == cancellation_type::none;
            view->post([weak, total_only] {
                const auto alive = weak.lock();
                if (!alive || (total_only && alive->may_have_effects())) return;
                alive->abort(asio::error::operation_aborted);
            });
        });
    }
    view->post([operation, view, call = std::move(call), cancel] {
        if (call.stop.stop_requested()) return operation->abort(asio::error::operation_aborted);
        if (call.timeout) {
            operation->bounds->timer = view->call_after(*call.timeout, [weak = std::weak_ptr(operation), view] {
                if (auto alive = weak.lock()) alive->abort(error_when_over(*view, alive->awaited()));
            });
        }
        if (call.stop.stop_possible()) {
            operation->bounds->stop = std::make_unique<std::stop_callback<std::function<void()>>>(call.stop, cancel);
        }
        operation->begin();
    });
}

/// The same for an operation of class `Made`, which is made of the view, `args` and `done`.
template <typename Made, typename... Results, typename... Args>
void launch_made(const std::shared_ptr<ClientView>& view, OperationName name, CallOptions call, Handler<Results...> handler,
                 Args&&... args) {
    const auto make = [&](const std::shared_ptr<ClientView>& observed, Done<Results...> done) {
        return std::make_shared<Made>(observed, std::forward<Args>(args)..., std::move(done));
    };
    launch<Results...>(view, std::move(name), std::move(call), std::move(handler), make);
}

} // namespace docent::detail
