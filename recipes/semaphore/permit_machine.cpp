// SPDX-License-Identifier: Apache-2.0

#include "semaphore/permit_machine.hpp"
#include "base/protection.hpp"
#include "queue/contender.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {
namespace {

/// The error that decides for several creates: final errors come first, then lost replies, a missing parent, and errors after
/// which a server may be asked again. No error if all creates succeeded.
error_code gravest(const std::vector<PermitsCreated::Node>& nodes) {
    const auto rank = [](const error_code& ec) {
        if (!ec) return 4;
        if (ec == server_error::no_node) return 2;
        if (cut_off(ec)) return 1;
        return ec == condition::retryable ? 3 : 0;
    };
    const auto worst =
        std::min_element(nodes.begin(), nodes.end(), [&](const auto& a, const auto& b) { return rank(a.ec) < rank(b.ec); });
    return worst == nodes.end() ? error_code{} : worst->ec;
}

} // namespace

PermitMachine::PermitMachine(PermitRules rules, AcquireSources& sources, Gate gate)
    : rules_(rules), connected_step_(rules_.retry, sources), gate_(gate) {}

PermitActions PermitMachine::start(const SessionEvent& session, std::int32_t limit) {
    connected_step_.begin_in(session);
    limit_ = limit;
    if (session.state == SessionState::closed) return finish(error::closed);
    if (session.epoch != gate_.epoch) return begin_again();
    return go(connected_step_.proceed(Need::create));
}

// ---- replies

PermitActions PermitMachine::on_created(const PermitsCreated& created) {
    if (step_ != Step::creating) return {};
    bool in_our_session = true;
    for (std::size_t i = 0; i < permits_.size(); ++i) {
        const auto& node = created.nodes[i];
        permits_[i].node = {node.name, node.czxid};
        permits_[i].may_exist = !node.ec || node.ec == condition::outcome_unknown || node.ec == condition::session_ended;
        in_our_session = in_our_session && (node.ec || node.ephemeral_owner == connected_step_.session().session_id);
    }
    if (const error_code ec = gravest(created.nodes)) return create_again(ec);
    if (!in_our_session) return begin_again(); // a new session, and its event has not arrived yet
    for (const Permit& permit : permits_) {
        // Permits are counted and not ordered, but a name after the last sequence number cannot be used.
        const auto name = parse_node_name(lease_names(), permit.node.name);
        if (!name || !is_usable(name->number)) return finish(error::numbers_used_up);
    }
    connected_step_.succeeded();
    step_ = Step::listing;
    watched_ = false;
    return on_listed(created.list, created.children);
}

/// Not all nodes were made: removes them, and tries again.
PermitActions PermitMachine::create_again(error_code ec) {
    auto actions = drop_permits();
    if (ec == server_error::no_node) {
        return joined(std::move(actions), go(connected_step_.with_parents(Need::create, ec)));
    }
    return joined(std::move(actions), go(connected_step_.failed(Need::create, ec)));
}

PermitActions PermitMachine::on_listed(error_code ec, const std::vector<std::string>& children) {
    if (step_ != Step::listing) return {};
    if (!ec) return decide(children);
    if (ec == server_error::no_node) return decide({}); // the parent was removed, so no permit exists
    return go(connected_step_.failed(Need::list, ec));
}

PermitActions PermitMachine::on_gate_read(error_code ec, const Stat& stat) {
    if (step_ == Step::done || gate_watch_ != Watch::asked) return {};
    gate_watch_ = Watch::unset;
    const bool other_node = !ec && stat.czxid != gate_.czxid;
    if (ec == server_error::no_node || other_node) return finish(error::lock_node_deleted);
    if (ec && step_ != Step::parked) return {};
    if (ec) return go(connected_step_.failed(Need::list, ec, gate_asked_on_));
    gate_watch_ = Watch::set;
    return {};
}

PermitActions PermitMachine::on_paused() {
    return step_ == Step::pausing ? go(connected_step_.resume()) : Actions{};
}

PermitActions PermitMachine::on_no_session() {
    return connected_step_.connected() && step_ != Step::waiting ? Actions{} : finish(error::not_connected);
}

// ---- events

PermitActions PermitMachine::on_leases_event() {
    return step_ == Step::parked ? go(connected_step_.proceed(Need::list)) : Actions{};
}

PermitActions PermitMachine::on_gate_event(WatchEventType type) {
    if (step_ == Step::done || gate_watch_ == Watch::unset) return {};
    gate_watch_ = Watch::unset;
    // The end of the session also causes this event, before the session event. Only an answer shows whether the node is gone.
    return type == WatchEventType::deleted || type == WatchEventType::data_changed ? watch_gate() : Actions{};
}

PermitActions PermitMachine::on_limit(std::int32_t limit) {
    const bool raised = limit > std::exchange(limit_, limit);
    return raised && step_ == Step::parked ? go(connected_step_.proceed(Need::list)) : Actions{};
}

PermitActions PermitMachine::on_session(const SessionEvent& event) {
    if (step_ == Step::done) return {};
    connected_step_.on_session(event);
    switch (event.state) {
    case SessionState::closed: return finish(error::closed);
    case SessionState::connected:
        if (event.epoch != gate_.epoch) return begin_again();
        if (step_ == Step::waiting) return go(connected_step_.resume());
        // A watch on a list reports newer changes only. It reports nothing if the servers were restored from older data.
        return step_ == Step::parked ? go(connected_step_.proceed(Need::list)) : Actions{};
    case SessionState::lost:
        if (ends_waits(event.reason)) return finish(event.reason);
        if (event.reason != error::not_connected) return begin_again();
        break; // a presumed loss: the session may come back
    case SessionState::connecting:
    case SessionState::suspended: break;
    }
    return await_session();
}

// ---- steps

PermitActions PermitMachine::go(const ConnectedStep<Need>::Next& next) {
    using Steps = ConnectedStep<Need>;
    if (const auto* asked = std::get_if<Steps::Ask>(&next)) return ask(asked->need);
    if (const auto* failed = std::get_if<Fail>(&next)) return finish(failed->ec);
    if (const auto* pause = std::get_if<Pause>(&next)) {
        step_ = Step::pausing;
        return {*pause};
    }
    step_ = Step::waiting;
    return await_session();
}

PermitActions PermitMachine::await_session() const {
    return connected_step_.waits_for_ever(rules_.wait_mode) ? Actions{} : Actions{AwaitSession{}}; // the gate keeps the place
}

PermitActions PermitMachine::ask(Need need) {
    if (need != Need::create) {
        step_ = Step::listing;
        watched_ = true;
        return {ListPermits{need == Need::sync ? Freshness::synced : Freshness::as_seen}};
    }
    step_ = Step::creating;
    connected_step_.begin_tries();
    CreatePermits create{{}, connected_step_.makes_parents()};
    for (std::int32_t n = 0; n < rules_.count; ++n) {
        permits_.push_back({connected_step_.new_guid()});
        create.guids.push_back(permits_.back().guid);
    }
    return {std::move(create)};
}

PermitActions PermitMachine::decide(const std::vector<std::string>& children) {
    const std::set<std::string> present(children.begin(), children.end());
    for (const Permit& permit : permits_) {
        if (!present.contains(permit.node.name)) return finish(error::lock_node_deleted);
    }
    if (!connected_step_.connected()) return go(connected_step_.proceed(Need::list));
    out_ = static_cast<std::int32_t>(sorted_queue(lease_names(), children).size());
    for (const std::string& guid : dropped_) out_ -= static_cast<std::int32_t>(find_protected(children, guid).size());
    if (out_ <= limit_) return grant();
    if (rules_.wait_mode == WaitMode::tries_once) return finish(error::not_acquired);
    return watched_ ? park() : go(connected_step_.proceed(Need::list));
}

PermitActions PermitMachine::park() {
    step_ = Step::parked;
    connected_step_.parked();
    connected_step_.succeeded();
    return gate_watch_ == Watch::unset ? watch_gate() : Actions{};
}

PermitActions PermitMachine::watch_gate() {
    gate_watch_ = Watch::asked;
    gate_asked_on_ = connected_step_.connection();
    return {WatchGate{}};
}

PermitActions PermitMachine::grant() {
    if (const auto next = connected_step_.make_certain(gate_.epoch, Need::sync)) return go(*next);
    step_ = Step::done;
    GrantPermits granted{{}, {limit_, out_}};
    for (Permit& permit : permits_) granted.nodes.push_back(std::move(permit.node));
    return {std::move(granted)};
}

PermitActions PermitMachine::begin_again() {
    if (!connected_step_.may_change_session()) return finish(server_error::session_expired);
    auto actions = drop_permits();
    step_ = Step::done;
    actions.emplace_back(BeginAgain{});
    return actions;
}

PermitActions PermitMachine::drop_permits() {
    Actions actions;
    for (Permit& permit : std::exchange(permits_, {})) {
        if (!permit.may_exist) continue;
        dropped_.insert(permit.guid);
        if (permit.node.name.empty()) actions.emplace_back(RemoveProtected{permit.guid});
        else actions.emplace_back(Remove{permit.node.name});
    }
    return actions;
}

PermitActions PermitMachine::finish(error_code ec) {
    if (step_ == Step::done) return {};
    auto actions = drop_permits();
    step_ = Step::done;
    actions.emplace_back(Fail{ec});
    return actions;
}

} // namespace docent::detail
