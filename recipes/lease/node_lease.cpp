// SPDX-License-Identifier: Apache-2.0
#include "lease/node_lease.hpp"

#include "base/time_over.hpp"
#include "base/while_alive.hpp"
#include "revocation/request.hpp"
#include "session/session_machine.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {

std::shared_ptr<NodeLease> NodeLease::make(std::shared_ptr<ClientView> view, GrantedNode node, BootNow boot_now) {
    std::shared_ptr<NodeLease> core(new NodeLease(std::move(view), std::move(node), std::move(boot_now)));
    if (core->own_watch_) {
        *core->own_watch_ =
            while_alive(core->weak_self(), [core = core.get()](const WatchEvent& event) { core->on_own_event(event); });
    }
    core->view()->keep_alive(core);
    core->on_session_event(core->view()->session());
    core->await_expiry();
    return core;
}

NodeLease::NodeLease(std::shared_ptr<ClientView> view, GrantedNode node, BootNow boot_now)
    : LeaseCore(node.held_until), node_{.view = without_observation(std::move(view)),
                                        .boot_now = std::move(boot_now),
                                        .path = std::move(node.path),
                                        .encoded_data = std::move(node.data),
                                        .czxid = node.czxid,
                                        .token = node.token == 0 ? node.czxid : node.token,
                                        .epoch = node.epoch,
                                        .usage = node.usage},
      clock_(node_.view->validity_clock()), policy_(node_.view->config().error_policy), own_watch_(std::move(node.own_watch)) {
    need_audience();
}

// ---- from any thread

LeaseState NodeLease::state() noexcept {
    const auto ended = hold_.state();
    return ended == LeaseState::held ? state_at(boot_now()()) : ended;
}

/// After a caller has seen the lease lost or expired, no caller must see it held.
LeaseState NodeLease::state_at(Hold::Time now) noexcept {
    const bool suspended = clock_ && clock_->suspended();
    if (!clock_ || !clock_->valid_at(now) || (suspended && ends_holding(SessionState::suspended))) {
        if (hold_.end(LeaseState::lost)) settle_later();
    } else if (hold_.expire(now)) {
        settle_later();
    }
    const auto ended = hold_.state();
    return ended == LeaseState::held && suspended ? LeaseState::suspended : ended;
}

std::chrono::nanoseconds NodeLease::margin() const noexcept {
    return clock_ ? std::max<std::chrono::nanoseconds>(clock_->valid_until() - boot_now()(), {}) : std::chrono::nanoseconds{0};
}

void NodeLease::settle_later() noexcept {
    try {
        view()->post([self = self()] { self->settle_loss(Node::present); });
    } catch (...) {
        // Without memory, the next heartbeat or session event does this.
    }
}

std::optional<Hold::Time> NodeLease::release_later() noexcept {
    if (!view()->is_here()) return std::nullopt;
    const auto held_until = hold_.end(LeaseState::released);
    drop_listener(); // here, and not on the strand: the listener's executor may end next
    // Read after the end of the hold: pairs with keep_node_when_lost().
    if (!held_until && !keeps_node_) return held_until;
    try {
        view()->post([self = self(), was_held = held_until.has_value()] {
            if (was_held) return self->settle_release(*self->view(), nullptr);
            self->settle_loss(Node::present); // a thread may have seen the loss without settling it
            self->remove_kept(*self->view(), nullptr);
        });
    } catch (...) {
        // Without memory, the node goes with its session.
    }
    return held_until;
}

/// A holder that needs time to stop must learn of a loss at once, so this watches the node soon.
void NodeLease::keep_node_when_lost() noexcept {
    keeps_node_ = true; // pairs with settle_loss(): the end of the hold sees this, or a later owns() sees the end
    try {
        view()->post([self = self()] { self->watch_soon(); });
    } catch (...) {
        // Without memory, the first heartbeat does this.
    }
}

// ---- on the strand

void NodeLease::release(ClientView& through, std::function<void(error_code)> done) {
    if (owns()) hold_.end(LeaseState::released);
    if (!has_lapsed()) return settle_release(through, std::move(done));
    settle_loss(Node::present);
    remove_kept(through, std::move(done));
}

void NodeLease::settle_release(ClientView& through, std::function<void(error_code)> done) {
    if (std::exchange(settled_, true)) {
        if (done) done({});
        return;
    }
    drop_listener();
    expiry_.reset();
    watch_timer_.reset();
    own_watch_.reset();
    through.remove_in_background({path()}, std::move(done));
    report_end();
    tell_end();
}

void NodeLease::lose(Node node, const SessionEvent& session) {
    hold_.end(LeaseState::lost);
    settle_loss(node, session);
}

/// Carries out the consequences of a loss or an expiry, once.
void NodeLease::settle_loss(Node node, const SessionEvent& session) {
    if (!has_lapsed() || std::exchange(settled_, true)) return;
    drop_listener();
    const auto last = std::exchange(expiry_, nullptr); // the function of the timer may be the caller
    watch_timer_.reset();
    own_watch_.reset();
    const bool is_known = hold_.state() == LeaseState::lost && node == Node::present;
    if (is_known) why_lost_ = session::loss_reason(session, epoch());
    ask_to_stop(); // before the removal, which lets the next holder in
    if (node == Node::seen_deleted) view()->on_node_gone(path());
    report_end();
    node_kept_ = node == Node::present && keeps_node_; // after the end of the hold: pairs with keep_node_when_lost()
    if (node == Node::present && !node_kept_) view()->remove_in_background({path()});
    tell_end();
}

// ---- why it was lost

void NodeLease::explain_loss(std::function<void(error_code)> done) {
    if (!settled_) settle_loss(Node::present);
    if (why_lost_) return done(*why_lost_);
    to_explain_.push_back(std::move(done));
    if (to_explain_.size() == 1) ask_whether_session_lives();
}

/// Finds out why the node was deleted. The end of a session deletes its nodes, and the client may learn of the deletion first.
/// A server answers a request only if the session lives.
void NodeLease::ask_whether_session_lives() {
    view()->submit(zk::GetRequest{path()}, [self = self()](const zk::Reply& reply) {
        const bool lives = !is_lost(reply.ec) || reply.ec == error::closed;
        lives ? self->explain(server_error::no_node) : self->explain_by_session(self->view()->session());
    });
}

void NodeLease::explain_by_session(const SessionEvent& session) {
    const bool is_open =
        session.epoch == epoch() && (session.state == SessionState::connecting || session.state == SessionState::suspended);
    if (is_open) {
        if (news_of_session_) return;
        news_of_session_ = view()->listen([self = self()](const SessionEvent& event) { self->explain_by_session(event); });
        return;
    }
    const bool lives = session.epoch == epoch() && session.state == SessionState::connected;
    const auto last = std::exchange(news_of_session_, nullptr); // the listener may be the caller
    explain(lives ? make_error_code(server_error::no_node) : session::loss_reason(session, epoch()));
}

void NodeLease::explain(error_code why) {
    why_lost_ = why;
    for (const auto& done : std::exchange(to_explain_, {})) done(why);
}

void NodeLease::trace(std::shared_ptr<LeaseSpan> span) {
    span_ = std::move(span);
    if (settled_) report_end();
    else if (asked_for_) span_->on_revocation_request();
}

void NodeLease::report_end() {
    if (span_) report_end(span_, hold_.state(), boot_now()(), margin());
}

void NodeLease::report_end(const std::shared_ptr<LeaseSpan>& span, LeaseState how, Hold::Time now,
                           std::chrono::nanoseconds margin) {
    if (how == LeaseState::lost) return explain_loss([span, now](error_code why) { span->on_lost(why, now); });
    span->on_over(how, margin);
}

/// Releases a lease that was lost or has expired: removes a node that was kept.
void NodeLease::remove_kept(ClientView& through, std::function<void(error_code)> done) {
    const auto lost = [done = std::move(done)](error_code) {
        if (done) done(error::lease_lost);
    };
    if (!std::exchange(node_kept_, false)) return lost({});
    through.remove_in_background({path()}, lost);
}

void NodeLease::on_session_event(const SessionEvent& event) {
    if (hold_.state() == LeaseState::released) return;
    const bool ended = event.state == SessionState::lost || event.state == SessionState::closed || event.epoch != epoch();
    if (ended || ends_holding(event.state)) return lose(Node::present, event);
    if (hold_.expire(boot_now()()) || has_lapsed()) return settle_loss(Node::present);
    if (event.state != SessionState::connected) {
        interrupted_ = true;
        return;
    }
    // Servers that were restored from older data may have lost the node, so ask after an interruption. Otherwise the next
    // heartbeat is early enough.
    const bool asks_now = std::exchange(interrupted_, false) || has_listener();
    if (asks_now && !own_watch_) watch_own();
}

void NodeLease::watch_at_once() {
    if (owns() && !own_watch_) watch_own();
}

void NodeLease::watch_soon() {
    if (owns()) watch_timer_ = view()->call_after(watches_after, while_alive(weak_self(), [this] { watch_at_once(); }));
}

void NodeLease::on_heartbeat() {
    if (!owns()) return settle_loss(Node::present);
    if (!own_watch_) watch_own();
}

void NodeLease::watch_own() {
    own_watch_ = zk::make_watch_sink(while_alive(weak_self(), [this](const WatchEvent& event) { on_own_event(event); }));
    const auto on_read = [this, watch = own_watch_](const zk::Reply& reply) {
        if (own_watch_ == watch) on_own_read(reply);
    };
    view()->submit(zk::GetRequest{path(), own_watch_}, while_alive(weak_self(), on_read));
}

void NodeLease::on_own_read(const zk::Reply& reply) {
    const bool other_node = !reply.ec && reply.stat.czxid != czxid();
    if (reply.ec == server_error::no_node || other_node) return lose(Node::seen_deleted);
    if (reply.ec) return own_watch_.reset(); // try again with the next heartbeat
    if (!is_revocation_request(view()->config(), path(), reply.data)) return;
    asked_for_ = true;
    on_asked_for();
}

void NodeLease::on_own_event(const WatchEvent& event) {
    own_watch_.reset();
    if (hold_.state() != LeaseState::held) return;
    if (event.type == WatchEventType::deleted) return lose(Node::seen_deleted);
    if (event.type == WatchEventType::data_changed) watch_own();
}

void NodeLease::on_made_revocable() {
    if (settled_) return;
    if (asked_for_) on_asked_for();
    else if (has_listener()) watch_own();
}

} // namespace docent::detail
