// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocking calls on top of asynchronous ones.

#include "client/core/launch.hpp"
#include "client/core/operation.hpp"
#include "posix/sleeper.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/exceptions.hpp>
#include <boost/thread/locks.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>

namespace docent::detail {

/// What a blocking call returns: nothing, or its one result.
template <typename... Results> struct BlockingResult;
template <> struct BlockingResult<> { using type = void; };
template <typename Result> struct BlockingResult<Result> { using type = Result; };

/// Waits for the handler of `start(call, handler)` on a word, or by reading what arrives.
template <typename... Results, typename Start>
std::tuple<error_code, Results...> await_plainly(ClientView& view, CallOptions call, Start& start) {
    struct State {
        posix::Sleeper sleeper;
        std::optional<std::tuple<error_code, Results...>> result;
    };
    const auto state = std::make_shared<State>();
    const auto wake = [state](error_code result, Results... results) {
        state->result.emplace(result, std::move(results)...);
        state->sleeper.wake();
    };
    const posix::NotCanceled not_canceled; // in what this thread does for the client
    start(std::move(call), Handler<Results...>(asio::bind_executor(OnStrand{.caller_waits = true}, wake)));
    view.sleep(state->sleeper);
    return std::move(*state->result);
}

/// The same on a condition variable that knows of interruptions, for threads of Boost.
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
        state->changed.notify_one(); // behind the mutex, or who wakes would wait for that next
    };
    start(std::move(call), Handler<Results...>(asio::bind_executor(OnStrand{.caller_waits = true}, wake)));
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

/// Runs `start(call, handler)` and waits for the handler: a thread that can be interrupted on a condition variable, any other
/// on a word, which takes one system call on either side. An interruption, as well as a stop request of `call.stop`, cancels
/// the operation; the interruption is thrown on once it has completed.
template <typename... Results, typename Start>
typename BlockingResult<Results...>::type block_on(ClientView& view, CallOptions call, error_code& ec, Start start) {
    if (view.running_in_this_thread()) {
        ec = error::would_deadlock;
        return typename BlockingResult<Results...>::type();
    }
    auto result = boost::this_thread::interruption_enabled() ? await_interruptibly<Results...>(std::move(call), start)
                                                             : await_plainly<Results...>(view, std::move(call), start);
    ec = std::get<0>(result);
    if constexpr (sizeof...(Results) == 1) return std::move(std::get<1>(result));
}

/// The same for a client that may not be there: that is a closed one.
template <typename... Results, typename Start>
typename BlockingResult<Results...>::type block_on(const std::shared_ptr<ClientView>& view, CallOptions call, error_code& ec,
                                                   Start start) {
    if (view) return block_on<Results...>(*view, std::move(call), ec, std::move(start));
    ec = error::closed;
    return typename BlockingResult<Results...>::type();
}

/// Throws docent::Error if `ec` is set; the text names the operation and what it was about.
inline void throw_if(const error_code& ec, std::string_view operation, std::string_view subject) {
    if (ec) throw Error(ec, std::string(operation) + " " + std::string(subject));
}

} // namespace docent::detail
