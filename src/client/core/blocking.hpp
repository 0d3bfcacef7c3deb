// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocking calls by means of asynchronous calls.

#include "client/core/launch.hpp"
#include "client/core/operation.hpp"
#include "posix/threads.hpp"

#include <docent/detail/deadline.hpp>
#include <docent/path.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/exceptions.hpp>
#include <boost/thread/locks.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace docent::detail {

/// The result of a blocking call: nothing, or one value.
template <typename... Results> struct BlockingResult;
template <> struct BlockingResult<> { using type = void; };
template <typename Result> struct BlockingResult<Result> { using type = Result; };

/// Runs `start(call, handler)` and waits for the handler on a semaphore.
template <typename... Results, typename Start>
std::tuple<error_code, Results...> await_plainly(CallOptions call, Start& start) {
    struct State {
        posix::Parker parker;
        std::optional<std::tuple<error_code, Results...>> result;
    };
    const auto state = std::make_shared<State>();
    const auto wake = [state](error_code result, Results... results) {
        state->result.emplace(result, std::move(results)...);
        state->parker.unpark();
    };
    const posix::NotCanceled not_canceled;
    start(std::move(call), Handler<Results...>(asio::bind_executor(OnStrand{}, wake)));
    state->parker.park();
    return std::move(*state->result);
}

/// The same on a condition variable of Boost, in which a thread of Boost can be interrupted.
template <typename... Results, typename Start>
std::tuple<error_code, Results...> await_interruptibly(CallOptions call, Start& start) {
    struct State {
        boost::mutex mutex;
        boost::condition_variable changed;
        std::optional<std::tuple<error_code, Results...>> result;
    };
    const auto state = std::make_shared<State>();
    std::stop_source stop;
    std::stop_callback forward(call.stop, [&stop] { stop.request_stop(); });
    call.stop = stop.get_token();
    const auto wake = [state](error_code result, Results... results) {
        {
            boost::lock_guard lock(state->mutex);
            state->result.emplace(result, std::move(results)...);
        }
        state->changed.notify_one(); // after the mutex is released, so that the woken thread does not wait for it
    };
    start(std::move(call), Handler<Results...>(asio::bind_executor(OnStrand{}, wake)));
    const auto completed = [&state] { return state->result.has_value(); };
    boost::unique_lock lock(state->mutex);
    try {
        state->changed.wait(lock, completed);
    } catch (const boost::thread_interrupted&) {
        boost::this_thread::disable_interruption uninterrupted;
        lock.unlock();
        stop.request_stop();
        lock.lock();
        state->changed.wait(lock, completed);
        throw;
    }
    return std::move(*state->result);
}

/// When a blocking call checks whether a thread runs the client's executor: at the end of its time. A call without a limit
/// checks after each connection timeout: a client on a running executor has connected or failed by then.
struct ExecutorCheck {
    steady_clock::time_point first;
    std::chrono::milliseconds pause; // between two checks

    /// How long a running executor may take to answer. After this time, the executor counts as idle.
    static constexpr std::chrono::milliseconds answer_time{1000};
    /// The time between two checks for an interruption, in threads of Boost.
    static constexpr std::chrono::milliseconds interruption_check{50};
};

inline ExecutorCheck executor_check(const ClientView& view, const CallOptions& call, const AcquireWait& wait) {
    const auto now = steady_clock::now();
    std::optional<steady_clock::time_point> end;
    if (call.timeout) end = later(now, *call.timeout);
    if (wait.kind == AcquireWait::Kind::until) end = end ? std::min(*end, wait.deadline) : wait.deadline;
    if (end) return {*end, ExecutorCheck::answer_time};
    return {later(now, view.connection_timeout()), view.connection_timeout()};
}

/// Runs and waits as await_plainly() does, for a client on a user's executor. If no thread runs the executor, the call ends
/// with `error::executor_idle` when its time is over. The operation is cancelled before. If the executor runs later, the result
/// is dropped there, and a lease in it releases its lock.
template <typename... Results, typename Start>
std::tuple<error_code, Results...> await_elsewhere(ClientView& view, CallOptions call, ExecutorCheck check, Start& start) {
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        std::optional<std::tuple<error_code, Results...>> result;
        bool given_up = false;
        bool cancelled = false;
        bool executor_ran = false; // since the last check began
    };
    const auto state = std::make_shared<State>();
    const auto wake = [state](error_code result, Results... results) {
        const std::lock_guard lock(state->mutex);
        if (state->given_up) return; // the results are destroyed after the mutex is released
        state->result.emplace(result, std::move(results)...);
        state->changed.notify_one();
    };
    std::stop_source stop;
    const auto cancel = [state, &stop] {
        stop.request_stop();
        const std::lock_guard lock(state->mutex);
        state->cancelled = true;
        state->changed.notify_one();
    };
    const std::stop_callback forward(call.stop, cancel);
    call.stop = stop.get_token();
    start(std::move(call), Handler<Results...>(asio::bind_executor(OnStrand{}, wake)));

    const bool interruptible = boost::this_thread::interruption_enabled();
    bool interrupted = false;
    bool asked = false;   // a check is under way
    bool hurried = false; // the call was cancelled, which a running executor carries out at once
    auto next = check.first;
    std::unique_lock lock(state->mutex);
    while (!state->result) {
        const auto until = interruptible ? std::min(next, steady_clock::now() + ExecutorCheck::interruption_check) : next;
        state->changed.wait_until(
            lock, until, [&] { return state->result || (asked && state->executor_ran) || (state->cancelled && !hurried); });
        if (state->result) break;
        if (interruptible && !interrupted && boost::this_thread::interruption_requested()) {
            interrupted = true;
            lock.unlock();
            cancel();
            lock.lock();
        }
        const auto now = steady_clock::now();
        if (asked && state->executor_ran) {
            asked = false;
            next = later(now, hurried ? ExecutorCheck::answer_time : check.pause);
        }
        if (state->cancelled && !std::exchange(hurried, true) && !asked) next = now;
        if (now < next) continue;
        if (std::exchange(asked, true)) {
            state->given_up = true;
            break;
        }
        state->executor_ran = false;
        next = now + ExecutorCheck::answer_time;
        lock.unlock();
        view.post([state] {
            const std::lock_guard guard(state->mutex);
            state->executor_ran = true;
            state->changed.notify_one();
        });
        lock.lock();
    }
    const bool given_up = state->given_up;
    lock.unlock();
    if (given_up) stop.request_stop();
    if (interrupted) boost::this_thread::interruption_point(); // throws
    if (given_up) return {error::executor_idle, Results{}...};
    return std::move(*state->result);
}

/// Whether a call can succeed before Client::start(). A call that closes an object or reads an event can.
enum class BeforeStart { fails, goes_on };

/// Runs `start(call, handler)` and waits for the handler. A thread of Boost waits on a condition variable, and another thread
/// on a semaphore. An interruption, or a stop request of `call.stop`, cancels the operation. The interruption is thrown when
/// the operation has completed. `wait`: a time limit in addition to `call.timeout`. Before Client::start(), a call that needs a
/// server fails at once.
template <typename... Results, typename Start>
typename BlockingResult<Results...>::type block_on(ClientView& view, CallOptions call, error_code& ec, Start start,
                                                   const AcquireWait& wait = {},
                                                   BeforeStart before_start = BeforeStart::fails) {
    ec = {};
    if (!view.is_here()) ec = error::other_process;
    else if (view.running_in_this_thread()) ec = error::would_deadlock;
    else if (before_start == BeforeStart::fails && !view.is_started()) ec = error::not_started;
    if (ec) return typename BlockingResult<Results...>::type();
    auto result = [&] {
        if (view.shares_executor()) {
            const ExecutorCheck check = executor_check(view, call, wait);
            return await_elsewhere<Results...>(view, std::move(call), check, start);
        }
        if (boost::this_thread::interruption_enabled()) return await_interruptibly<Results...>(std::move(call), start);
        return await_plainly<Results...>(std::move(call), start);
    }();
    ec = std::get<0>(result);
    if constexpr (sizeof...(Results) == 1) return std::move(std::get<1>(result));
}

/// The same for a client that may be null, which counts as closed.
template <typename... Results, typename Start>
typename BlockingResult<Results...>::type block_on(const std::shared_ptr<ClientView>& view, CallOptions call, error_code& ec,
                                                   Start start, BeforeStart before_start = BeforeStart::fails) {
    if (view) return block_on<Results...>(*view, std::move(call), ec, std::move(start), {}, before_start);
    ec = error::closed;
    return typename BlockingResult<Results...>::type();
}

/// Runs `initiate(args..., options, handler)`, the asynchronous form of a call, and waits for its handler. See block_on().
template <typename... Results, typename View, typename Initiate, typename... Args>
typename BlockingResult<Results...>::type block(View&& view, CallOptions call, error_code& ec, Initiate initiate,
                                                Args&&... args) {
    return block_on<Results...>(view, std::move(call), ec, [&](CallOptions options, Handler<Results...> handler) {
        initiate(std::forward<Args>(args)..., std::move(options), std::move(handler));
    });
}

/// The same for a call that can succeed before Client::start().
template <typename... Results, typename Initiate, typename... Args>
typename BlockingResult<Results...>::type block_also_before_start(ClientView& view, CallOptions call, error_code& ec,
                                                                  Initiate initiate, Args&&... args) {
    const auto start = [&](CallOptions options, Handler<Results...> handler) {
        initiate(std::forward<Args>(args)..., std::move(options), std::move(handler));
    };
    return block_on<Results...>(view, std::move(call), ec, start, {}, BeforeStart::goes_on);
}

/// Throws docent::Error if `ec` is set. The text names the operation, the subject, and `reason` if there is one.
inline void throw_if(const error_code& ec, std::string_view operation, std::string_view subject, std::string_view reason = {}) {
    if (!ec) return;
    std::string text = std::string(operation) + " " + std::string(subject);
    if (!reason.empty()) text.append(": ").append(reason);
    throw Error(ec, text);
}

/// The same for an operation on the node at `path`. Explains an invalid path.
inline void throw_if_at(const error_code& ec, std::string_view operation, std::string_view path) {
    if (ec) throw_if(ec, operation, path, ec == error::invalid_path ? explain_path(path) : std::string());
}

/// Throws docent::Error if `path` is invalid. The text names the object at this path, for example "barrier".
inline void require_path(std::string_view object, std::string_view path) {
    if (const error_code ec = check_path(path)) throw_if(ec, object, path, explain_path(path));
}

/// Runs `call(ec)`, the form of a call that reports its error, and then `check(ec)`, which throws if it failed.
template <typename Call, typename Check> auto checked(Call& call, Check check) {
    error_code ec;
    if constexpr (std::is_void_v<std::invoke_result_t<Call&, error_code&>>) {
        call(ec);
        check(ec);
    } else {
        auto result = call(ec);
        check(ec);
        return result;
    }
}

/// The throwing form of a call: runs `call(ec)` and throws docent::Error if it failed. See throw_if().
template <typename Call> auto throwing(std::string_view operation, std::string_view subject, Call call) {
    return checked(call, [&](const error_code& ec) { throw_if(ec, operation, subject); });
}

/// The same for an operation on the node at `path`. See throw_if_at().
template <typename Call> auto throwing_at(std::string_view operation, std::string_view path, Call call) {
    return checked(call, [&](const error_code& ec) { throw_if_at(ec, operation, path); });
}

} // namespace docent::detail
