// SPDX-License-Identifier: Apache-2.0
#include "leader/selector_core.hpp"

#include "client/core/access.hpp"

#include <docent/error.hpp>

#include <utility>

namespace docent::detail {

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
    : Candidate(std::move(view), {std::move(path), mutex_names(), lock_token, Deletion::admits, std::move(terms)},
                std::move(options.id), std::move(boot_now)),
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
    const auto leads = leadership();
    if (!leads) return false;
    view()->post([leads] { Access::core(*leads)->ask_to_stop(); }); // this lead only, and not a later one
    return true;
}

// ---- on the strand

void SelectorCore::close(std::function<void()> done) {
    end();
    withdraw();
    closing_.push_back(std::move(done));
    if (lease_) lease_->ask_to_stop();
    answer_who_closed();
}

void SelectorCore::pursue() {
    if (takes_part() && queued_ && !lease_ && !is_queuing()) enter();
}

void SelectorCore::on_granted(GrantedNode node) {
    queued_ = false;
    const auto leads = begin_leadership(std::move(node));
    lease_ = Access::core(*leads);
    lease_->keep_node_when_lost(); // while the work ends, no other candidate leads, if the session lives
    auto run = std::make_shared<LeaderTerm>(view(), leads, work_threads_,
                                            [self = shared_from_this(), this](bool begun) { on_run_ended(begun); });
    try {
        work_(std::move(run));
    } catch (...) {
        rests_ = true;
        report_(std::current_exception(), weak_from_this());
    }
}

void SelectorCore::on_hindered(error_code ec) {
    auto failure = std::make_exception_ptr(Error(ec, "stand for election at " + path()));
    report_(std::move(failure), weak_from_this()); // moved, because another thread uses the exception next
}

void SelectorCore::on_run_ended(bool begun) {
    const auto lease = std::exchange(lease_, nullptr);
    const bool in_vain = !begun && !lease->owns(); // the lead was lost before the work began
    const Leadership ended = end_leadership();
    ++releasing_;
    lease->release(*view(), [self = shared_from_this(), this](error_code) {
        --releasing_;
        answer_who_closed();
    });
    const bool rests = std::exchange(rests_, false);
    if (!takes_part()) return;
    if (auto_requeue_ || in_vain || rests) queued_ = true;
    rests ? enter_later() : pursue(); // after the removal
}

void SelectorCore::answer_who_closed() {
    if (lease_ || releasing_ > 0) return;
    for (const auto& done : std::exchange(closing_, {})) done();
}

} // namespace docent::detail
