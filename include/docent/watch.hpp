// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/watch_event.hpp>

#include <memory>
#include <utility>

namespace docent {

namespace detail {
class WatchState;
/// Returns the executor of the watch's client.
DOCENT_EXPORT asio::any_io_executor executor_of(const WatchState& state);
/// Starts AsyncWatch::async_wait().
DOCENT_EXPORT void initiate_watch_wait(const std::shared_ptr<WatchState>& state, CallOptions call, Handler<WatchEvent> handler);

/// The asynchronous operations of Watch.
template <typename Base, typename Default> class AsyncWatch : public Base {
public:
    using Base::Base;
    /// Makes an empty object.
    AsyncWatch() = default;
    /// Takes the watch of `base`, for another default token.
    explicit AsyncWatch(Base&& base) : Base(std::move(base)) {}

    /// Waits for the event without blocking a thread. One wait at a time: a second wait cancels the first.
    /// - Completion signature: `void(error_code, WatchEvent)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`; the watch
    ///   remains. Destroying the Watch cancels the wait.
    /// - Errors: as Watch::wait(), but never `error::would_deadlock` or `error::executor_idle`.
    template <asio::completion_token_for<void(error_code, WatchEvent)> Token = Default>
    auto async_wait(Token&& token = Token{}) {
        return async_wait(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, WatchEvent)> Token = Default>
    auto async_wait(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<WatchEvent>(&detail::initiate_watch_wait, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// A one-shot watch on a node, set by a read such as Client::get_watched.
/// ```cpp
/// docent::Watched<docent::NodeData> config = client.get_watched("/config");
/// docent::WatchEvent event = config.watch.wait({.timeout = 1min});
/// if (event.type == docent::WatchEventType::data_changed) {
///     config = client.get_watched("/config"); // read again, with a new watch
/// }
/// ```
/// A watch has one event: the first change after the read, or `session_lost`. It also reports a change that happened while the
/// client had no connection. The watch keeps its event: it may arrive before the wait, and each further wait returns the same
/// event at once.
///
/// - Thread safety: different threads may use different watches. One watch belongs to one thread at a time.
/// - Lifetime: destroying the Watch unsubscribes and ends its wait with `operation_aborted`. A Watch may outlive the client;
///   after close() a wait fails with `error::closed`, unless the event had arrived before.
/// @ingroup client
class DOCENT_EXPORT Watch : public detail::BaseOf<Watch, detail::WatchState, detail::AsyncWatch> {
public:
    /// Makes an empty object, whose waits fail with `error::closed`.
    Watch() = default;
    /// Makes a watch from the client's state. Only the client calls this.
    explicit Watch(std::shared_ptr<detail::WatchState> state);
    /// Takes the watch of another object, which is empty afterwards.
    Watch(Watch&&) noexcept = default;
    /// Ends this watch and takes the watch of another object, which is empty afterwards.
    Watch& operator=(Watch&& other) noexcept;
    /// Unsubscribes; a wait completes with `operation_aborted`.
    ~Watch();

    /// Returns whether this object has a watch; false if it is empty or was moved from.
    explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Waits for the event and returns it; a watch that has fired returns its event again. `boost::thread::interrupt()`
    /// interrupts the wait.
    ///
    /// Errors:
    /// - `error::closed`: the client was closed, or this object is empty.
    /// - `operation_aborted`: `call.stop` requested a stop.
    /// - `server_error::operation_timeout`: `call.timeout` passed; the watch remains.
    /// - `error::would_deadlock`: the calling thread runs the client.
    /// - `error::executor_idle`: no thread runs the executor that the client was given.
    /// - `error::other_process`: the client belongs to the parent process.
    WatchEvent wait(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    WatchEvent wait(error_code& ec, CallOptions call = {});
};

/// The result of a read that also set a watch.
/// ```cpp
/// docent::Watched<docent::Children> members = client.children_watched("/members");
/// std::size_t count = members.value.names.size();
/// members.watch.wait(); // until a member joins or leaves
/// ```
/// @ingroup client
template <typename T> struct Watched {
    T value;     ///< The result of the read.
    Watch watch; ///< The watch that the same request set; empty if the read failed.
};

} // namespace docent
