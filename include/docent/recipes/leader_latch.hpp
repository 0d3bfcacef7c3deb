// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/recipes/leader/election.hpp>
#include <docent/session_events.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent {

class Client;

/// What becomes of a lead that is lost.
enum class WhenLost {
    enter_again, ///< Its node goes, and the latch enters again at once.
    keep_node,   ///< Its node stays until resign() or close(), if its session lives, and the latch does not enter before that:
                 ///< nobody else leads while the work of the lost lead is being ended.
};

/// What is said of a latch when its object is made.
struct LatchOptions {
    /// Who this participant is, for the others: the data of its node. Compressed as `ClientConfig::compression` says.
    std::string id = {};
    WhenLost when_lost = WhenLost::enter_again;
    /// For how long it leads at most before the next one has a turn: see LockOptions::max_hold. Such an end is as a loss.
    std::optional<std::chrono::milliseconds> max_hold = {};
    /// What the election is called in traces and metrics: see LockOptions::label.
    std::string label = {};
};

enum class LatchState {
    latent,  ///< Not started.
    started, ///< Takes part in the election.
    closed,  ///< Takes no part any more, and never will.
};

/// Whether the listeners hear that the lead ends with the latch.
enum class LatchClose { silently, telling };

enum class LeadershipChange {
    gained,
    lost,        ///< The session ended or may have, somebody deleted the node, or the lead has expired (Lease::state() says
                 ///< which). The latch enters again, or with resign().
    given_up,    ///< By resign(), or close().
    not_entered, ///< It could not enter, for the reason given, and tries again.
};

struct LeadershipEvent {
    LeadershipChange change;
    Leadership leadership = {}; ///< The one that begins or has ended; null for `not_entered`.
    error_code reason = {};     ///< For `not_entered`.
};

namespace detail {
class LatchCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const LatchCore& core);
DOCENT_EXPORT void initiate_await_leadership(const std::shared_ptr<LatchCore>&, CallOptions, Handler<Leadership>);
DOCENT_EXPORT void initiate_resign(const std::shared_ptr<LatchCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_latch_close(const std::shared_ptr<LatchCore>&, LatchClose, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_participants(const std::shared_ptr<LatchCore>&, CallOptions, Handler<std::vector<Participant>>);
DOCENT_EXPORT void initiate_leader(const std::shared_ptr<LatchCore>&, CallOptions, Handler<std::optional<Participant>>);

template <typename Base, typename Default> class AsyncLatch : public AsyncElection<Base, Default> {
public:
    using AsyncElection<Base, Default>::AsyncElection;
    AsyncLatch() = default;

    /// Completion signature: `void(error_code, Leadership)`. Cancellation: `terminal`, `partial`, `total`; ends the wait, not
    /// the latch's part in the election. Lifetime of all: the latch may be destroyed before completion.
    template <asio::completion_token_for<void(error_code, Leadership)> Token = Default>
    auto async_await_leadership(Token&& token = Token{}) {
        return async_await_leadership(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Leadership)> Token = Default>
    auto async_await_leadership(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Leadership>(&detail::initiate_await_leadership, token, this->core_, std::move(call));
    }

    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial`; completes at once, the removal goes on.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_resign(Token&& token = Token{}) {
        return async_resign(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_resign(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_resign, token, this->core_, std::move(call));
    }

    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial`; completes at once, closed nevertheless.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_close(LatchClose how, Token&& token = Token{}) {
        return async_close(how, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_close(LatchClose how, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_latch_close, token, this->core_, how, std::move(call));
    }
};
} // namespace detail

/// One leader among all processes that use the same path, wire-compatible with Curator's LeaderLatch. From start() on the
/// latch takes part: it queues for the lead, in strict order of arrival, has it until it loses it or gives it up, and after the
/// end of its session, of its node or of its lead enters again by itself, at the tail, or when it is told to (WhenLost).
///
/// **Never two.** has_leadership() and Leadership::owns() are false before the servers can let anybody else lead, also when
/// nothing is heard from them: they are bound by the session's validity (see Lease), not by the last event.
///
/// **Cost.** A lead that is free takes one round trip; resign() and close() hand it to the next one in one. Who waits costs two
/// watches and no thread.
///
/// Lifetime: the destructor closes silently and does not wait. Must not outlive its client's `close()` usefully. Thread safety:
/// all members from any thread.
class DOCENT_EXPORT LeaderLatch : public detail::AsyncLatch<detail::Holder<detail::LatchCore>, asio::deferred_t> {
public:
    /// Errors: throws `error::invalid_path`; `error::corrupt_data` if the id cannot be compressed;
    /// `server_error::bad_arguments` if `max_hold` is not longer than 0. Nothing is sent; parents are made when they are first
    /// needed, as ClientConfig::own_parents says (containers by default).
    LeaderLatch(Client& client, std::string_view path, LatchOptions options = {});
    ~LeaderLatch();
    LeaderLatch(const LeaderLatch&) = delete;
    LeaderLatch& operator=(const LeaderLatch&) = delete;

    const std::string& path() const noexcept;
    const std::string& id() const noexcept;
    LatchState state() const noexcept;

    /// Takes part from now on, without waiting for anything. Starting again does nothing. What stands in the way is told to the
    /// listeners and to who waits, and tried again. Errors: `error::closed`, after close().
    void start();
    void start(error_code& ec);

    /// Whether this latch leads, certainly still. Reads the clock; no network.
    bool has_leadership() const noexcept;
    /// The lead, if it is certainly still ours; else null. No network.
    Leadership leadership() const noexcept;

    /// Waits until this latch leads, and starts it if need be. `call.timeout`, when given, fails with `error::not_acquired`;
    /// the latch goes on. Errors: `error::closed` (the latch, or the client); what keeps it from entering:
    /// `error::not_connected` (no session for `ClientConfig::connection_timeout`), `server_error::no_auth`,
    /// `error::numbers_used_up`. Lost replies are resolved, never reported.
    Leadership await_leadership(CallOptions call = {});
    Leadership await_leadership(error_code& ec, CallOptions call = {});

    /// Gives the lead up, waits until the server has confirmed it, and stands for election again behind all others; alone, it
    /// leads again. When the connection breaks meanwhile it returns at once, and the node is removed in the background. Without
    /// the lead, or a lost one whose node is kept (WhenLost::keep_node), it does nothing.
    void resign(CallOptions call = {});
    void resign(error_code& ec, CallOptions call = {});

    /// Takes no part any more. Who waits fails with `error::closed`. A lead is given up as by resign(); a place in the queue is
    /// removed in the background. Unless it is to be told, no listener is called for what happens from now on. Closing again
    /// does nothing.
    void close(LatchClose how = LatchClose::silently, CallOptions call = {});
    void close(LatchClose how, error_code& ec, CallOptions call = {});

    /// All who take part, in the order in which they shall lead, read from the servers: docent's and Curator's. Whoever leaves
    /// meanwhile is left out. `data` is the id. Costs two round trips. Errors: those of Client::children and Client::get.
    std::vector<Participant> participants(CallOptions call = {}) const;
    std::vector<Participant> participants(error_code& ec, CallOptions call = {}) const;
    /// The first of them, who leads or is about to. Nobody may be there.
    std::optional<Participant> leader(CallOptions call = {}) const;
    std::optional<Participant> leader(error_code& ec, CallOptions call = {}) const;

    /// Calls `listener` with each change from now on, in order, one at a time, on `executor`, or on the client's if it is
    /// empty: listen before you start. It hears later than has_leadership() and the stop token know.
    [[nodiscard]] Subscription listen(std::function<void(const LeadershipEvent&)> listener,
                                      asio::any_io_executor executor = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncLatch<LeaderLatch, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    LeaderLatch(detail::SameObject, const LeaderLatch& other);

private:
    friend struct detail::Access;

    detail::ProcessOwned<void> candidacy_; // ends with the last of those that are the same latch
};

DOCENT_EXPORT std::string_view to_string(LatchState state) noexcept;
DOCENT_EXPORT std::string_view to_string(LeadershipChange change) noexcept;

} // namespace docent
