// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/leader/leader_selector.hpp>

#include "base/while_alive.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/operations/sequence_operation.hpp"
#include "leader/selector_core.hpp"
#include "lease/lease_core.hpp"

#include <string>
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

void SelectorCore::set_limits(TermLimits limits) {
    limits_ = std::move(limits);
    if (limits_.work_threads) work_threads_ = limits_.work_threads;
}

void SelectorCore::close(std::function<void()> done) {
    on_client_closed();
    withdraw();
    closing_.push_back(std::move(done));
    if (lease_) {
        lease_->ask_to_stop();
        limit_stop();
    }
    answer_close_calls();
}

void SelectorCore::on_client_closed() {
    end();
    if (!reports_) return;
    reports_->close([weak = weak_from_this(), view = view()] {
        view->post(while_alive(weak, [weak] { std::static_pointer_cast<SelectorCore>(weak.lock())->answer_close_calls(); }));
    });
}

void SelectorCore::pursue() {
    if (takes_part() && queued_ && !lease_ && !is_queuing()) enter();
}

void SelectorCore::on_granted(GrantedNode node) {
    queued_ = false;
    const Leadership begun = begin_leadership(std::move(node));
    lease_ = Access::core(*begun);
    lease_->keep_node_when_lost(); // while the work ends, no other candidate leads, if the session lives
    if (limits_.stop_limit) {
        over_ = lease_->when_over(while_alive(weak_from_this(), [this](error_code ec) {
            if (!ec) limit_stop(); // lost or expired
        }));
    }
    auto term = std::make_shared<LeaderTerm>(view(), begun, work_threads_,
                                             [self = shared_from_this(), this](bool work_begun) { on_term_ended(work_begun); });
    try {
        work_(std::move(term));
    } catch (...) {
        rests_ = true;
        report_(std::current_exception());
    }
}

void SelectorCore::on_hindered(error_code ec) {
    auto failure = std::make_exception_ptr(Error(ec, "stand for election at " + path()));
    report_(std::move(failure)); // moved, because another thread uses the exception next
}

void SelectorCore::on_term_ended(bool begun) {
    const auto lease = std::exchange(lease_, nullptr);
    over_.reset();
    stop_timer_.reset();
    const bool by_itself = begun && !lease->stop_token().stop_requested();
    const bool in_vain = !begun && !lease->owns(); // the leadership was lost before the work began
    const Leadership ended = end_leadership();
    ++releasing_;
    lease->release(*view(), [self = shared_from_this(), this](error_code) {
        --releasing_;
        answer_close_calls();
    });
    const bool rests = std::exchange(rests_, false) || (limits_.pauses_between && by_itself);
    if (!takes_part()) return;
    if (auto_requeue_ || in_vain || rests) queued_ = true;
    rests ? enter_later() : pursue(); // the create follows the removal that release() has sent
}

/// Starts the time limit for work that must stop.
void SelectorCore::limit_stop() {
    if (!limits_.stop_limit || stop_timer_) return;
    stop_timer_ = view()->call_after(*limits_.stop_limit, while_alive(weak_from_this(), [this] { on_stop_limit(); }));
}

/// Gives the leadership up although the work goes on. Its fencing token is older than that of the next leader.
void SelectorCore::on_stop_limit() {
    const auto lease = lease_;
    if (!lease) return;
    lease->release(*view(), [](error_code) {});
    report_(std::make_exception_ptr(Error(server_error::operation_timeout,
                                          "the work on " + path() + " has not stopped within " +
                                              std::to_string(limits_.stop_limit->count()) + " ms; its lease was released")));
}

void SelectorCore::answer_close_calls() {
    if (lease_ || releasing_ > 0 || (reports_ && !reports_->is_idle())) return;
    for (const auto& done : std::exchange(closing_, {})) done();
}

// ---- the calls

LeaseTerms lease_terms(const ClientView& view, const std::string& path, const SelectorOptions& options) {
    const auto node_data = options.id.empty() ? std::nullopt : std::optional(options.id);
    return lease_terms(view, path, LockOptions{.node_data = node_data, .label = options.label, .max_hold = options.max_hold});
}

namespace {

template <typename Function>
std::shared_ptr<SelectorCore> make_selector(const Client& client, std::string_view path, Function work,
                                            SelectorOptions options) {
    require_path("leader selector", path);
    const auto& view = Access::open_view(client, "leader selector");
    auto terms = lease_terms(*view, std::string(path), options);
    const auto reports = std::make_shared<FailureReports>(executor_for(*view, options), options.on_failure);
    auto run = selector_work(*view, std::move(work), options);
    auto core = std::make_shared<SelectorCore>(view, std::string(path), std::move(options), std::move(terms), std::move(run),
                                               [reports](std::exception_ptr failure) { reports->report(std::move(failure)); });
    core->set_reports(reports);
    return core;
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
