// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/leader/leader_selector.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/completion/client_strand.hpp"
#include "client/core/launch.hpp"
#include "client/operations/sequence_operation.hpp"
#include "leader/selector_core.hpp"
#include "lease/lease_core.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/system_error.hpp>

#include <optional>
#include <stop_token>
#include <utility>

namespace docent {
namespace detail {

LeaderTerm::LeaderTerm(std::shared_ptr<ClientView> view, Leadership leadership, WorkThreadsPtr work_threads,
                       std::function<void(bool begun)> ended)
    : begun_(std::make_shared<bool>(false)),
      end_(post_at_end(std::move(view), [begun = begun_, ended = std::move(ended)] { ended(*begun); })),
      work_threads_(std::move(work_threads)), leadership_(std::move(leadership)) {}

bool LeaderTerm::begin() noexcept {
    if (leadership_->stop_token().stop_requested() || !leadership_->owns()) return false;
    *begun_ = true;
    return true;
}

SelectorCore::SelectorCore(std::shared_ptr<ClientView> view, std::string path, SelectorOptions options, LeaseTerms terms,
                           Work work, Report report, BootNow boot_now)
    : Candidate(std::move(view), {RecipeKind::mutex, "selector_participants", "selector_leader"},
                {std::move(path), mutex_names(), lock_token, Deletion::admits, std::move(terms)}, std::move(options.id),
                std::move(boot_now)),
      auto_requeue_(options.auto_requeue), work_(std::move(work)), report_(std::move(report)) {}

// ---- from any thread

bool SelectorCore::requeue(error_code& ec) {
    const bool begins = state() == LatchState::latent;
    ec = start();
    if (ec || begins) return !ec;
    if (queued_.exchange(true)) return false;
    view()->post([self = shared_from_this(), this] { pursue(); });
    return true;
}

bool SelectorCore::interrupt() {
    const Leadership present = leadership();
    if (!present) return false;
    view()->post([present] { Access::core(*present)->ask_to_stop(); }); // this leadership only, and not a later one
    return true;
}

// ---- on the strand

void SelectorCore::close(std::function<void()> done) {
    end();
    withdraw();
    closing_.push_back(std::move(done));
    if (lease_) lease_->ask_to_stop();
    answer_close_calls();
}

void SelectorCore::pursue() {
    if (takes_part() && queued_ && !lease_ && !is_queuing()) enter();
}

void SelectorCore::on_granted(GrantedNode node) {
    queued_ = false;
    const Leadership begun = begin_leadership(std::move(node));
    lease_ = Access::core(*begun);
    lease_->keep_node_when_lost(); // while the work ends, no other candidate leads, if the session lives
    auto term = std::make_shared<LeaderTerm>(view(), begun, work_threads_,
                                             [self = shared_from_this(), this](bool work_begun) { on_term_ended(work_begun); });
    try {
        work_(std::move(term));
    } catch (...) {
        rests_ = true;
        report_(std::current_exception(), weak_from_this());
    }
}

void SelectorCore::on_hindered(error_code ec) {
    auto failure = std::make_exception_ptr(Error(ec, "stand for election at " + path()));
    report_(std::move(failure), weak_from_this()); // moved, because another thread uses the exception next
}

void SelectorCore::on_term_ended(bool begun) {
    const auto lease = std::exchange(lease_, nullptr);
    const bool in_vain = !begun && !lease->owns(); // the leadership was lost before the work began
    const Leadership ended = end_leadership();
    ++releasing_;
    lease->release(*view(), [self = shared_from_this(), this](error_code) {
        --releasing_;
        answer_close_calls();
    });
    const bool rests = std::exchange(rests_, false);
    if (!takes_part()) return;
    if (auto_requeue_ || in_vain || rests) queued_ = true;
    rests ? enter_later() : pursue(); // after the removal
}

void SelectorCore::answer_close_calls() {
    if (lease_ || releasing_ > 0) return;
    for (const auto& done : std::exchange(closing_, {})) done();
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

/// Reports an exception of the work.
void report_failure(const LeaderTerm& term, const SelectorOptions& options, const std::exception_ptr& failure) {
    if (!failure || is_end_of_stopped_work(*term.leadership(), failure)) return;
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
        // Lives, with the strand, as long as the coroutine.
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

SelectorParts selector_parts(const std::shared_ptr<ClientView>& view, LeaderSelector::Work function,
                             const SelectorOptions& options) {
    const auto work = std::make_shared<FunctionWork>(std::move(function), options);
    return {[work](std::shared_ptr<LeaderTerm> term) {
                asio::post(work->executor(), [work, term = std::move(term)] { work->run(*term); });
            },
            report_elsewhere(view, options)};
}

SelectorParts selector_parts(const std::shared_ptr<ClientView>& view, LeaderSelector::CoroutineWork function,
                             const SelectorOptions& options) {
    const auto work = std::make_shared<CoroutineWork>(*view, std::move(function), options);
    return {[work](std::shared_ptr<LeaderTerm> term) {
                const auto strand = work->make_strand();
                asio::post(strand, [work, strand, term = std::move(term)]() mutable { work->run(strand, std::move(term)); });
            },
            report_elsewhere(view, options)};
}

// ---- the calls

namespace {

template <typename Function>
std::shared_ptr<SelectorCore> make_selector(const Client& client, std::string_view path, Function work,
                                            SelectorOptions options) {
    require_path("leader selector", path);
    const auto& view = Access::open_view(client, "leader selector");
    auto terms = lease_terms(*view, std::string(path), options);
    auto parts = selector_parts(view, std::move(work), options);
    return std::make_shared<SelectorCore>(view, std::string(path), std::move(options), std::move(terms), std::move(parts.work),
                                          std::move(parts.report));
}

std::shared_ptr<void> close_at_end(const std::shared_ptr<SelectorCore>& core) {
    return post_at_end(core->view(), [core] { core->close([] {}); });
}

} // namespace

asio::any_io_executor executor_of(const SelectorCore& core) {
    return core.view()->executor();
}

void initiate_selector_close(const std::shared_ptr<SelectorCore>& core, CallOptions call, Handler<> handler) {
    auto work = [core](ClientView&, std::function<void()> then) { core->close(std::move(then)); };
    launch_made<GiveUpOperation>(core->view(), {"selector_close", core->path()}, std::move(call), std::move(handler),
                                 std::move(work), true);
}

void initiate_participants(const std::shared_ptr<SelectorCore>& core, CallOptions call,
                           Handler<std::vector<Participant>> handler) {
    core->read_participants(std::move(call), std::move(handler));
}

void initiate_leader(const std::shared_ptr<SelectorCore>& core, CallOptions call, Handler<std::optional<Participant>> handler) {
    core->read_leader(std::move(call), std::move(handler));
}

} // namespace detail

LeaderSelector::LeaderSelector(Client& client, std::string_view path, Work work, SelectorOptions options) {
    core_ = detail::make_selector(client, path, std::move(work), std::move(options));
    candidacy_ = detail::close_at_end(core_);
}

LeaderSelector::LeaderSelector(Client& client, std::string_view path, CoroutineWork work, SelectorOptions options) {
    core_ = detail::make_selector(client, path, std::move(work), std::move(options));
    candidacy_ = detail::close_at_end(core_);
}

LeaderSelector::LeaderSelector(detail::SameObject, const LeaderSelector& other) : candidacy_(other.candidacy_) {
    core_ = other.core_;
}

LeaderSelector::~LeaderSelector() = default;

const std::string& LeaderSelector::path() const noexcept {
    return core_->path();
}

const std::string& LeaderSelector::id() const noexcept {
    return core_->id();
}

void LeaderSelector::start(error_code& ec) {
    ec = core_->start();
}

void LeaderSelector::start() {
    detail::throw_if(core_->start(), "start the leader selector", path());
}

bool LeaderSelector::requeue(error_code& ec) {
    return core_->requeue(ec);
}

bool LeaderSelector::requeue() {
    return detail::throwing("requeue at", path(), [&](error_code& ec) { return requeue(ec); });
}

bool LeaderSelector::interrupt_leadership() {
    return core_->interrupt();
}

bool LeaderSelector::has_leadership() const noexcept {
    return core_->leadership() != nullptr;
}

Leadership LeaderSelector::leadership() const noexcept {
    return core_->leadership();
}

void LeaderSelector::close(error_code& ec, CallOptions call) {
    if (core_->works_here()) { // the work itself closes: to wait for its end would be a deadlock
        ec = {};
        return core_->view()->post([core = core_] { core->close([] {}); });
    }
    detail::block_also_before_start<>(*core_->view(), std::move(call), ec, detail::initiate_selector_close, core_);
}

void LeaderSelector::close(CallOptions call) {
    detail::throwing("close the leader selector", path(), [&](error_code& ec) { close(ec, std::move(call)); });
}

std::vector<Participant> LeaderSelector::participants(error_code& ec, CallOptions call) const {
    return core_->participants(std::move(call), ec);
}

std::vector<Participant> LeaderSelector::participants(CallOptions call) const {
    return core_->participants(std::move(call));
}

std::optional<Participant> LeaderSelector::leader(error_code& ec, CallOptions call) const {
    return core_->leader(std::move(call), ec);
}

std::optional<Participant> LeaderSelector::leader(CallOptions call) const {
    return core_->leader(std::move(call));
}

} // namespace docent
