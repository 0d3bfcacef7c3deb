// SPDX-License-Identifier: Apache-2.0

// What an AcquireMachine does; what it hears is in acquire_machine.cpp.

#include "queue/acquire_machine.hpp"

#include "base/protection.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {

AcquireActions AcquireMachine::proceed(Need need) {
    return connected() ? ask(need) : wait_for_connection(need);
}

AcquireActions AcquireMachine::ask(Need need) {
    asked_on_ = connections_;
    switch (need) {
    case Need::enter:
        if (!claim_) {
            claim_.emplace(sources_.guid(), session_);
            budget_.emplace(rules_.retry, sources_.now());
        }
        claim_->in_flight = true;
        step_ = Step::entering;
        return {Enter{claim_->guid, make_parents_}};
    case Need::find: step_ = Step::finding; return {FindOwn{claim_->guid}};
    case Need::list: step_ = Step::listing; return {List{}};
    }
    return {};
}

AcquireActions AcquireMachine::wait_for_connection(Need need) {
    step_ = Step::waiting;
    need_ = need;
    const bool keeps_place =
        session_.state != SessionState::lost && session_.state != SessionState::connecting && claim_ && claim_->may_exist();
    return connected() || keeps_place ? Actions{} : Actions{AwaitSession{}};
}

// The reply may come before the news that the connection broke, or after those of the next one.
AcquireActions AcquireMachine::interrupted(Need need, std::uint64_t asked_on) {
    return connected() && connections_ != asked_on ? ask(need) : wait_for_connection(need);
}

AcquireActions AcquireMachine::pause(Need need, error_code ec) {
    const auto now = sources_.now();
    if (!budget_) budget_.emplace(rules_.retry, now);
    const auto length = budget_->next(ec, now, sources_.random());
    if (!length) return finish(ec);
    step_ = Step::pausing;
    need_ = need;
    return {Pause{*length}};
}

AcquireActions AcquireMachine::decide(const std::vector<std::string>& children) {
    const std::string& self = claim_->name;
    if (std::find(children.begin(), children.end(), self) == children.end()) return own_node_gone();

    Actions actions;
    if (std::exchange(claim_->in_doubt, false)) { // the create may have been applied twice
        for (auto& name : find_protected(children, claim_->guid)) {
            if (name != self) actions.emplace_back(Remove{std::move(name)});
        }
    }
    if (!connected()) return joined(std::move(actions), wait_for_connection(Need::list));
    if (asked_on_ == connections_) disturbed_ = false;
    if (claim_->czxid == 0) {
        found_ = children;
        step_ = Step::verifying;
        return joined(std::move(actions), watch_own());
    }
    const auto admission = admit(sorted_queue(rules_.names, children), self, rules_.last_writer);
    if (std::holds_alternative<Admitted>(admission)) return joined(std::move(actions), grant());
    if (const auto* ahead = std::get_if<WaitFor>(&admission)) return joined(std::move(actions), wait_for(*ahead));
    const bool used_up = std::holds_alternative<NumbersUsedUp>(admission);
    return joined(std::move(actions),
                  finish(used_up ? make_error_code(error::numbers_used_up) : server_error::data_inconsistency));
}

AcquireActions AcquireMachine::wait_for(const WaitFor& ahead) {
    if (rules_.patience == Patience::tries_once) return finish(error::not_acquired);
    step_ = Step::watching;
    ahead_ = ahead;
    rechecked_ = false;
    auto actions = own_watch_ == Watch::unset ? watch_own() : Actions{};
    return joined(std::move(actions), watch_ahead());
}

AcquireActions AcquireMachine::watch_own() {
    own_watch_ = Watch::asked;
    own_asked_on_ = connections_;
    return {WatchOwn{claim_->name}};
}

AcquireActions AcquireMachine::watch_ahead() {
    ahead_watch_ = Watch::asked;
    ahead_is_ours_ = false;
    ahead_asked_on_ = connections_;
    return {WatchAhead{ahead_.name}};
}

// Without a further read only if our own node is known to exist still: its deletion would have been told before. Not so when
// the one ahead is of our own session: when that is ended, both go in one transaction, and are told of in any order.
AcquireActions AcquireMachine::on_ahead_gone() {
    const bool proof =
        ahead_.deletion == Deletion::admits && own_watch_ == Watch::set && !disturbed_ && !ahead_is_ours_ && connected();
    return proof ? grant() : proceed(Need::list);
}

// A process that stood still must not be given a lock by news from before: the session may have ended meanwhile.
AcquireActions AcquireMachine::grant() {
    if (!sources_.certain(claim_->epoch)) {
        return std::exchange(rechecked_, true) ? pause(Need::find, error::not_connected) : ask(Need::find);
    }
    step_ = Step::done;
    return {Grant{claim_->name, claim_->czxid, claim_->epoch, own_watch_ == Watch::set}};
}

AcquireActions AcquireMachine::start_over() {
    auto actions = drop_claim();
    return joined(std::move(actions), proceed(Need::enter));
}

AcquireActions AcquireMachine::drop_claim() {
    Actions actions;
    if (claim_ && claim_->named()) actions.emplace_back(Remove{claim_->name});
    else if (claim_ && claim_->may_exist()) actions.emplace_back(RemoveProtected{claim_->guid});
    claim_.reset();
    own_watch_ = ahead_watch_ = Watch::unset;
    disturbed_ = rechecked_ = make_parents_ = false;
    missing_parents_ = 0;
    budget_.reset();
    return actions;
}

AcquireActions AcquireMachine::own_node_gone() {
    claim_.reset();
    return finish(error::lock_node_deleted);
}

AcquireActions AcquireMachine::finish(error_code ec) {
    if (step_ == Step::done) return {};
    auto actions = drop_claim();
    step_ = Step::done;
    actions.emplace_back(Fail{ec});
    return actions;
}

} // namespace docent::detail
