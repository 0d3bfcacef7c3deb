// SPDX-License-Identifier: Apache-2.0

// First the events of the machine, then its steps.

#include "queue/acquire_machine.hpp"
#include "base/protection.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {

AcquireMachine::AcquireMachine(AcquireRules rules, const RetryPolicy& retry, AcquireSources& sources)
    : rules_(std::move(rules)), connected_step_(retry, sources) {}

AcquireActions AcquireMachine::start(const SessionEvent& session) {
    connected_step_.begin_in(session);
    if (session.state == SessionState::closed) return finish(error::closed);
    return go(connected_step_.proceed(Need::enter));
}

// ---- replies

AcquireActions AcquireMachine::on_entered(const Entered& entered) {
    if (step_ != Step::entering) return {};
    claim_->in_flight = false;
    const error_code& ec = entered.create;
    if (ec == server_error::no_node) return go(connected_step_.with_parents(Need::enter, ec));
    if (ec == error::not_connected) return go(connected_step_.interrupted(Need::enter));
    if (cut_off(ec)) {
        claim_->in_doubt = true;
        last_error_ = ec;
        return go(connected_step_.interrupted(Need::find));
    }
    if (ec) return go(connected_step_.failed(Need::enter, ec));

    claim_->set_name(entered.name);
    claim_->czxid = entered.czxid;
    if (entered.ephemeral_owner != claim_->session_id) {
        // The node belongs to a session whose event has not arrived yet.
        auto actions = drop_claim();
        actions.emplace_back(AwaitSession{});
        return joined(std::move(actions), go(connected_step_.interrupted(Need::enter, connected_step_.connection())));
    }
    connected_step_.succeeded();
    return entered.listed ? on_list(entered.list, entered.children) : decide_by(entered.known);
}

AcquireActions AcquireMachine::on_found(error_code ec, const std::vector<std::string>& children) {
    if (step_ != Step::finding) return {};
    if (ec && ec != server_error::no_node) return go(connected_step_.failed(Need::find, ec));
    if (claim_->named()) return on_list(ec, children);
    const auto found = ec ? std::vector<std::string>{} : find_protected(children, claim_->guid());
    if (found.empty()) { // a stalled server may still apply the create, so the next attempt has another GUID
        Actions actions{ForgetGuid{std::string(claim_->guid())}};
        claim_.reset();
        return joined(std::move(actions), go(connected_step_.pause(Need::enter, last_error_)));
    }
    claim_->set_name(found.front());
    connected_step_.succeeded();
    return decide(children);
}

AcquireActions AcquireMachine::on_listed(error_code ec, const std::vector<std::string>& children) {
    if (step_ != Step::listing) return {};
    auto actions = on_list(ec, children);
    if (step_ != Step::watching) ahead_watch_ = Watch::unset; // the watch that was requested with the list is not needed
    return actions;
}

AcquireActions AcquireMachine::on_looked(const std::optional<Neighbours>& known) {
    return step_ == Step::looking ? decide_by(known) : Actions{};
}

AcquireActions AcquireMachine::on_list(error_code ec, const std::vector<std::string>& children) {
    if (!ec) return decide(children);
    if (ec == server_error::no_node) return own_node_gone(); // a parent without children: the waiter's node is gone
    return go(connected_step_.failed(Need::list, ec));
}

AcquireActions AcquireMachine::on_own_read(error_code ec, const Stat& stat) {
    if (step_ == Step::done || !claim_ || own_watch_ != Watch::asked) return {};
    const bool waited_for = step_ == Step::verifying || step_ == Step::watching || step_ == Step::proving;
    own_watch_ = Watch::unset;
    if (ec == server_error::no_node) return own_node_gone();
    if (!waited_for && (cut_off(ec) || ec == condition::retryable)) return {};
    // Also `no_auth`: servers report no events of such a node, so the waiter would learn of its deletion too late.
    if (ec) return go(connected_step_.failed(Need::list, ec, own_asked_on_));

    own_watch_ = Watch::set;
    if (stat.ephemeral_owner != claim_->session_id) return start_over(); // the node belongs to an earlier session
    if (claim_->czxid == 0) claim_->czxid = stat.czxid;
    if (claim_->czxid != stat.czxid) return own_node_gone(); // another node has taken its name
    if (step_ == Step::verifying) return decide(std::exchange(found_, {}));
    if (step_ != Step::proving) return {};
    return connected_step_.connected() ? grant() : go(connected_step_.proceed(Need::list));
}

AcquireActions AcquireMachine::on_ahead_read(error_code ec, std::int64_t owner) {
    if (step_ != Step::watching || ahead_watch_ != Watch::asked) return {};
    ahead_watch_ = Watch::unset;
    if (ec == server_error::no_node) return on_ahead_gone();
    // The node exists and may not be read. The client reads it again from time to time (zk::WatchTable), and reports its
    // deletion.
    const bool unreadable = ec == server_error::no_auth;
    if (ec && !unreadable) return go(connected_step_.failed(Need::list, ec, ahead_asked_on_));
    ahead_watch_ = Watch::set;
    ahead_is_ours_ = unreadable || owner == claim_->session_id; // the owner of an unreadable node may be this session
    return {};
}

AcquireActions AcquireMachine::on_paused() {
    return step_ == Step::pausing ? go(connected_step_.resume()) : Actions{};
}

AcquireActions AcquireMachine::on_no_session() {
    return connected_step_.connected() && step_ != Step::waiting ? Actions{} : finish(error::not_connected);
}

// ---- events

AcquireActions AcquireMachine::on_own_event(WatchEventType type) {
    if (step_ == Step::done || !claim_ || own_watch_ == Watch::unset) return {};
    own_watch_ = Watch::unset;
    // The end of the session also causes this event, before the session event. Only an answer shows whether the node is gone.
    return type == WatchEventType::deleted || type == WatchEventType::data_changed ? watch_own() : Actions{};
}

AcquireActions AcquireMachine::on_ahead_event(WatchEventType type) {
    if (step_ != Step::watching || ahead_watch_ == Watch::unset) return {};
    ahead_watch_ = Watch::unset;
    if (type == WatchEventType::deleted) return on_ahead_gone();
    return type == WatchEventType::data_changed ? watch_ahead() : Actions{};
}

AcquireActions AcquireMachine::on_session(const SessionEvent& event) {
    if (step_ == Step::done) return {};
    connected_step_.on_session(event);
    switch (event.state) {
    case SessionState::closed: return finish(error::closed);
    case SessionState::connected:
        if (claim_ && claim_->epoch != event.epoch) return start_over();
        return step_ == Step::waiting ? go(connected_step_.resume()) : Actions{};
    case SessionState::lost:
        if (ends_waits(event.reason)) return finish(event.reason);
        if (event.reason != error::not_connected) {
            disturbed_ = true;
            return start_over();
        }
        break; // a presumed loss: the session may come back
    case SessionState::connecting:
    case SessionState::suspended: break;
    }
    disturbed_ = true;
    return await_session();
}

// ---- steps

AcquireActions AcquireMachine::go(const ConnectedStep<Need>::Next& next) {
    using Steps = ConnectedStep<Need>;
    if (const auto* asked = std::get_if<Steps::Ask>(&next)) return ask(asked->need);
    if (std::holds_alternative<Steps::AwaitConnection>(next)) return wait_for_connection();
    if (const auto* failed = std::get_if<Fail>(&next)) return finish(failed->ec);
    step_ = Step::pausing;
    return {std::get<Pause>(next)};
}

AcquireActions AcquireMachine::ask(Need need) {
    switch (need) {
    case Need::enter:
        if (!claim_) {
            claim_.emplace(connected_step_.new_guid(), connected_step_.session());
            connected_step_.begin_tries();
        }
        claim_->in_flight = true;
        step_ = Step::entering;
        return {Enter{std::string(claim_->guid()), connected_step_.makes_parents()}};
    case Need::find: step_ = Step::finding; return {FindOwn{std::string(claim_->guid())}};
    case Need::list: step_ = Step::listing; return {List{}};
    }
    return {};
}

AcquireActions AcquireMachine::wait_for_connection() {
    step_ = Step::waiting;
    return connected_step_.connected() ? Actions{} : await_session();
}

AcquireActions AcquireMachine::await_session() const {
    const bool has_place = claim_ && claim_->may_exist();
    return has_place && connected_step_.waits_for_ever(rules_.wait_mode) ? Actions{} : Actions{AwaitSession{}};
}

AcquireActions AcquireMachine::decide(const std::vector<std::string>& children) {
    const std::string_view self = claim_->name();
    if (std::find(children.begin(), children.end(), self) == children.end()) return own_node_gone();

    Actions actions;
    if (std::exchange(claim_->in_doubt, false)) { // the create may have been applied twice
        for (auto& name : find_protected(children, claim_->guid())) {
            if (name != self) actions.emplace_back(Remove{std::move(name)});
        }
    }
    if (!connected_step_.connected()) return joined(std::move(actions), go(connected_step_.proceed(Need::list)));
    if (connected_step_.asked_on_this_connection()) disturbed_ = false;
    if (claim_->czxid == 0) {
        found_ = children;
        step_ = Step::verifying;
        return joined(std::move(actions), watch_own());
    }
    const auto admission = admit(queue_up_to(rules_.names, children, self), self, rules_.last_writer);
    if (std::holds_alternative<Admitted>(admission)) return joined(std::move(actions), grant());
    if (const auto* ahead = std::get_if<WaitFor>(&admission)) return joined(std::move(actions), wait_for(*ahead));
    const bool used_up = std::holds_alternative<NumbersUsedUp>(admission);
    return joined(std::move(actions),
                  finish(used_up ? make_error_code(error::numbers_used_up) : server_error::data_inconsistency));
}

/// Decides by earlier knowledge of the queue. It may make the waiter watch a node that is gone, which the read with the watch
/// shows. It never admits the waiter. In a read/write lock, read nodes may appear beside earlier write nodes, so only a list
/// will do.
AcquireActions AcquireMachine::decide_by(const std::optional<Neighbours>& known) {
    const bool will_do =
        known && connected_step_.connected() && rules_.wait_mode == WaitMode::waits && rules_.last_writer == Deletion::admits;
    if (!will_do) return go(connected_step_.proceed(Need::list));
    if (const auto ahead = wait_for_known(*known)) return wait_for(*ahead);
    const auto nearest = own_watch_ == Watch::set ? nearest_of(*known) : std::nullopt;
    return nearest ? list_and_watch(*nearest) : go(connected_step_.proceed(Need::list));
}

/// Lists, and watches the nearest node, in one round trip. Usually the list shows that only the nearest is left. Otherwise the
/// watch is dropped.
AcquireActions AcquireMachine::list_and_watch(const std::string& nearest) {
    auto actions = go(connected_step_.proceed(Need::list));
    ahead_ = {nearest, Deletion::list_again};
    return joined(std::move(actions), watch_ahead());
}

AcquireActions AcquireMachine::wait_for(const WaitFor& ahead) {
    if (rules_.wait_mode == WaitMode::tries_once) return finish(error::not_acquired);
    const bool asked_for = ahead_watch_ == Watch::asked && own_watch_ == Watch::set && ahead_.name == ahead.name &&
                           ahead_asked_on_ == connected_step_.connection();
    step_ = Step::watching;
    ahead_ = ahead;
    connected_step_.parked();
    if (asked_for) return {};
    auto actions = own_watch_ == Watch::unset ? watch_own() : Actions{};
    return joined(std::move(actions), watch_ahead());
}

AcquireActions AcquireMachine::watch_own() {
    own_watch_ = Watch::asked;
    own_asked_on_ = connected_step_.connection();
    return {WatchOwn{std::string(claim_->name())}};
}

AcquireActions AcquireMachine::watch_ahead() {
    ahead_watch_ = Watch::asked;
    ahead_is_ours_ = false;
    ahead_asked_on_ = connected_step_.connection();
    return {WatchAhead{ahead_.name}};
}

// The node ahead is gone. The waiter is admitted without a further read if its own node certainly still exists: a deletion of
// its node would have been reported before. This does not hold if the node ahead belongs to the same session: the end of the
// session deletes both in one transaction, and reports them in any order. Then a read of the waiter's node decides.
AcquireActions AcquireMachine::on_ahead_gone() {
    const bool in_order = own_watch_ == Watch::set && !disturbed_ && connected_step_.connected();
    if (!in_order) return go(connected_step_.proceed(Need::list));
    if (ahead_.deletion == Deletion::list_again) {
        step_ = Step::looking;
        return {Look{std::string(claim_->name())}};
    }
    if (!ahead_is_ours_) return grant();
    step_ = Step::proving;
    return watch_own();
}

AcquireActions AcquireMachine::grant() {
    if (const auto next = connected_step_.make_certain(claim_->epoch, Need::find)) return go(*next);
    step_ = Step::done;
    return {Grant{std::string(claim_->name()), claim_->czxid, claim_->epoch, own_watch_ == Watch::set}};
}

AcquireActions AcquireMachine::start_over() {
    auto actions = drop_claim();
    return joined(std::move(actions), go(connected_step_.proceed(Need::enter)));
}

AcquireActions AcquireMachine::drop_claim() {
    Actions actions;
    if (claim_ && claim_->named()) actions.emplace_back(Remove{std::string(claim_->name())});
    else if (claim_ && claim_->may_exist()) actions.emplace_back(RemoveProtected{std::string(claim_->guid())});
    claim_.reset();
    own_watch_ = ahead_watch_ = Watch::unset;
    disturbed_ = false;
    connected_step_.start_over();
    return actions;
}

AcquireActions AcquireMachine::own_node_gone() {
    step_ = Step::done;
    return {Fail{error::lock_node_deleted}}; // no node is left to remove
}

AcquireActions AcquireMachine::finish(error_code ec) {
    if (step_ == Step::done) return {};
    auto actions = drop_claim();
    step_ = Step::done;
    actions.emplace_back(Fail{ec});
    return actions;
}

} // namespace docent::detail
