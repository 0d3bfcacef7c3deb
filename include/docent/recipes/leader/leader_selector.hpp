// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/recipes/leader/election.hpp>
#include <docent/recipes/leader/election_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace docent {

class Client;

namespace detail {
class SelectorCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const SelectorCore& core);
DOCENT_EXPORT void initiate_selector_close(const std::shared_ptr<SelectorCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_participants(const std::shared_ptr<SelectorCore>&, CallOptions, Handler<std::vector<Participant>>);
DOCENT_EXPORT void initiate_leader(const std::shared_ptr<SelectorCore>&, CallOptions, Handler<std::optional<Participant>>);

/// Whether `T` is an `asio::awaitable`.
template <typename T> inline constexpr bool is_awaitable = false;
/// True for each awaitable.
template <typename T, typename Executor> inline constexpr bool is_awaitable<asio::awaitable<T, Executor>> = true;

/// A coroutine that takes the lease by reference. As a `Work`, it would never run, because nobody awaits its awaitable.
template <typename Work>
concept CoroutineThatTakesAReference =
    std::invocable<Work&, const Lease&> && is_awaitable<std::invoke_result_t<Work&, const Lease&>>;

/// The asynchronous operations of LeaderSelector.
///
/// Lifetime: the selector may be destroyed before an operation completes.
/// @ingroup elections
template <typename Base, typename Default> class AsyncSelector : public AsyncElection<Base, Default> {
public:
    using AsyncElection<Base, Default>::AsyncElection;

    /// Closes the selector, as LeaderSelector::close() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal` and `partial`. A
    /// cancelled call completes at once; the selector is closed nevertheless.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_close(Token&& token = Token{}) {
        return async_close(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_close(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_selector_close, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// Runs some work on one process at a time. Works with Java Curator's LeaderSelector on the same
/// path.
///
/// ```cpp
/// docent::LeaderSelector selector{client, "/elections/report", [](const docent::Lease& lead) {
///     while (!lead.stop_token().stop_requested()) { /* one step of the work */ }
/// }, {.id = "worker-3"}};
/// selector.start();
/// ```
///
/// The selector waits in the queue of the election, in the order of arrival. When it becomes the
/// leader, it runs the work once. When the work has ended, it gives the leadership up. requeue()
/// enters the election again.
///
/// **One at a time.** The selector starts the work only after the last work has ended, and only
/// while it certainly leads.
///
/// **Stop.** The stop token of the lease fires when the leadership is lost or expires, by
/// interrupt_leadership(), and when the selector is closed or destroyed. Work that ignores the
/// token delays the next leader. The node stays until the work has ended, also after a loss if the
/// session lives. No other participant leads meanwhile. The token also cancels a coroutine
/// (`terminal`). Work that then throws `operation_aborted` has not failed.
///
/// **Cost.** A free leadership takes one round trip, a hand-off one. A waiter costs two watches
/// and no thread.
///
/// Lifetime: the destructor closes the selector and does not wait, not even for the work. Call
/// close() before you destroy objects that the work uses. Once the client is closed, operations
/// that need a server fail with `error::closed`. Thread safety: all members may be called from any
/// thread.
/// @ingroup elections
class DOCENT_EXPORT LeaderSelector : public detail::BaseOf<LeaderSelector, detail::SelectorCore, detail::AsyncSelector> {
public:
    /// The work as a function. Its argument is the lease of the leadership, which the selector
    /// releases.
    using Work = std::function<void(const Lease& lead)>;
    /// The work as a coroutine.
    using CoroutineWork = std::function<asio::awaitable<void>(Leadership lead)>;

    /// Makes a selector for work that is a function. Sends nothing; parents are made when first
    /// needed, as `ClientConfig::own_parents` says.
    ///
    /// Errors: throws `error::invalid_path`, `error::corrupt_data` (the id cannot be compressed),
    /// and `server_error::bad_arguments` (an option is invalid, see SelectorOptions).
    LeaderSelector(Client& client, std::string_view path, Work work, SelectorOptions options = {});
    /// As above, for work that is a coroutine.
    LeaderSelector(Client& client, std::string_view path, CoroutineWork work, SelectorOptions options = {});
    /// Deleted: a coroutine takes a Leadership by value, which keeps the lease alive. A coroutine that takes `const Lease&`
    /// would never run.
    template <detail::CoroutineThatTakesAReference Coroutine>
    LeaderSelector(Client& client, std::string_view path, Coroutine work, // a coroutine must take docent::Leadership by value
                   SelectorOptions options = {}) = delete;
    /// Closes the selector, and does not wait for the work.
    ~LeaderSelector() = default;
    LeaderSelector(const LeaderSelector&) = delete;            ///< Not copyable.
    LeaderSelector& operator=(const LeaderSelector&) = delete; ///< Not copyable.

    /// The path of the election.
    const std::string& path() const noexcept;
    /// The name of this participant, as it was given.
    const std::string& id() const noexcept;

    /// Enters the election for the first time, without waiting. A second call does nothing; see
    /// requeue().
    ///
    /// Errors: `error::closed` after close().
    void start();
    /// As above, but sets `ec` instead of throwing.
    void start(error_code& ec);

    /// Enters the election once more: at once, or after the work if the selector leads.
    ///
    /// The work itself may call it. Starts the selector if necessary. Returns false if the selector
    /// already waits, or will enter after the work. Errors: `error::closed` after close().
    bool requeue();
    /// As above, but sets `ec` instead of throwing.
    bool requeue(error_code& ec);

    /// Asks the work to stop if this selector leads, and returns whether it leads. Does not wait.
    ///
    /// Neither the waiting participants nor a later leadership of this selector are affected.
    bool interrupt_leadership();

    /// Whether this selector certainly leads at this moment. Reads the clock; no network.
    bool has_leadership() const noexcept;
    /// The leadership if this selector certainly leads; otherwise null. No network.
    Leadership leadership() const noexcept;

    /// Leaves the election for ever: asks the work to stop and waits until it has ended and the
    /// server has confirmed the release.
    ///
    /// Inside the work, a function or a coroutine, and inside `on_failure`, the call does not wait. A place in the queue is
    /// removed in the background.
    void close(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void close(error_code& ec, CallOptions call = {});

    /// Reads all participants from the servers, in the order of their future leadership. Two round
    /// trips.
    ///
    /// They are docent's and Curator's, and also users of a mutex at this path. Participant::data
    /// is the id. A participant that leaves meanwhile is left out. A missing path means that there
    /// are none. Errors: those of every operation (Client), and `server_error::no_auth`.
    std::vector<Participant> participants(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    std::vector<Participant> participants(error_code& ec, CallOptions call = {}) const;
    /// Reads the first participant, which leads or is about to lead; `std::nullopt` if there is
    /// none.
    std::optional<Participant> leader(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    std::optional<Participant> leader(error_code& ec, CallOptions call = {}) const;

protected:
    /// For `as_default_on()`: another object for the same state.
    LeaderSelector(detail::SameObject same, const LeaderSelector& other)
        : AsyncSelector(same, other), candidacy_(other.candidacy_) {}

private:
    friend struct detail::Access;

    detail::ProcessOwned<void> candidacy_; // closes the selector with its last object
};

} // namespace docent
