// SPDX-License-Identifier: Apache-2.0
#include "leader/leader_work.hpp"

#include "client/core/completion/client_strand.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/system_error.hpp>

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

namespace docent::detail {
namespace {

/// Whether the exception is the normal end of work that was asked to stop.
bool is_end_of_stopped_work(const Lease& lead, const std::exception_ptr& failure) {
    if (!lead.stop_token().stop_requested()) return false;
    try {
        std::rethrow_exception(failure);
    } catch (const boost::system::system_error& e) {
        return e.code() == asio::error::operation_aborted;
    } catch (...) {
        return false;
    }
}

/// Reports an exception of the work.
void report_failure(const LeaderTerm& run, const SelectorOptions& options, const std::exception_ptr& failure) {
    if (!failure || is_end_of_stopped_work(*run.leadership(), failure)) return;
    if (!options.on_failure) std::rethrow_exception(failure);
    options.on_failure(failure);
}

/// The executor of the work. It is not a strand: the selector's core may outlive the user's execution context, and a strand
/// must not.
asio::any_io_executor executor_for(const ClientView& view, const SelectorOptions& options) {
    return options.executor ? options.executor : view.executor();
}

SelectorCore::Report report_elsewhere(const std::shared_ptr<ClientView>& view, const SelectorOptions& options) {
    if (!options.on_failure) return [](std::exception_ptr, const auto&) {};
    return [executor = executor_for(*view, options), tell = options.on_failure](std::exception_ptr failure,
                                                                                std::weak_ptr<const Candidate> selector) {
        asio::post(executor, [tell, failure = std::move(failure), selector = std::move(selector)] {
            const auto alive = selector.lock();
            if (alive && alive->state() != LatchState::closed) tell(failure);
        });
    };
}

/// Work that is a function, on an executor or on a separate thread.
class FunctionWork {
public:
    FunctionWork(LeaderSelector::Work function, SelectorOptions options)
        : function_(std::move(function)), options_(std::move(options)) {}

    asio::any_io_executor executor() { // on the strand
        if (options_.executor) return options_.executor;
        if (!thread_) thread_.emplace();
        return thread_->executor();
    }
    void run(LeaderTerm& run) const {
        const LeaderTerm::WorkScope here(run);
        std::exception_ptr failure;
        try {
            if (run.begin()) function_(*run.leadership());
        } catch (...) {
            failure = std::current_exception();
        }
        report_failure(run, options_, failure);
    }

private:
    const LeaderSelector::Work function_;
    const SelectorOptions options_;
    std::optional<IoThread> thread_;
};

/// Work that is a coroutine. The stop token cancels it.
class CoroutineWork : public std::enable_shared_from_this<CoroutineWork> {
public:
    CoroutineWork(const ClientView& view, LeaderSelector::CoroutineWork function, SelectorOptions options)
        : executor_(executor_for(view, options)), function_(std::move(function)), options_(std::move(options)) {}

    /// The strand of one run.
    using Strand = asio::strand<asio::any_io_executor>;
    Strand make_strand() const { return asio::make_strand(executor_); }

    /// Runs the work on this strand.
    void run(const Strand& strand, std::shared_ptr<LeaderTerm> run) {
        if (!run->begin()) return;
        const auto cancellation = std::make_shared<Cancellation>(strand, run->leadership()->stop_token());
        const auto done = [self = shared_from_this(), run, cancellation](const std::exception_ptr& failure) {
            const LeaderTerm::WorkScope here(*run);
            report_failure(*run, self->options_, failure);
        };
        // Lives, with the strand, as long as the coroutine.
        const auto here = std::make_shared<LeaderTerm::WorkScope>(*run, [strand] { return strand.running_in_this_thread(); });
        asio::co_spawn(
            strand, [self = shared_from_this(), run, here] { return self->function_(run->leadership()); },
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

SelectorParts selector_parts(const std::shared_ptr<ClientView>& view, LeaderSelector::Work function,
                             const SelectorOptions& options) {
    const auto work = std::make_shared<FunctionWork>(std::move(function), options);
    return {[work](std::shared_ptr<LeaderTerm> run) {
                asio::post(work->executor(), [work, run = std::move(run)] { work->run(*run); });
            },
            report_elsewhere(view, options)};
}

SelectorParts selector_parts(const std::shared_ptr<ClientView>& view, LeaderSelector::CoroutineWork function,
                             const SelectorOptions& options) {
    const auto work = std::make_shared<CoroutineWork>(*view, std::move(function), options);
    return {[work](std::shared_ptr<LeaderTerm> run) {
                const auto strand = work->make_strand();
                asio::post(strand, [work, strand, run = std::move(run)]() mutable { work->run(strand, std::move(run)); });
            },
            report_elsewhere(view, options)};
}

} // namespace docent::detail
