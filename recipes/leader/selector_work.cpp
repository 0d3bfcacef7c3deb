// SPDX-License-Identifier: Apache-2.0
#include "leader/selector_core.hpp"

#include "client/core/completion/client_strand.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/system_error.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace docent::detail {

// ---- reports

void FailureReports::report(std::exception_ptr failure) {
    if (!tell_) return;
    asio::post(executor_, [self = shared_from_this(), failure = std::move(failure)]() mutable {
        self->call([&] { self->tell_(std::exchange(failure, nullptr)); });
    });
}

void FailureReports::call(const std::function<void()>& function) {
    if (!begin()) return;
    struct End {
        FailureReports& reports;
        ~End() { reports.end(); }
    } const end{*this};
    function();
}

bool FailureReports::begin() {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    threads_.insert(std::this_thread::get_id());
    return true;
}

void FailureReports::end() {
    std::function<void()> idle;
    {
        const std::lock_guard lock(mutex_);
        threads_.erase(threads_.find(std::this_thread::get_id()));
        if (threads_.empty()) idle.swap(idle_);
    }
    if (idle) idle();
}

void FailureReports::close(std::function<void()> idle) {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        if (!threads_.empty()) {
            idle_ = std::move(idle);
            return;
        }
    }
    idle();
}

bool FailureReports::is_idle() const {
    const std::lock_guard lock(mutex_);
    return threads_.empty();
}

bool FailureReports::is_here() const {
    const std::lock_guard lock(mutex_);
    return threads_.contains(std::this_thread::get_id());
}

// ---- the work

namespace {

/// Whether the exception is the normal end of work that was asked to stop.
bool is_end_of_stopped_work(const Lease& leadership, const std::exception_ptr& failure) {
    if (!leadership.stop_token().stop_requested()) return false;
    try {
        std::rethrow_exception(failure);
    } catch (const boost::system::system_error& e) {
        return e.code() == asio::error::operation_aborted;
    } catch (...) {
        return false;
    }
}

/// Reports an exception of the work to the user. Without `on_failure`, throws it again.
void report_failure(const LeaderTerm& term, const SelectorOptions& options, const std::exception_ptr& failure) {
    if (!failure || is_end_of_stopped_work(*term.leadership(), failure)) return;
    if (!options.on_failure) std::rethrow_exception(failure);
    options.on_failure(failure);
}

/// Work that is a function, on an executor, on threads of the caller, or on a separate thread.
class FunctionWork : public std::enable_shared_from_this<FunctionWork> {
public:
    FunctionWork(LeaderSelector::Work function, SelectorOptions options, RunOnThread threads)
        : function_(std::move(function)), options_(std::move(options)), threads_(std::move(threads)) {}

    void start(std::shared_ptr<LeaderTerm> term) { // on the strand
        auto work = [self = shared_from_this(), term = std::move(term)] { self->run(*term); };
        if (options_.executor) return asio::post(options_.executor, std::move(work));
        if (threads_) return threads_(std::move(work));
        if (!thread_) thread_.emplace();
        asio::post(thread_->executor(), std::move(work));
    }

private:
    void run(LeaderTerm& term) const {
        const LeaderTerm::WorkScope here(term);
        std::exception_ptr failure;
        try {
            if (term.begin()) function_(*term.leadership());
        } catch (...) {
            failure = std::current_exception();
        }
        report_failure(term, options_, failure);
    }

    const LeaderSelector::Work function_;
    const SelectorOptions options_;
    const RunOnThread threads_;
    std::optional<IoThread> thread_;
};

/// Work that is a coroutine. The stop token cancels it.
class CoroutineWork : public std::enable_shared_from_this<CoroutineWork> {
public:
    CoroutineWork(const ClientView& view, LeaderSelector::CoroutineWork function, SelectorOptions options)
        : executor_(executor_for(view, options)), function_(std::move(function)), options_(std::move(options)) {}

    /// The strand of one term.
    using Strand = asio::strand<asio::any_io_executor>;
    Strand make_strand() const { return asio::make_strand(executor_); }

    /// Runs the work on this strand.
    void run(const Strand& strand, std::shared_ptr<LeaderTerm> term) {
        if (!term->begin()) return;
        const auto cancellation = std::make_shared<Cancellation>(strand, term->leadership()->stop_token());
        const auto done = [self = shared_from_this(), term, cancellation](const std::exception_ptr& failure) {
            const LeaderTerm::WorkScope here(*term);
            report_failure(*term, self->options_, failure);
        };
        // This scope, and the strand with it, lives as long as the coroutine.
        const auto here = std::make_shared<LeaderTerm::WorkScope>(*term, [strand] { return strand.running_in_this_thread(); });
        asio::co_spawn(
            strand, [self = shared_from_this(), term, here] { return self->function_(term->leadership()); },
            asio::bind_cancellation_slot(cancellation->signal->slot(), done));
    }

private:
    struct Cancellation {
        Cancellation(const asio::any_io_executor& executor, const std::stop_token& stop)
            : signal(std::make_shared<asio::cancellation_signal>()), callback(stop, [executor, weak = std::weak_ptr(signal)] {
                  asio::post(executor, [weak] {
                      if (const auto alive = weak.lock()) alive->emit(asio::cancellation_type::terminal);
                  });
              }) {}
        std::shared_ptr<asio::cancellation_signal> signal; // lives on the executor
        std::stop_callback<std::function<void()>> callback;
    };

    const asio::any_io_executor executor_;
    const LeaderSelector::CoroutineWork function_;
    const SelectorOptions options_;
};

} // namespace

asio::any_io_executor executor_for(const ClientView& view, const SelectorOptions& options) {
    return options.executor ? options.executor : view.executor();
}

SelectorCore::Work selector_work(const ClientView&, LeaderSelector::Work function, const SelectorOptions& options,
                                 RunOnThread threads) {
    const auto work = std::make_shared<FunctionWork>(std::move(function), options, std::move(threads));
    return [work](std::shared_ptr<LeaderTerm> term) { work->start(std::move(term)); };
}

SelectorCore::Work selector_work(const ClientView& view, LeaderSelector::CoroutineWork function,
                                 const SelectorOptions& options) {
    const auto work = std::make_shared<CoroutineWork>(view, std::move(function), options);
    return [work](std::shared_ptr<LeaderTerm> term) {
        const auto strand = work->make_strand();
        asio::post(strand, [work, strand, term = std::move(term)]() mutable { work->run(strand, std::move(term)); });
    };
}

} // namespace docent::detail
