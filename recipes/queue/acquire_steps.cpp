// SPDX-License-Identifier: Apache-2.0

// The steps of an AcquireMachine. Its events are in acquire_machine.cpp.

#include "queue/acquire_machine.hpp"

#include "base/protection.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {

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
AcquireActions AcquireMachine::decide_by(const std::optional<KnownPart>& known) {
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
