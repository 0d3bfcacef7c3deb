// SPDX-License-Identifier: Apache-2.0
#pragma once

// A candidate that does a user's work while it leads.

#include "leader/candidate.hpp"

#include <docent/recipes/leader/leader_selector.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace docent::detail {

/// Tells whether the calling thread does the work of a selector, or of one of several selectors. Members may be called from any
/// thread.
class WorkThreads {
public:
    using IsHere = std::function<bool()>;
    using Entry = std::list<IsHere>::iterator;

    bool is_here() const {
        const std::lock_guard lock(mutex_);
        return std::any_of(all_.begin(), all_.end(), [](const IsHere& each) { return each(); });
    }
    Entry add(IsHere is_here) {
        const std::lock_guard lock(mutex_);
        return all_.insert(all_.end(), std::move(is_here));
    }
    void remove(Entry entry) {
        std::list<IsHere> last; // destroyed outside of the mutex
        const std::lock_guard lock(mutex_);
        last.splice(last.begin(), all_, entry);
    }

private:
    mutable std::mutex mutex_;
    std::list<IsHere> all_;
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
        WorkScope(const LeaderTerm& term, WorkThreads::IsHere is_here)
            : work_threads_(term.work_threads_), entry_(work_threads_->add(std::move(is_here))) {}
        WorkScope(const WorkScope&) = delete;
        WorkScope& operator=(const WorkScope&) = delete;
        ~WorkScope() { work_threads_->remove(entry_); }

    private:
        const WorkThreadsPtr work_threads_;
        const WorkThreads::Entry entry_;
    };

private:
    const std::shared_ptr<bool> begun_;
    const Registration end_; // destroyed after the lease: then close() may return, and the user may destroy the client
    const WorkThreadsPtr work_threads_;
    const Leadership leadership_;
};

/// Calls `SelectorOptions::on_failure` on an executor, for failures outside of the work. Members may be called from any thread.
class FailureReports : public std::enable_shared_from_this<FailureReports> {
public:
    using Tell = std::function<void(std::exception_ptr)>;
    /// Without `tell`, nothing is called.
    FailureReports(asio::any_io_executor executor, Tell tell) : executor_(std::move(executor)), tell_(std::move(tell)) {}

    void report(std::exception_ptr failure);
    /// Calls another function of the user on this thread, unless this is closed. It counts for close() and is_here().
    void call(const std::function<void()>& function);
    /// After this, no call begins. Calls `idle` when no call is under way: at once, or where the last one ends.
    void close(std::function<void()> idle);
    bool is_idle() const;
    /// Whether the calling thread is in such a call.
    bool is_here() const;

private:
    bool begin();
    void end();

    // No strand: this object may outlive the execution context.
    const asio::any_io_executor executor_;
    const Tell tell_;
    mutable std::mutex mutex_;
    bool closed_ = false;                    // guarded
    std::multiset<std::thread::id> threads_; // in a call; guarded
    std::function<void()> idle_;             // guarded
};
using FailureReportsPtr = std::shared_ptr<FailureReports>;

/// What an item of a Partitioner needs beyond an election.
struct TermLimits {
    /// How long work may go on after it was asked to stop, or after a loss. After this time the selector gives up the
    /// leadership although the work goes on, and reports that.
    std::optional<std::chrono::milliseconds> stop_limit = {};
    /// Work that ends by itself begins again after a pause.
    bool pauses_between = false;
    WorkThreadsPtr work_threads = nullptr; // shared by several selectors
};

/// Checks the options, like lease_terms() of a lock.
LeaseTerms lease_terms(const ClientView& view, const std::string& path, const SelectorOptions& options);

/// Members are called on the strand unless they say otherwise.
class SelectorCore final : public Candidate {
public:
    /// Starts the user's work. Does not wait for its end.
    using Work = std::function<void(std::shared_ptr<LeaderTerm>)>;
    /// Reports an exception to the user, on another executor.
    using Report = std::function<void(std::exception_ptr)>;

    /// `terms`: contain the id, if there is one, as the node's data.
    SelectorCore(std::shared_ptr<ClientView> view, std::string path, SelectorOptions options, LeaseTerms terms, Work work,
                 Report report, BootNow boot_now = &session::BootClock::now);

    // Before start().
    void set_limits(TermLimits limits);
    /// close() waits for the reports that are under way.
    void set_reports(FailureReportsPtr reports) { reports_ = std::move(reports); }

    // From any thread.
    /// Returns false if the selector was queued already. Errors: `error::closed`.
    bool requeue(error_code& ec);
    /// Asks the work to stop. Returns whether the selector leads.
    bool interrupt();
    /// Whether the calling thread does the work, or is told of a failure: it must not wait for the end.
    bool works_here() const { return view()->is_here() && (work_threads_->is_here() || (reports_ && reports_->is_here())); }

    /// Calls `done` when the work has ended, and the server has confirmed the end of the leadership or the connection broke.
    void close(std::function<void()> done);

private:
    void on_started() override { pursue(); }
    void on_granted(GrantedNode node) override;
    void on_hindered(error_code ec) override;
    void on_client_closed() override;
    void on_term_ended(bool begun);
    void limit_stop();
    void on_stop_limit();
    void pursue();
    void answer_close_calls();

    const bool auto_requeue_;
    const Work work_;
    const Report report_;
    std::atomic<bool> queued_{true}; // another leadership is wanted after the present one
    WorkThreadsPtr work_threads_ = std::make_shared<WorkThreads>();
    FailureReportsPtr reports_; // may be null
    TermLimits limits_;

    std::shared_ptr<LeaseCore> lease_; // from the grant until the work has ended
    bool rests_ = false;               // the work could not begin: pause before the next attempt
    int releasing_ = 0;
    Registration over_;       // of the lease
    Registration stop_timer_; // runs while the work must stop
    std::vector<std::function<void()>> closing_;
};

// ---- a user's work: a function or a coroutine

/// Runs a function soon on some thread. Throws std::system_error if no thread can be started.
using RunOnThread = std::function<void(std::function<void()>)>;

/// The executor of the work. It is not a strand: the selector's core may outlive the user's execution context, and a strand
/// must not.
asio::any_io_executor executor_for(const ClientView& view, const SelectorOptions& options);

/// `threads` runs the function if `options` has no executor. With neither, the function gets a separate thread.
SelectorCore::Work selector_work(const ClientView& view, LeaderSelector::Work function, const SelectorOptions& options,
                                 RunOnThread threads = nullptr);
SelectorCore::Work selector_work(const ClientView& view, LeaderSelector::CoroutineWork function,
                                 const SelectorOptions& options);

} // namespace docent::detail
