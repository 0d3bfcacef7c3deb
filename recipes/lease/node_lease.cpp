// SPDX-License-Identifier: Apache-2.0
#include "lease/node_lease.hpp"

#include "base/time_over.hpp"
#include "base/while_alive.hpp"
#include "client/data/data_codec.hpp"
#include "revocation/request.hpp"
#include "session/session_machine.hpp"

#include <docent/recipes/inspection.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace docent::detail {

std::shared_ptr<NodeLease> NodeLease::make(std::shared_ptr<ClientView> view, GrantedNode node, BootNow boot_now) {
    std::shared_ptr<NodeLease> core(new NodeLease(std::move(view), std::move(node), std::move(boot_now)));
    if (core->own_watch_) {
        *core->own_watch_ =
            while_alive(core->weak_self(), [core = core.get()](const WatchEvent& event) { core->on_own_event(event); });
    }
    core->view_->keep_alive(core);
    core->on_session_event(core->view_->session());
    core->await_expiry();
    return core;
}

NodeLease::NodeLease(std::shared_ptr<ClientView> view, GrantedNode node, BootNow boot_now)
    : LeaseCore(node.held_until), view_(without_observation(std::move(view))), path_(std::move(node.path)),
      encoded_data_(std::move(node.data)), czxid_(node.czxid), token_(node.token == 0 ? node.czxid : node.token),
      epoch_(node.epoch), usage_(node.usage), clock_(view_->validity_clock()), policy_(view_->config().error_policy),
      boot_now_(std::move(boot_now)), own_watch_(std::move(node.own_watch)) {}

// ---- from any thread

std::string NodeLease::data() const {
    std::string data = encoded_data_;
    // The data was encoded with the same configuration, so this cannot fail.
    static_cast<void>(decode_data(view_->config(), path_, Compression::client_default, data));
    return split_owner(std::move(data)).data;
}

LeaseState NodeLease::state() noexcept {
    const auto ended = hold_.state();
    return ended == LeaseState::held ? state_at(boot_now_()) : ended;
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

std::chrono::nanoseconds NodeLease::remaining() noexcept {
    if (!owns()) return {};
    const auto until = std::min(clock_->valid_until(), hold_.until().value_or(Hold::Time{}));
    return std::max<std::chrono::nanoseconds>(until - boot_now_(), {});
}

void NodeLease::settle_later() noexcept {
    try {
        view_->post([self = self()] { self->settle_loss(Node::present); });
    } catch (...) {
        // Without memory, the next heartbeat or session event does this.
    }
}

std::optional<Hold::Time> NodeLease::release_later() noexcept {
    if (!view_->is_here()) return std::nullopt;
    const auto held_until = hold_.end(LeaseState::released);
    drop_listener(); // here, and not on the strand: the listener's executor may end next
    if (!held_until && !keeps_node_.load(std::memory_order_relaxed)) return held_until;
    try {
        view_->post([self = self(), was_held = held_until.has_value()] {
            if (was_held) return self->settle_release(*self->view_, nullptr);
            self->settle_loss(Node::present); // a thread may have seen the loss without settling it
            self->remove_kept(*self->view_, nullptr);
        });
    } catch (...) {
        // Without memory, the node goes with its session.
    }
    return held_until;
}

/// A holder that needs time to stop must learn of a loss at once, so this watches the node soon.
void NodeLease::keep_node_when_lost() noexcept {
    keeps_node_.store(true, std::memory_order_relaxed);
    try {
        view_->post([self = self()] { self->watch_soon(); });
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
    through.remove_in_background({path_}, [done = std::move(done)] {
        if (done) done({});
    });
    report_end();
    waiting_.answer(asio::error::operation_aborted);
}

void NodeLease::lose(Node node, const SessionEvent& session) {
    hold_.end(LeaseState::lost);
    settle_loss(node, session);
}

/// Carries out the consequences of a loss or an expiry, once.
void NodeLease::settle_loss(Node node, const SessionEvent& session) {
    if (!has_lapsed() || std::exchange(settled_, true)) return;
    drop_listener();
    const auto last = std::exchange(expiry_, nullptr); // it may call this function
    watch_timer_.reset();
    own_watch_.reset();
    const bool is_known = hold_.state() == LeaseState::lost && node == Node::present;
    if (is_known) why_lost_ = session::loss_reason(session, epoch_);
    stop_.request_stop(); // before the removal, which lets the next holder in
    if (node == Node::seen_deleted) view_->on_node_gone(path_);
    report_end();
    node_kept_ = node == Node::present && keeps_node_.load(std::memory_order_relaxed);
    if (node == Node::present && !node_kept_) view_->remove_in_background({path_});
    waiting_.answer({});
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
    view_->submit(zk::GetRequest{path_}, [self = self()](const zk::Reply& reply) {
        const bool lives = !is_lost(reply.ec) || reply.ec == error::closed;
        lives ? self->explain(server_error::no_node) : self->explain_by_session(self->view_->session());
    });
}

void NodeLease::explain_by_session(const SessionEvent& session) {
    const bool is_open =
        session.epoch == epoch_ && (session.state == SessionState::connecting || session.state == SessionState::suspended);
    if (is_open) {
        if (news_of_session_) return;
        news_of_session_ = view_->listen([self = self()](const SessionEvent& event) { self->explain_by_session(event); });
        return;
    }
    const bool lives = session.epoch == epoch_ && session.state == SessionState::connected;
    const auto last = std::exchange(news_of_session_, nullptr); // it may call this function
    explain(lives ? make_error_code(server_error::no_node) : session::loss_reason(session, epoch_));
}

void NodeLease::explain(error_code why) {
    why_lost_ = why;
    for (const auto& done : std::exchange(to_explain_, {})) done(why);
}

std::chrono::nanoseconds NodeLease::margin() const {
    return clock_ ? std::max<std::chrono::nanoseconds>(clock_->valid_until() - boot_now_(), {}) : std::chrono::nanoseconds{0};
}

void NodeLease::trace(std::shared_ptr<LeaseSpan> span) {
    span_ = std::move(span);
    if (settled_) report_end();
    else if (revocation_ != Revocation::none) span_->on_revocation_request();
}

void NodeLease::report_end() {
    if (!span_) return;
    const auto how = hold_.state();
    const auto now = boot_now_();
    if (how == LeaseState::lost) return explain_loss([span = span_, now](error_code why) { span->on_lost(why, now); });
    span_->on_over(how, how == LeaseState::released ? margin() : std::chrono::nanoseconds{0});
}

/// Releases a lease that was lost or has expired: removes a node that was kept.
void NodeLease::remove_kept(ClientView& through, std::function<void(error_code)> done) {
    const auto lost = [done = std::move(done)] {
        if (done) done(error::lease_lost);
    };
    if (!std::exchange(node_kept_, false)) return lost();
    through.remove_in_background({path_}, lost);
}

Registration NodeLease::when_over(std::function<void(error_code)> done) {
    if (settled_) {
        done(end_code());
        return nullptr;
    }
    return waiting_.add(std::move(done));
}

void NodeLease::on_session_event(const SessionEvent& event) {
    if (hold_.state() == LeaseState::released) return;
    const bool ended = event.state == SessionState::lost || event.state == SessionState::closed || event.epoch != epoch_;
    if (ended || ends_holding(event.state)) return lose(Node::present, event);
    if (hold_.expire(boot_now_()) || has_lapsed()) return settle_loss(Node::present);
    if (event.state != SessionState::connected) {
        interrupted_ = true;
        return;
    }
    // Servers that were restored from older data may have lost the node, so ask after an interruption. Otherwise the next
    // heartbeat is early enough.
    const bool asks_now = std::exchange(interrupted_, false) || is_revocable();
    if (asks_now && !own_watch_) watch_own();
}

void NodeLease::watch_at_once() {
    if (owns() && !own_watch_) watch_own();
}

void NodeLease::watch_soon() {
    if (owns()) watch_timer_ = view_->call_after(watches_after, while_alive(weak_self(), [this] { watch_at_once(); }));
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
    view_->submit(zk::GetRequest{path_, own_watch_}, while_alive(weak_self(), on_read));
}

void NodeLease::on_own_read(const zk::Reply& reply) {
    const bool other_node = !reply.ec && reply.stat.czxid != czxid_;
    if (reply.ec == server_error::no_node || other_node) return lose(Node::seen_deleted);
    if (reply.ec) return own_watch_.reset(); // try again with the next heartbeat
    if (is_revocation_request(view_->config(), path_, reply.data)) on_revocation_requested();
}

void NodeLease::on_own_event(const WatchEvent& event) {
    own_watch_.reset();
    if (hold_.state() != LeaseState::held) return;
    if (event.type == WatchEventType::deleted) return lose(Node::seen_deleted);
    if (event.type == WatchEventType::data_changed) watch_own();
}

// ---- being asked for the lock

void NodeLease::make_revocable(RevocationListenerPtr listener) {
    {
        const std::lock_guard lock(listener_mutex_);
        if (hold_.state() != LeaseState::held) return;
        listener_.swap(listener); // the old listener is destroyed outside of the mutex
    }
    view_->post([self = self()] { self->on_made_revocable(); });
}

bool NodeLease::is_revocable() const {
    const std::lock_guard lock(listener_mutex_);
    return listener_ != nullptr;
}

void NodeLease::drop_listener() noexcept {
    RevocationListenerPtr last; // destroyed outside of the mutex: it may own a lease
    const std::lock_guard lock(listener_mutex_);
    listener_.swap(last);
}

void NodeLease::on_made_revocable() {
    if (settled_) return;
    if (is_revocable() && revocation_ == Revocation::none) watch_own();
    tell_of_revocation();
}

void NodeLease::on_revocation_requested() {
    if (revocation_ == Revocation::none) {
        revocation_ = Revocation::requested;
        if (span_ && owns()) span_->on_revocation_request();
    }
    tell_of_revocation();
}

void NodeLease::tell_of_revocation() {
    if (revocation_ != Revocation::requested || !owns()) return;
    const std::lock_guard lock(listener_mutex_); // until it is posted: the caller that ends the lease may end the executor next
    if (!listener_) return;
    revocation_ = Revocation::told;
    asio::post(listener_->executor, [self = self(), listener = listener_] {
        if (self->owns()) listener->function(self->path());
    });
}

} // namespace docent::detail
