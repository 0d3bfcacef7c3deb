// SPDX-License-Identifier: Apache-2.0
#include "leader/candidate.hpp"
#include "base/while_alive.hpp"
#include "lease/node_lease.hpp"

#include <boost/asio/error.hpp>

#include <chrono>
#include <utility>

namespace docent::detail {
namespace {

/// The pause before the next attempt to enter. The obstacle is usually an ACL or an outage, which lasts.
constexpr std::chrono::seconds enters_again_after{1};

} // namespace

Candidate::Candidate(std::shared_ptr<ClientView> view, QueuePlace place, std::string id, BootNow boot_now)
    : view_(std::move(view)), place_(std::move(place)), id_(std::move(id)), boot_now_(std::move(boot_now)) {}

// ---- from any thread

Leadership Candidate::leadership() const noexcept {
    if (!view_->is_here()) return nullptr;
    Leadership leadership;
    {
        const std::lock_guard lock(mutex_);
        leadership = leadership_;
    }
    return leadership && leadership->owns() ? leadership : nullptr;
}

error_code Candidate::start() {
    if (!view_->is_here()) return error::other_process;
    auto state = LatchState::latent;
    if (state_.compare_exchange_strong(state, LatchState::started)) {
        view_->post([self = shared_from_this()] {
            if (self->takes_part()) self->on_started();
        });
    }
    return state == LatchState::closed ? make_error_code(error::closed) : error_code{};
}

// ---- on the strand

void Candidate::enter() {
    const auto last = std::exchange(pause_, nullptr); // it may call this function
    span_ = LeaseSpan::begin(view_, {LeaseKind::leadership, place_->path, place_->terms.label}, boot_now_);
    const auto attempt = std::make_shared<AcquireDriver>(
        view_, place_, AcquireWait{},
        [self = shared_from_this()](error_code ec, GrantedNode node) { self->on_attempt(ec, std::move(node)); }, boot_now_);
    attempt_ = attempt;
    attempt->start();
}

void Candidate::enter_later() {
    const auto enter_again = [this] {
        if (takes_part()) enter();
    };
    pause_ = view_->call_after(enters_again_after, while_alive(weak_from_this(), enter_again));
}

void Candidate::end() {
    state_.store(LatchState::closed, std::memory_order_release);
    pause_.reset();
}

void Candidate::withdraw() {
    if (const auto attempt = attempt_) attempt->end(asio::error::operation_aborted);
}

void Candidate::on_attempt(error_code ec, GrantedNode node) {
    attempt_.reset();
    if (ec || state() == LatchState::closed)
        conclude(std::exchange(span_, nullptr), ec ? ec : make_error_code(error::closed), nullptr);
    if (state() == LatchState::closed) return;
    if (!ec) return on_granted(std::move(node));
    if (ec == error::closed) return on_client_closed();
    if (ec == error::lock_node_deleted) return enter();
    on_hindered(ec);
    if (takes_part()) enter_later();
}

Leadership Candidate::begin_leadership(GrantedNode node) {
    auto lease = NodeLease::make(view_, std::move(node), boot_now_);
    lease->watch_at_once();
    conclude(std::exchange(span_, nullptr), {}, lease.get());
    auto leadership = std::make_shared<const Lease>(std::move(lease));
    const std::lock_guard lock(mutex_);
    leadership_ = leadership;
    return leadership;
}

Leadership Candidate::end_leadership() {
    Leadership ended;
    const std::lock_guard lock(mutex_);
    ended.swap(leadership_);
    return ended;
}

} // namespace docent::detail
