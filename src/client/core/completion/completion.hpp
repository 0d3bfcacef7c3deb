// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls the handlers of users on their executors. Examines these executors.

#include "client/core/completion/client_strand.hpp"

#include <docent/detail/async.hpp>

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace docent::detail {

namespace asio = boost::asio;

/// The executor below all strands: Asio's strands of `io_context`, `thread_pool` and `any_io_executor`.
asio::any_io_executor below_strands(asio::any_io_executor executor);

/// Whether the calling thread runs this executor; false if that is not known.
bool runs_in_this_thread(const asio::any_io_executor& executor);

/// Whether a function that is dispatched from a thread that does not run the executor never runs in that thread.
bool is_queue(const asio::any_completion_executor& executor);

// Calls a user's handler once, off the client's strand, with its associated allocator and executor.

/// The executor of docent's own handlers: they are called on the strand.
struct OnStrand {
    template <typename Function> void execute(Function&& function) const { std::forward<Function>(function)(); }
    friend bool operator==(const OnStrand&, const OnStrand&) noexcept = default;
};

/// A handler with its arguments. Has the handler's associations, so that Asio finds them.
template <typename... Results> struct HandlerCall {
    using executor_type = asio::any_completion_executor;
    using allocator_type = asio::associated_allocator_t<Handler<Results...>>;

    executor_type get_executor() const noexcept { return executor; }
    allocator_type get_allocator() const noexcept { return asio::get_associated_allocator(handler); }

    void operator()() {
        // Clears the slot here and not on the strand: cancellation signals are emitted on the handler's executor.
        if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected()) slot.clear();
        std::apply([this](auto&... value) { std::move(handler)(std::move(value)...); }, values);
    }

    Handler<Results...> handler;
    std::tuple<error_code, Results...> values;
    executor_type executor;
};

/// A handler that waits for its call. Used on the strand, except the constructor.
template <typename... Results> class Completion {
public:
    /// Called by the initiating call. May start the client's second thread.
    Completion(const std::shared_ptr<ClientView>& view, Handler<Results...> handler) : handler_(std::move(handler)) {
        auto executor = asio::get_associated_executor(*handler_, asio::any_completion_executor());
        if (executor && executor.template target<OnStrand>() != nullptr) {
            by_ = By::strand;
            return;
        }
        view_ = view;
        if (executor && !view->shares_executor() && is_queue(executor)) by_ = By::handler;
        if (!executor) executor = view->executor();
        executor_ = asio::prefer(executor, asio::execution::outstanding_work.tracked);
    }

    /// Whether complete() was not called yet. It may be called only once.
    bool is_open() const { return handler_.has_value(); }

    /// Never calls a user's handler from inside this function. Calls docent's own handlers at once, so that a waiting thread
    /// wakes soon. If the context of the client's executor is being destroyed, destroys the handler without a call.
    void complete(error_code ec, Results... results) {
        HandlerCall<Results...> call{std::move(*handler_), {ec, std::move(results)...}, std::move(executor_)};
        handler_.reset();
        if (view_ && !view_->has_context()) return;
        switch (by_) {
        case By::client: asio::post(view_->executor(), std::move(call)); break;
        case By::handler: asio::dispatch(std::move(call)); break;
        case By::strand: call(); break;
        }
    }

private:
    enum class By {
        client,  // posted to the client's executor, dispatched from there to the handler's own
        handler, // dispatched to the handler's own executor, which queues it
        strand,  // called at once on the strand: a handler of docent
    } by_ = By::client;
    std::shared_ptr<ClientView> view_; // the client; null for docent's own handlers
    std::optional<Handler<Results...>> handler_;
    asio::any_completion_executor executor_; // the handler's, or the client's; has outstanding work until the call is over
};

/// Completes a call in its initiating function, on any thread. Never calls the handler from inside this function.
template <typename... Results>
void complete_at_once(const ClientView& view, Handler<Results...> handler, error_code ec, Results... results) {
    auto executor = asio::get_associated_executor(handler, asio::any_completion_executor());
    const bool on_strand = executor && executor.template target<OnStrand>() != nullptr;
    const auto client = on_strand && view.is_here() ? view.strand() : view.executor();
    if (!executor) executor = client;
    asio::post(client, HandlerCall<Results...>{std::move(handler), {ec, std::move(results)...}, std::move(executor)});
}

/// Completes a call on an object without a client. Posts the handler, so that it is not called from inside the initiating call.
template <typename... Results> void complete_empty(Handler<Results...> handler, error_code ec) {
    auto last = std::make_shared<Handler<Results...>>(std::move(handler));
    const auto spare = spare_executor();
    asio::post(spare, [last, spare, ec] {
        const auto executor = asio::get_associated_executor(*last, asio::any_completion_executor(spare));
        asio::dispatch(executor, [last, ec] { std::move (*last)(ec, Results{}...); });
    });
}

} // namespace docent::detail
