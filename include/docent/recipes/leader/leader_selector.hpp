// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/recipes/leader/election.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent {

class Client;

/// What is said of a selector when its object is made.
struct SelectorOptions {
    /// Who this participant is, for the others: the data of its node. Empty: `ClientConfig::default_data`. Compressed as
    /// `ClientConfig::compression` says.
    std::string id = {};
    /// Stands for election again whenever the work has ended, as if by requeue().
    bool auto_requeue = false;
    /// For how long it leads at most: see LockOptions::max_hold. Then the work is asked to end, as after a loss.
    std::optional<std::chrono::milliseconds> max_hold = {};
    /// What the election is called in traces and metrics: see LockOptions::label.
    std::string label = {};
    /// Where the work is done. Empty: a function has a thread of its own, from the first lead on; a coroutine runs on the
    /// client's executor. Must outlive the work.
    asio::any_io_executor executor = {};
    /// Hears what the work has thrown, there where it was done and before the lead is given up. And an Error, on `executor` or
    /// the client's, about what keeps the selector from entering, which it tries again after a second. Without it, what the
    /// work throws leaves through the executor's `run()`, and ends the program if the work has a thread of its own.
    std::function<void(std::exception_ptr)> on_failure = {};
};

namespace detail {
class SelectorCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const SelectorCore& core);
DOCENT_EXPORT void initiate_selector_close(const std::shared_ptr<SelectorCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_participants(const std::shared_ptr<SelectorCore>&, CallOptions, Handler<std::vector<Participant>>);
DOCENT_EXPORT void initiate_leader(const std::shared_ptr<SelectorCore>&, CallOptions, Handler<std::optional<Participant>>);

template <typename Base, typename Default> class AsyncSelector : public AsyncElection<Base, Default> {
public:
    using AsyncElection<Base, Default>::AsyncElection;
    AsyncSelector() = default;

    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial`; completes at once, closed nevertheless.
    /// Lifetime of all: the selector may be destroyed before completion.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_close(Token&& token = Token{}) {
        return async_close(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_close(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_selector_close, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// Does some work on one of all processes that use the same path, wire-compatible with Curator's LeaderSelector: it queues
/// for the lead, in strict order of arrival, and leads for as long as the work takes. Then it is over, until requeue().
///
/// **One at a time.** The work is never begun before the last one has ended, and only while it leads, certainly still.
///
/// **Stop.** The stop token of the lease that it is given fires when the lead is lost or expires, by interrupt_leadership(),
/// and when the selector is closed or destroyed; work that looks at it ends soon, and other work holds up the next lead. The
/// node stays until it has ended, also after a loss if the session lives: nobody else leads before that. A coroutine is
/// cancelled by it, too (`terminal`). Work that then throws `operation_aborted` has not failed.
///
/// **Cost.** A lead that is free takes one round trip, the end of the work hands it on in one. Who waits costs two watches and
/// no thread.
///
/// Lifetime: the destructor closes and does not wait, neither for the work: what it refers to must outlive it, which close()
/// sees to. Must not outlive its client's `close()` usefully. Thread safety: all members from any thread.
class DOCENT_EXPORT LeaderSelector : public detail::AsyncSelector<detail::Holder<detail::SelectorCore>, asio::deferred_t> {
public:
    /// The lease is the lead; release() is the selector's.
    using Work = std::function<void(const Lease& lead)>;
    using CoroutineWork = std::function<asio::awaitable<void>(Leadership lead)>;

    /// Errors: throws `error::invalid_path`; `error::corrupt_data` if the id cannot be compressed;
    /// `server_error::bad_arguments` if `max_hold` is not longer than 0. Nothing is sent; parents are made when they are first
    /// needed, as ClientConfig::own_parents says (containers by default).
    LeaderSelector(Client& client, std::string_view path, Work work, SelectorOptions options = {});
    LeaderSelector(Client& client, std::string_view path, CoroutineWork work, SelectorOptions options = {});
    ~LeaderSelector();
    LeaderSelector(const LeaderSelector&) = delete;
    LeaderSelector& operator=(const LeaderSelector&) = delete;

    const std::string& path() const noexcept;
    const std::string& id() const noexcept;

    /// Stands for election for the first time, without waiting for anything. Starting again does nothing: see requeue().
    /// Errors: `error::closed`, after close().
    void start();
    void start(error_code& ec);

    /// Stands for election once more: at once, or, while it leads, when the work has ended, which may ask for this itself.
    /// False if it does so already. Starts it if need be. Errors: `error::closed`, after close().
    bool requeue();
    bool requeue(error_code& ec);

    /// Asks the work to end, if this selector leads; whether it does. Waits for nothing. Who waits for the lead is not
    /// disturbed, nor is a later lead.
    bool interrupt_leadership();

    /// Whether this selector leads, certainly still. Reads the clock; no network.
    bool has_leadership() const noexcept;
    /// The lead, if it is certainly still ours; else null. No network.
    Leadership leadership() const noexcept;

    /// Takes no part any more: asks the work to end, and waits until it has and the server has confirmed that the lead is given
    /// up. Called by the work itself, function or coroutine, it does not wait. A place in the queue is removed in the
    /// background.
    void close(CallOptions call = {});
    void close(error_code& ec, CallOptions call = {});

    /// All who take part, in the order in which they shall lead, read from the servers: docent's and Curator's, also those that
    /// use the path for a mutex. Whoever leaves meanwhile is left out. `data` is the id. Costs two round trips. Errors: those
    /// of Client::children and Client::get.
    std::vector<Participant> participants(CallOptions call = {}) const;
    std::vector<Participant> participants(error_code& ec, CallOptions call = {}) const;
    /// The first of them, who leads or is about to. Nobody may be there.
    std::optional<Participant> leader(CallOptions call = {}) const;
    std::optional<Participant> leader(error_code& ec, CallOptions call = {}) const;

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncSelector<LeaderSelector, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    LeaderSelector(detail::SameObject, const LeaderSelector& other);

private:
    friend struct detail::Access;

    detail::ProcessOwned<void> candidacy_; // ends with the last of those that are the same selector
};

} // namespace docent
