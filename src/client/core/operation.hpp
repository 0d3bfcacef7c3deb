// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a call becomes an operation on the client's strand and completes exactly once: the part that all operations share.

#include "client/core/keeper.hpp"

#include <docent/call_options.hpp>
#include <docent/client_config.hpp>
#include <docent/detail/async.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace docent::detail {

template <typename... Results> using Done = std::function<void(error_code, Results...)>;

/// One call on its way. Everything but construction happens on the client's strand.
class Operation : public std::enable_shared_from_this<Operation> {
public:
    virtual ~Operation() = default;

    /// Starts the work. Its completion may come at any time from now on, also before this returns.
    virtual void begin() = 0;

    /// Completes with `ec` now, if it has not completed yet, and leaves nothing behind on the server that is not scheduled
    /// for removal.
    virtual void abort(error_code ec) = 0;

    /// What it completes with when its time is over.
    virtual error_code timeout_error() const { return server_error::operation_timeout; }

    /// What `launch` arms: dropped at completion.
    struct Bounds {
        Registration timer;
        std::optional<std::stop_callback<std::function<void()>>> stop;
        void drop() {
            timer.reset();
            stop.reset();
        }
    };
    std::shared_ptr<Bounds> bounds; // shared with the completion, which clears it
};

/// What a call fails with that may have been applied by an attempt before, or a step before, when it cannot go on.
inline error_code with_doubt(error_code ec, bool in_doubt) {
    return in_doubt && ec == error::not_connected ? make_error_code(server_error::connection_loss) : ec;
}

/// The default executor of completions, and the strand to start on.
class Launcher : public Keeper {
public:
    virtual asio::any_io_executor executor() const = 0;
    /// Whether a blocking call on this thread would wait for itself.
    virtual bool running_in_this_thread() const = 0;
    virtual const ClientConfig& config() const = 0;

    /// What the servers call this path: with all prefixes.
    virtual std::string server_path(const std::string& path) const { return path; }
    /// The client itself, behind all views of it; those of one client share its strand and its session.
    virtual const Launcher& root() const { return *this; }
};

/// How a tracer knows a call; without a name it is not traced.
struct OperationName {
    std::string_view name = {}; // a literal
    std::string path = {};
};

/// What one call sees of the client, when that is not the client itself: its own retry policy, and requests that are counted.
class Observation {
public:
    virtual ~Observation() = default;
    virtual const std::shared_ptr<Launcher>& launcher() const = 0;
    virtual void on_completed(error_code ec) = 0;
};
/// Null if there is nothing to observe.
std::shared_ptr<Observation> observe(const std::shared_ptr<Launcher>& launcher, OperationName name, const CallOptions& call);

/// Makes an operation with `make(launcher, done)`, bounds it by `call` and by the handler's cancellation slot, and starts it.
/// `done` posts the handler through its associated executor, once; later calls do nothing.
template <typename... Results, typename Make>
void launch(const std::shared_ptr<Launcher>& launcher, OperationName name, CallOptions call, Handler<Results...> handler,
            Make make) {
    const auto observation = observe(launcher, std::move(name), call);
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto bounds = std::make_shared<Operation::Bounds>();

    struct Completion {
        Handler<Results...> handler;
        asio::executor_work_guard<asio::any_completion_executor> work;
    };
    auto executor = asio::get_associated_executor(handler, asio::any_completion_executor(launcher->executor()));
    auto completion = std::make_shared<std::optional<Completion>>(
        Completion{std::move(handler), asio::executor_work_guard<asio::any_completion_executor>(executor)});
    Done<Results...> done = [completion, bounds, observation, strand = launcher->executor()](error_code ec,
                                                                                             Results... results) {
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

    std::shared_ptr<Operation> operation = make(observation ? observation->launcher() : launcher, std::move(done));
    operation->bounds = bounds;
    std::weak_ptr<Operation> weak = operation;
    auto cancel = [weak, launcher] {
        launcher->post([weak] {
            if (auto alive = weak.lock()) alive->abort(asio::error::operation_aborted);
        });
    };
    if (slot.is_connected()) {
        slot.assign([cancel](asio::cancellation_type type) {
            if (type != asio::cancellation_type::none) cancel();
        });
    }
    launcher->post([operation, launcher, call = std::move(call), cancel] {
        if (call.stop.stop_requested()) return operation->abort(asio::error::operation_aborted);
        if (call.timeout) {
            operation->bounds->timer = launcher->call_at(launcher->now() + *call.timeout, [weak = std::weak_ptr(operation)] {
                if (auto alive = weak.lock()) alive->abort(alive->timeout_error());
            });
        }
        if (call.stop.stop_possible()) operation->bounds->stop.emplace(call.stop, cancel);
        operation->begin();
    });
}

} // namespace docent::detail
