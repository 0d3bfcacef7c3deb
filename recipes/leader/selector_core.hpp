// SPDX-License-Identifier: Apache-2.0
#pragma once

// A candidate that does a user's work while it leads.

#include "leader/candidate.hpp"

#include <docent/recipes/leader/leader_selector.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace docent::detail {

/// Tells whether the calling thread does the work of a selector. Members may be called from any thread.
class WorkThreads {
public:
    using IsHere = std::function<bool()>;

    bool is_here() const {
        const std::lock_guard lock(mutex_);
        return is_here_ && is_here_();
    }
    void set(IsHere is_here) {
        const std::lock_guard lock(mutex_);
        is_here_.swap(is_here); // the old function is destroyed outside of the mutex
    }

private:
    mutable std::mutex mutex_;
    IsHere is_here_;
};
using WorkThreadsPtr = std::shared_ptr<WorkThreads>;

/// A term: the time of one leadership, from the grant until the work has ended. The function or coroutine that does the work
/// owns it. The destructor ends the leadership.
class LeaderTerm {
public:
    /// `ended` is called on the strand.
    LeaderTerm(std::shared_ptr<ClientView> view, Leadership leadership, WorkThreadsPtr work_threads,
               std::function<void(bool begun)> ended);

    const Leadership& leadership() const noexcept { return leadership_; }
    /// Call it once, when the work begins. Returns whether the work should still be done: false if the leadership is over.
    bool begin() noexcept;

    /// Lives while the work is done. Marks the calling thread, or the threads for which `is_here` returns true: they must not
    /// wait for the end of the work.
    class WorkScope {
    public:
        explicit WorkScope(const LeaderTerm& term)
            : WorkScope(term, [self = std::this_thread::get_id()] { return self == std::this_thread::get_id(); }) {}
        WorkScope(const LeaderTerm& term, WorkThreads::IsHere is_here) : work_threads_(term.work_threads_) {
            work_threads_->set(std::move(is_here));
        }
        WorkScope(const WorkScope&) = delete;
        WorkScope& operator=(const WorkScope&) = delete;
        ~WorkScope() { work_threads_->set(nullptr); }

    private:
        const WorkThreadsPtr work_threads_;
    };

private:
    const std::shared_ptr<bool> begun_;
    const Registration end_; // destroyed after the lease: then close() may return, and the user may destroy the client
    const WorkThreadsPtr work_threads_;
    const Leadership leadership_;
};

/// Members are called on the strand unless they say otherwise.
class SelectorCore final : public Candidate {
public:
    /// Starts the user's work. Does not wait for its end.
    using Work = std::function<void(std::shared_ptr<LeaderTerm>)>;
    /// Reports an exception to the user, on another executor. Not after the selector is closed: the user's objects may be gone.
    using Report = std::function<void(std::exception_ptr, std::weak_ptr<const Candidate>)>;

    /// `terms`: contain the id, if there is one, as the node's data.
    SelectorCore(std::shared_ptr<ClientView> view, std::string path, SelectorOptions options, LeaseTerms terms, Work work,
                 Report report, BootNow boot_now = &session::BootClock::now);

    // From any thread.
    /// Returns false if the selector was queued already. Errors: `error::closed`.
    bool requeue(error_code& ec);
    /// Asks the work to stop. Returns whether the selector leads.
    bool interrupt();
    /// Whether the calling thread does the work.
    bool works_here() const { return view()->is_here() && work_threads_->is_here(); }

    /// Calls `done` when the work has ended, and the server has confirmed the end of the leadership or the connection broke.
    void close(std::function<void()> done);

private:
    void on_started() override { pursue(); }
    void on_granted(GrantedNode node) override;
    void on_hindered(error_code ec) override;
    void on_client_closed() override { end(); }
    void on_term_ended(bool begun);
    void pursue();
    void answer_close_calls();

    const bool auto_requeue_;
    const Work work_;
    const Report report_;
    std::atomic<bool> queued_{true}; // another leadership is wanted after the present one
    const WorkThreadsPtr work_threads_ = std::make_shared<WorkThreads>();

    std::shared_ptr<LeaseCore> lease_; // from the grant until the work has ended
    bool rests_ = false;               // the work could not begin: pause before the next attempt
    int releasing_ = 0;
    std::vector<std::function<void()>> closing_;
};

/// Starts and ends a user's work: a function or a coroutine.
struct SelectorParts {
    SelectorCore::Work work;
    SelectorCore::Report report;
};
SelectorParts selector_parts(const std::shared_ptr<ClientView>& view, LeaderSelector::Work function,
                             const SelectorOptions& options);
SelectorParts selector_parts(const std::shared_ptr<ClientView>& view, LeaderSelector::CoroutineWork function,
                             const SelectorOptions& options);

} // namespace docent::detail
