// SPDX-License-Identifier: Apache-2.0
#include "local/local_hold.hpp"

#include "base/while_alive.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace docent::detail {

std::shared_ptr<LocalHold> LocalHold::make(std::shared_ptr<LocalQueue> queue, LocalNode& node, const HoldCounter::Entry& entry,
                                           Hold::Time held_until) {
    auto hold = std::make_shared<LocalHold>(std::move(queue), node, entry, held_until);
    if (held_until != Hold::for_ever) hold->view()->post([hold] { hold->await_expiry(); });
    return hold;
}

LocalHold::LocalHold(std::shared_ptr<LocalQueue> queue, LocalNode& node, const HoldCounter::Entry& entry, Hold::Time held_until)
    : LeaseCore(held_until), queue_(std::move(queue)), lease_(node.shares.here_or(node.lease)), node_(node), entry_(entry) {}

LocalHold::~LocalHold() {
    if (goes_out() && view()->is_here()) queue_->leave(node_, entry_);
}

// ---- from any thread

LeaseState LocalHold::state() noexcept {
    const auto until = hold_.until();
    if (!until) return hold_.state();
    const auto of_node = lease_->state();
    if (of_node != LeaseState::held && of_node != LeaseState::suspended) {
        if (!view()->is_here()) return of_node;
        if (hold_.end(LeaseState::lost)) on_ended(LeaseState::lost);
    } else if (*until != Hold::for_ever && hold_.expire(boot_now()())) {
        on_ended(LeaseState::expired);
    }
    const auto ended = hold_.state();
    return ended == LeaseState::held ? of_node : ended;
}

std::chrono::nanoseconds LocalHold::remaining() noexcept {
    const auto of_node = lease_->remaining();
    const auto of_hold = remaining_hold();
    return of_hold ? std::min(of_node, *of_hold) : of_node;
}

/// Called by the thread that has ended the hold.
void LocalHold::on_ended(LeaseState how) noexcept {
    drop_listener(); // here, and not on the strand: the listener's executor may end next
    try {
        if (span_) report_end(how);
        if (has_audience_.load(std::memory_order_acquire)) {
            view()->post([self = self()] { self->tell_end(); });
        }
        const bool stays = how != LeaseState::released && keeps_node_.load(std::memory_order_relaxed);
        if (!stays && goes_out()) queue_->leave(node_, entry_);
    } catch (...) {
        // Without memory, the node goes with its session.
    }
}

bool LocalHold::release_at_once() noexcept {
    // If the node is closed in between, the node is released in the background.
    if (!inside_.load(std::memory_order_acquire) || !node_.hold_counter.open() || !owns()) return false;
    if (!hold_.end(LeaseState::released)) return false;
    on_ended(LeaseState::released);
    return true;
}

std::optional<Hold::Time> LocalHold::release_later() noexcept {
    const auto held_until = hold_.end(LeaseState::released);
    if (held_until) {
        on_ended(LeaseState::released);
    } else {
        drop_listener();
        if (goes_out()) queue_->leave(node_, entry_);
    }
    return held_until;
}

void LocalHold::keep_node_when_lost() noexcept {
    keeps_node_.store(true, std::memory_order_relaxed);
    lease_->keep_node_when_lost();
}

void LocalHold::share_node_no_more() noexcept {
    if (inside_.load(std::memory_order_acquire)) queue_->retire(node_);
}

/// Runs on the strand, where the reason of a loss is known.
void LocalHold::report_end(LeaseState how) {
    const auto now = boot_now()();
    view()->post([self = self(), how, now, margin = lease_->remaining()] {
        const auto& span = self->span_;
        if (how == LeaseState::lost) {
            return self->lease_->explain_loss([span, now](error_code why) { span->on_lost(why, now); });
        }
        span->on_over(how, how == LeaseState::released ? margin : margin.zero());
    });
}

// ---- who wants to hear of its end

LocalHold::Audience& LocalHold::audience() {
    if (!audience_) {
        audience_ = std::make_unique<Audience>();
        has_audience_.store(true, std::memory_order_release);
    }
    return *audience_;
}

/// Call it after audience(). An end that happened in between has seen the audience, or is seen here.
void LocalHold::attend() {
    if (hold_.state() == LeaseState::held && queue_->attend(node_, self())) return;
    view()->post([self = self()] {
        self->state();
        self->tell_end();
    });
}

std::stop_token LocalHold::stop_token() noexcept {
    std::unique_lock lock(mutex_);
    const bool first = audience_ == nullptr;
    auto token = audience().stop.get_token();
    lock.unlock();
    if (first) attend();
    return token;
}

void LocalHold::make_revocable(RevocationListenerPtr listener) {
    {
        const std::lock_guard lock(mutex_);
        if (hold_.state() != LeaseState::held) return;
        audience().listener.swap(listener); // the old listener is destroyed outside of the mutex
    }
    attend();
    view()->post([self = self()] {
        if (self->owns() && self->queue_->is_asked_for(self->node_)) self->on_asked_for();
    });
}

void LocalHold::drop_listener() noexcept {
    if (!has_audience_.load(std::memory_order_acquire)) return;
    RevocationListenerPtr last; // destroyed outside of the mutex: it may own a lease
    const std::lock_guard lock(mutex_);
    audience_->listener.swap(last);
}

// ---- on the strand

void LocalHold::trace(std::shared_ptr<LeaseSpan> span) {
    const auto how = hold_.state();
    span_ = std::move(span);
    if (how != LeaseState::held) return report_end(how);
    attend();
    if (queue_->is_asked_for(node_)) span_->on_revocation_request();
}

void LocalHold::on_asked_for() {
    if (!owns()) return;
    if (span_) span_->on_revocation_request();
    const std::lock_guard lock(mutex_); // until it is posted: the caller that ends the lease may end the executor next
    if (!audience_ || !audience_->listener || std::exchange(audience_->told, true)) return;
    asio::post(audience_->listener->executor, [self = self(), listener = audience_->listener] {
        if (self->owns()) listener->function(self->path());
    });
}

void LocalHold::on_node_lost() {
    state();
    tell_end();
}

void LocalHold::tell_end() {
    if (hold_.state() == LeaseState::held) return;
    std::unique_lock lock(mutex_);
    if (!audience_) return;
    auto waiting = std::exchange(audience_->waiting, {});
    auto stop = audience_->stop;
    lock.unlock();
    if (has_lapsed()) stop.request_stop();
    waiting.answer(end_code());
}

void LocalHold::ask_to_stop() noexcept {
    std::unique_lock lock(mutex_);
    auto stop = audience().stop;
    lock.unlock();
    stop.request_stop();
}

Registration LocalHold::when_over(std::function<void(error_code)> done) {
    if (state(); hold_.state() != LeaseState::held) {
        done(end_code());
        return nullptr;
    }
    Registration registration;
    {
        const std::lock_guard lock(mutex_);
        registration = audience().waiting.add(std::move(done));
    }
    attend();
    return registration;
}

void LocalHold::release(ClientView& through, std::function<void(error_code)> done) {
    const bool owned = owns() && hold_.end(LeaseState::released);
    const error_code ec = owned || !has_lapsed() ? error_code{} : make_error_code(error::lease_lost);
    drop_listener();
    if (owned && span_) report_end(LeaseState::released);
    if (goes_out() && queue_->leave_to_give_back(node_, entry_)) {
        lease_->release(through, [done = std::move(done), ec](error_code) { done(ec); });
    } else {
        done(ec);
    }
    tell_end();
}

} // namespace docent::detail
