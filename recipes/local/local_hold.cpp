// SPDX-License-Identifier: Apache-2.0
#include "local/local_queue.hpp"

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

/// Called by the thread that has ended the hold.
void LocalHold::on_ended(LeaseState how) noexcept {
    drop_listener(); // here, and not on the strand: the listener's executor may end next
    try {
        if (span_) report_end(how);
        if (has_audience()) {
            view()->post([self = self()] { self->tell_end(); });
        }
        const bool stays = how != LeaseState::released && keeps_node_; // pairs with keep_node_when_lost()
        if (!stays && goes_out()) queue_->leave(node_, entry_);
    } catch (...) {
        // Without memory, the node goes with its session.
    }
}

bool LocalHold::release_at_once() noexcept {
    // If the node is closed in between, the node is released in the background.
    if (!inside_ || !node_.hold_counter.open() || !owns()) return false;
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
    keeps_node_ = true; // pairs with on_ended(): the end of the hold sees this, or a later owns() sees the end
    lease_->keep_node_when_lost();
}

void LocalHold::share_node_no_more() noexcept {
    if (inside_) queue_->retire(node_);
}

/// Runs on the strand, where the reason of a loss is known.
void LocalHold::report_end(LeaseState how) {
    view()->post([self = self(), how, now = boot_now()(), margin = lease_->remaining()] {
        self->lease_->report_end(self->span_, how, now, margin);
    });
}

void LocalHold::attend() {
    if (hold_.state() == LeaseState::held && queue_->attend(node_, self())) return;
    view()->post([self = self()] { self->on_node_lost(); });
}

// ---- on the strand

void LocalHold::trace(std::shared_ptr<LeaseSpan> span) {
    const auto how = hold_.state();
    span_ = std::move(span);
    if (how != LeaseState::held) return report_end(how);
    attend();
    if (queue_->is_asked_for(node_)) span_->on_revocation_request();
}

void LocalHold::on_made_revocable() {
    if (owns() && queue_->is_asked_for(node_)) on_asked_for();
}

void LocalHold::on_node_lost() {
    state();
    tell_end();
}

bool LocalHold::is_over() noexcept {
    state();
    return hold_.state() != LeaseState::held;
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
