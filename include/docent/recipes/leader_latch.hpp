// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/recipes/leader/election.hpp>
#include <docent/recipes/leader/election_options.hpp>
#include <docent/session_events.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent {

class Client;

/// Whether a latch takes part in the election.
/// @ingroup elections
enum class LatchState {
    /// Not started yet.
    latent,
    /// Takes part in the election.
    started,
    /// Has left the election for ever.
    closed,
};

/// Whether LeaderLatch::close() calls the listeners.
/// @ingroup elections
enum class LatchClose {
    silently, ///< No listener hears of later changes.
    telling   ///< The listeners hear that the leadership ends.
};

/// A change of a latch's leadership.
/// @ingroup elections
enum class LeadershipChange {
    /// The latch became the leader.
    gained,
    /// The leadership ended against the latch's will.
    ///
    /// The session ended or may have ended, another client deleted the node, or the leadership
    /// expired; Lease::state() tells which. The latch enters again, as WhenLost says.
    lost,
    /// The latch gave the leadership up by resign() or close().
    given_up,
    /// The latch could not enter the election, for the given reason. It tries again.
    not_entered,
};

/// An event for the listeners of a LeaderLatch.
/// @ingroup elections
struct LeadershipEvent {
    /// The change.
    LeadershipChange change;
    /// The leadership that began or ended; null for `not_entered`.
    Leadership leadership = {};
    /// Why the latch could not enter, for `not_entered`.
    error_code reason = {};
};

namespace detail {
class LatchCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const LatchCore& core);
DOCENT_EXPORT void initiate_await_leadership(const std::shared_ptr<LatchCore>&, CallOptions, Handler<Leadership>);
DOCENT_EXPORT void initiate_resign(const std::shared_ptr<LatchCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_latch_close(const std::shared_ptr<LatchCore>&, LatchClose, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_participants(const std::shared_ptr<LatchCore>&, CallOptions, Handler<std::vector<Participant>>);
DOCENT_EXPORT void initiate_leader(const std::shared_ptr<LatchCore>&, CallOptions, Handler<std::optional<Participant>>);

/// The asynchronous operations of LeaderLatch.
///
/// Lifetime: the latch may be destroyed before an operation completes.
/// @ingroup elections
template <typename Base, typename Default> class AsyncLatch : public AsyncElection<Base, Default> {
public:
    using AsyncElection<Base, Default>::AsyncElection;

    /// Waits until the latch leads, as LeaderLatch::await_leadership() does.
    ///
    /// Completion signature: `void(error_code, Leadership)`. Cancellation: `terminal`, `partial`
    /// and `total`. It ends the wait; the latch stays in the election.
    template <asio::completion_token_for<void(error_code, Leadership)> Token = Default>
    auto async_await_leadership(Token&& token = Token{}) {
        return async_await_leadership(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, Leadership)> Token = Default>
    auto async_await_leadership(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Leadership>(&detail::initiate_await_leadership, token, this->core_, std::move(call));
    }
    /// As above, within a time or until a stop is requested: `async_await_leadership(5s, token)`,
    /// `async_await_leadership(stop_token, token)`.
    template <CallLimit Limit, asio::completion_token_for<void(error_code, Leadership)> Token = Default>
    auto async_await_leadership(Limit limit, Token&& token = Token{}) {
        return async_await_leadership(limited_by(limit), std::forward<Token>(token));
    }

    /// Gives the leadership up, as LeaderLatch::resign() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal` and `partial`. A
    /// cancelled call completes at once; a removal that has begun goes on.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_resign(Token&& token = Token{}) {
        return async_resign(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_resign(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_resign, token, this->core_, std::move(call));
    }

    /// Closes the latch, as LeaderLatch::close() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal` and `partial`. A
    /// cancelled call completes at once; the latch is closed nevertheless.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_close(LatchClose how, Token&& token = Token{}) {
        return async_close(how, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_close(LatchClose how, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_latch_close, token, this->core_, how, std::move(call));
    }
};
} // namespace detail

/// One leader among all processes that use the same path. Works with Java Curator's LeaderLatch on
/// the same path.
///
/// ```cpp
/// docent::LeaderLatch latch{client, "/elections/scheduler", {.id = "scheduler-2"}};
/// docent::Leadership lead = latch.await_leadership(); // starts the latch
/// while (lead->owns()) { /* one step of the leader's work */ }
/// latch.close();
/// ```
///
/// From start() on, the latch waits in the queue of the election, in the order of arrival. It leads
/// until it loses the leadership or gives it up. After a loss it enters again at the end of the
/// queue, at once or as WhenLost says.
///
/// **One leader.** has_leadership() and owns() of the Leadership return false before the servers
/// can admit another leader, also if no server answers. They depend on the validity bound of the
/// session (see Lease), not on the last event.
///
/// **Cost.** A free leadership takes one round trip. resign() and close() hand it to the next
/// participant in one. A waiter costs two watches and no thread.
///
/// Lifetime: the destructor closes the latch silently and does not wait. Once the client is closed,
/// operations that need a server fail with `error::closed`. Thread safety: all members may be
/// called from any thread.
/// @ingroup elections
class DOCENT_EXPORT LeaderLatch : public detail::BaseOf<LeaderLatch, detail::LatchCore, detail::AsyncLatch> {
public:
    /// Makes a latch at `path`. Sends nothing; parents are made when first needed, as
    /// `ClientConfig::own_parents` says.
    ///
    /// Errors: throws `error::invalid_path`, `error::corrupt_data` (the id cannot be compressed),
    /// and `server_error::bad_arguments` (an option is invalid, see LatchOptions).
    LeaderLatch(Client& client, std::string_view path, LatchOptions options = {});
    /// Closes the latch silently, without waiting.
    ~LeaderLatch() = default;
    LeaderLatch(const LeaderLatch&) = delete;            ///< Not copyable.
    LeaderLatch& operator=(const LeaderLatch&) = delete; ///< Not copyable.

    /// The path of the election.
    const std::string& path() const noexcept;
    /// The name of this participant, as it was given.
    const std::string& id() const noexcept;
    /// Whether the latch takes part in the election. No network.
    LatchState state() const noexcept;

    /// Enters the election, without waiting. A second call does nothing.
    ///
    /// If the latch cannot enter, it tells the listeners and the waiting calls the reason, and tries
    /// again. Errors: `error::closed` after close().
    void start();
    /// As above, but sets `ec` instead of throwing.
    void start(error_code& ec);

    /// Whether this latch certainly leads at this moment. Reads the clock; no network.
    bool has_leadership() const noexcept;
    /// The leadership if this latch certainly leads; otherwise null. No network.
    Leadership leadership() const noexcept;

    /// Waits until this latch leads; starts it if necessary. Interruptible.
    ///
    /// Errors: `error::not_acquired` (`call.timeout` has passed), `error::closed` (the latch or the
    /// client), and the reasons for which it cannot enter: `error::not_connected` (no session for
    /// `ClientConfig::connection_timeout`), `server_error::no_auth`, `error::numbers_used_up`. The
    /// latch stays in the election after an error, unless it is closed. A lost reply is resolved
    /// and not reported.
    Leadership await_leadership(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Leadership await_leadership(error_code& ec, CallOptions call = {});
    /// As above, within a time or until a stop is requested: `await_leadership(5s)`,
    /// `await_leadership(stop_token)`.
    template <detail::CallLimit Limit> Leadership await_leadership(const Limit& limit) {
        return await_leadership(detail::limited_by(limit));
    }
    /// As above, but sets `ec` instead of throwing.
    template <detail::CallLimit Limit> Leadership await_leadership(error_code& ec, const Limit& limit) {
        return await_leadership(ec, detail::limited_by(limit));
    }

    /// Gives the leadership up, waits until the server has confirmed it, and enters again at the
    /// end of the queue.
    ///
    /// A latch without competitors leads again. If the connection breaks, the call returns at once,
    /// and the node is removed in the background. Without a leadership the call does nothing. After
    /// a loss with WhenLost::keep_node it removes the kept node and enters again.
    void resign(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void resign(error_code& ec, CallOptions call = {});

    /// Leaves the election for ever. Waiting calls fail with `error::closed`. A second call does
    /// nothing.
    ///
    /// A leadership is given up as by resign(). A place in the queue is removed in the background.
    /// With `silently`, no listener hears of later changes. Calls for earlier changes may still come.
    void close(LatchClose how = LatchClose::silently, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void close(LatchClose how, error_code& ec, CallOptions call = {});

    /// Reads all participants from the servers, docent's and Curator's, in the order of their
    /// future leadership. Two round trips.
    ///
    /// Participant::data is the id. A participant that leaves meanwhile is left out. Errors: as
    /// Client::children() and Client::get().
    std::vector<Participant> participants(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    std::vector<Participant> participants(error_code& ec, CallOptions call = {}) const;
    /// Reads the first participant, which leads or is about to lead; `std::nullopt` if there is
    /// none.
    std::optional<Participant> leader(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    std::optional<Participant> leader(error_code& ec, CallOptions call = {}) const;

    /// Calls `listener` with each change from now on, in order, one at a time. Listen before you
    /// start the latch.
    ///
    /// It runs on `executor`; without `executor` on the client's executor. has_leadership() and the
    /// stop token know of a change earlier than the listener. The Subscription ends the listening
    /// when it is destroyed.
    [[nodiscard]] Subscription listen(std::function<void(const LeadershipEvent&)> listener,
                                      asio::any_io_executor executor = {});

protected:
    /// For `as_default_on()`: another object for the same state.
    LeaderLatch(detail::SameObject same, const LeaderLatch& other) : AsyncLatch(same, other), candidacy_(other.candidacy_) {}

private:
    friend struct detail::Access;

    detail::ProcessOwned<void> candidacy_; // closes the latch with its last object
};

/// The name of the enumerator, for example "started".
/// @ingroup elections
DOCENT_EXPORT std::string_view to_string(LatchState state) noexcept;
/// The name of the enumerator, for example "gained".
/// @ingroup elections
DOCENT_EXPORT std::string_view to_string(LeadershipChange change) noexcept;

} // namespace docent
