// SPDX-License-Identifier: Apache-2.0

// The machine's events. Its steps are in acquire_steps.cpp.

#include "queue/acquire_machine.hpp"

#include "base/protection.hpp"

#include <utility>

namespace docent::detail {

AcquireMachine::AcquireMachine(AcquireRules rules, AcquireSources& sources)
    : rules_{std::move(rules.names), rules.wait_mode, rules.last_writer}, connected_step_(rules.retry, sources) {}

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
    if (ec == condition::retryable) return go(connected_step_.pause(Need::enter, ec));
    if (ec) return finish(ec);

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
    if (ec && ec != server_error::no_node) {
        if (cut_off(ec)) return go(connected_step_.interrupted(Need::find));
        if (ec == condition::retryable) return go(connected_step_.pause(Need::find, ec));
        return finish(ec);
    }
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

AcquireActions AcquireMachine::on_looked(const std::optional<KnownPart>& known) {
    return step_ == Step::looking ? decide_by(known) : Actions{};
}

AcquireActions AcquireMachine::on_list(error_code ec, const std::vector<std::string>& children) {
    if (!ec) return decide(children);
    if (ec == server_error::no_node) return own_node_gone(); // a parent without children: the waiter's node is gone
    if (cut_off(ec)) return go(connected_step_.interrupted(Need::list));
    if (ec == condition::retryable) return go(connected_step_.pause(Need::list, ec));
    return finish(ec);
}

AcquireActions AcquireMachine::on_own_read(error_code ec, const Stat& stat) {
    if (step_ == Step::done || !claim_ || own_watch_ != Watch::asked) return {};
    const bool waited_for = step_ == Step::verifying || step_ == Step::watching || step_ == Step::proving;
    own_watch_ = Watch::unset;
    if (ec == server_error::no_node) return own_node_gone();
    if (cut_off(ec)) return waited_for ? go(connected_step_.interrupted(Need::list, own_asked_on_)) : Actions{};
    if (ec == condition::retryable) return waited_for ? go(connected_step_.pause(Need::list, ec)) : Actions{};
    if (ec) return finish(ec);

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
    if (cut_off(ec)) return go(connected_step_.interrupted(Need::list, ahead_asked_on_));
    if (ec == condition::retryable) return go(connected_step_.pause(Need::list, ec));
    if (ec) return finish(ec);
    ahead_watch_ = Watch::set;
    ahead_is_ours_ = owner == claim_->session_id;
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
        if (event.reason == server_error::auth_failed) return finish(event.reason); // the next session would fail as well
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

AcquireActions AcquireMachine::on_end(error_code ec) {
    return finish(ec);
}

} // namespace docent::detail
