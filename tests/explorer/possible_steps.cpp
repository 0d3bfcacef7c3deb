// SPDX-License-Identifier: Apache-2.0

// Finds the possible next steps of a small world. Leaves out steps that lead to the same states: see README.md.

#include "picture/peek.hpp"
#include "small_world.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace docent::explorer {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_pause = 10s; // longer timers are bounds of operations that should end without them

/// Returns true for steps that no other client sees, and that no client needs early.
bool is_own(const Step& step) {
    using Kind = Step::Kind;
    const auto kind = step.kind;
    return kind == Kind::proceed || kind == Kind::fire_timer || kind == Kind::pass_bound || kind == Kind::beat ||
           kind == Kind::wake || kind == Kind::lose || kind == Kind::break_link || kind == Kind::outage ||
           (kind == Kind::stall && step.which == 0) || kind == Kind::cancel;
}

} // namespace

// ---- what can happen

bool SmallWorld::is_over(std::size_t index) {
    return !client(index).frozen() && client(index).open_removals() == 0 && !any_contender_of(index, [](const Contender& one) {
        return one.state() != Contender::State::done || one.has_operation();
    });
}

bool SmallWorld::is_untouched(std::size_t index) {
    return client(index).linked() && !client(index).has_requests() && client(index).next_arrival().empty() &&
           !any_contender_of(index, [](const Contender& one) { return one.state() != Contender::State::fresh; });
}

/// Clients of a group are numbered in the order of their first served requests.
bool SmallWorld::may_be_served(std::size_t index) {
    if (!client(index).can_serve()) return false;
    if (entered_[index]) return true;
    for (std::size_t before = 0; before < index; ++before) {
        if (plan_.group[index] == plan_.group[before] && !entered_[before]) return false;
    }
    return true;
}

bool SmallWorld::is_redundant() {
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (is_over(index) || !client(index).can_serve() || may_be_served(index)) continue;
        for (std::size_t before = 0; before < index; ++before) {
            if (plan_.group[index] == plan_.group[before] && !entered_[before] && is_over(before)) return true;
        }
    }
    return false;
}

/// A client that hears a reply checks its bound first. So the end of the bound is not a separate step, unless the client has
/// other steps.
bool SmallWorld::passes_bound_as_it_hears(std::size_t index, const std::vector<Step>& own) {
    return reductions_.hearing && faults_left_ == 0 && client(index).hears_reply_next() && own.size() == 1;
}

void SmallWorld::add_own(std::size_t index, std::vector<Step>& steps) {
    auto& own = client(index);
    if (own.frozen()) {
        if (!reductions_.stalls || !ensemble().alive(own.session().session_id)) steps.push_back({Kind::wake, index});
        return;
    }
    bool is_fresh = false;
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].client() != index) continue;
        is_fresh = is_fresh || contenders_[n].state() == Contender::State::fresh;
        const bool is_holding = contenders_[n].state() == Contender::State::holding;
        if (is_holding && !has_proceeded_before(n) && !removes_first(index)) steps.push_back({Kind::proceed, n});
        if (contenders_[n].starts_again() || is_let_go(n)) steps.push_back({Kind::proceed, n});
    }
    if (is_fresh) steps.push_back({Kind::start, index});
    if (hears(index)) steps.push_back({Kind::deliver, index});
    if (parts_[index].doomed) add_breaks(index, Kind::lose, steps);
    if (const auto timer = own.next_timer(); timer && *timer < longest_pause) steps.push_back({Kind::fire_timer, index});
    if (own.can_pass_bound() && !passes_bound_as_it_hears(index, steps)) steps.push_back({Kind::pass_bound, index});
    const bool doubts = own.session().state == SessionState::lost; // other heartbeats change nothing
    const bool is_quiet = !own.has_requests() && own.arrivals() == 0;
    const bool looks = own.has_lost_event() || (own.misses_event() && !parts_[index].doomed);
    if (looks && own.hears() && is_quiet) steps.push_back({Kind::look, index});
    if (doubts && own.can_beat() && (is_quiet || !reductions_.beats)) steps.push_back({Kind::beat, index});
}

/// A kept lock is released when no other client wants it any more. Until then, it is recalled.
bool SmallWorld::is_let_go(std::size_t contender) {
    const auto is_done = [&](const Contender& other) {
        return other.client() == contenders_[contender].client() || other.state() == Contender::State::done ||
               (other.state() == Contender::State::idle && !other.starts_again());
    };
    return contenders_[contender].state() == Contender::State::idle && !contenders_[contender].starts_again() &&
           std::all_of(contenders_.begin(), contenders_.end(), is_done);
}

/// Returns true if a contender of the client keeps its node. A keeper can get a hold, and go on, without a request.
bool SmallWorld::keeps(std::size_t index) {
    return any_contender_of(index, [](const Contender& one) { return one.keeps(); });
}

/// Returns true if the contender could proceed already before the server gave the reply that its client hears next. Another
/// path has that earlier step, and leads to the same states.
bool SmallWorld::has_proceeded_before(std::size_t contender) {
    if (contenders_[contender].keeps()) return false;
    const auto& own = client(contenders_[contender].client());
    return could_proceed_[contender] && hears(contenders_[contender].client()) && own.hears_reply_next();
}

/// The server still has to do removals of this client, and the client ignores the answers. The next request follows these
/// removals, whether the client sends it before or after the answers.
bool SmallWorld::removes_first(std::size_t index) {
    return reductions_.removals && !may_move(index) && !keeps(index) && only_removes(client(index)) &&
           client(index).has_requests();
}

/// Called before a request of the client is served.
void SmallWorld::note_holders(std::size_t index) {
    const bool can_proceed =
        reductions_.releases && !client(index).frozen() && !parts_[index].doomed && !is_served_first(index);
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].client() == index)
            could_proceed_[n] = can_proceed && contenders_[n].state() == Contender::State::holding;
    }
}

bool SmallWorld::hears(std::size_t index) {
    return client(index).can_deliver() && !parts_[index].doomed;
}

/// Adds breaks of the connection. `kind`: `lose` for a doomed connection, otherwise `break_link`.
void SmallWorld::add_breaks(std::size_t index, Kind kind, std::vector<Step>& steps) {
    auto& own = client(index);
    if (own.linked()) {
        steps.push_back({kind, index, 0});
        if (own.awaits_replies() || own.has_requests()) steps.push_back({kind, index, 1});
    }
    const bool valid = own.session().state != SessionState::lost;
    if (parts_[index].silent || !valid) return;
    if (kind == Kind::lose) steps.push_back({kind, index, 2});
    else steps.push_back({Kind::outage, index});
}

/// A stall changes nothing for other clients. So it happens right before it ends. If the session ends meanwhile, the stall
/// happens right before that. Exception: a client that goes first stalls at once, and does its first step after the stall.
void SmallWorld::add_stalls(std::size_t index, std::vector<Step>& steps) {
    steps.push_back({Kind::stall, index, 0});
    if (reductions_.stalls && ensemble().alive(client(index).session().session_id)) steps.push_back({Kind::stall, index, 1});
}

void SmallWorld::add_own_faults(std::size_t index, std::vector<Step>& steps) {
    auto& own = client(index);
    if (faults_left_ == 0 || own.frozen()) return;
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].client() == index && contenders_[n].is_busy()) steps.push_back({Kind::cancel, n});
    }
    if (own.linked()) add_stalls(index, steps);
    if (parts_[index].doomed) return;
    if (hears(index) && own.next_is_event()) steps.push_back({Kind::lose_event, index});
    if (reductions_.hearing && hears(index)) steps.push_back({Kind::doom, index});
    else add_breaks(index, Kind::break_link, steps);
}

void SmallWorld::add_shared(std::size_t index, std::vector<Step>& steps) {
    if (may_be_served(index) && !is_served_in_vain(index)) steps.push_back({Kind::serve, index});
    if (!client(index).can_connect()) return;
    const bool is_unseen = connects_unseen(index);
    steps.push_back({.kind = Kind::connect, .who = index, .is_unseen = is_unseen});
    if (hears_of_end(index)) return;
    for (const auto learns : learned_before(index, is_unseen)) { // the follower may learn after an unseen connect, too
        steps.push_back({.kind = Kind::connect, .who = index, .which = 1, .learns = learns, .is_unseen = is_unseen});
    }
}

/// Returns true if no other client sees the client's next connect, and the client neither learns nor owns anything more by it.
/// The client has no watch to set again.
bool SmallWorld::connects_unseen(std::size_t index) {
    if (!reductions_.connects || !reductions_.orders || keeps(index)) return false;
    if (!ensemble().alive(client(index).session().session_id)) return true;
    return client(index).live_sinks() == 0 && !any_contender_of(index, [](const Contender& one) {
               return one.state() != Contender::State::waiting && one.state() != Contender::State::done;
           });
}

/// The server's remaining work for this connection changes nothing, and the client will not hear of it.
bool SmallWorld::is_served_in_vain(std::size_t index) {
    return reductions_.dooms && parts_[index].doomed && !client(index).has_effective_requests();
}

/// Returns true if the next connect, to any server, tells the client that its session has ended.
bool SmallWorld::hears_of_end(std::size_t index) {
    const auto& session = client(index).session();
    return client(index).can_connect() && session.session_id != 0 && !ensemble().alive(session.session_id) &&
           session.reason != server_error::session_expired;
}

void SmallWorld::add_expiry(std::size_t index, std::vector<Step>& steps) {
    if (parts_[index].silent && ensemble().alive(client(index).session().session_id)) steps.push_back({Kind::expire, index});
}

/// A node that stays unreadable must not make a client wait for ever. So this step is left out if no other step is possible.
void SmallWorld::add_shows(std::vector<Step>& steps) {
    if (steps.empty()) return;
    for (const auto& [path, node] : ensemble().truth().nodes()) {
        if (node.acl) steps.push_back({Kind::show_node, 0, 0, path});
    }
}

void SmallWorld::add_everybody(std::vector<Step>& steps) {
    const auto add_of_each = [&](auto add) {
        for (std::size_t index = 0; index < parts_.size(); ++index) {
            if (!is_over(index)) (this->*add)(index, steps);
        }
    };
    add_of_each(&SmallWorld::add_own);
    add_of_each(&SmallWorld::add_shared);
    add_of_each(&SmallWorld::add_expiry);
    if (follower_learns()) steps.push_back({Kind::learn});
    add_shows(steps);
    const bool all_done = std::all_of(contenders_.begin(), contenders_.end(),
                                      [](const Contender& one) { return one.state() == Contender::State::done; });
    if (faults_left_ == 0 || all_done) return;
    add_of_each(&SmallWorld::add_own_faults);
    add_administrator(steps);
}

void SmallWorld::add_administrator(std::vector<Step>& steps) {
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!is_over(index) && ensemble().alive(client(index).session().session_id))
            steps.push_back({Kind::end_session, index});
    }
    for (const auto& [path, node] : ensemble().truth().nodes()) {
        if (node.stat.ephemeral_owner != 0) steps.push_back({Kind::remove_node, 0, 0, path});
        if (plan_.hides && node.stat.ephemeral_owner != 0 && !node.acl) steps.push_back({Kind::hide_node, 0, 0, path});
        const bool used = node.mode == CreateMode::container && node.children_made > 0;
        if (used && node.stat.num_children == 0) steps.push_back({Kind::reap, 0, 0, path});
    }
}

/// The client has something to hear, and the servers' work for it does not depend on whether it has heard.
bool SmallWorld::goes_first(std::size_t index) {
    auto& own = client(index);
    if (is_over(index) || own.frozen()) return false;
    const bool others_may_see = reductions_.orders ? own.has_effective_requests() : own.has_requests();
    if (hears(index) && (faults_left_ == 0 || !others_may_see || reductions_.hearing)) return true;
    return is_untouched(index) || (reductions_.orders && hears_of_end(index));
}

/// Adds the steps of a client that goes first.
void SmallWorld::add_first(std::size_t index, std::vector<Step>& steps) {
    add_own(index, steps);
    if (hears_of_end(index)) add_shared(index, steps);
    add_own_faults(index, steps);
}

/// The server's next work for this client does not concern other clients, and later faults do not concern it. The client syncs
/// at the leader's server, or reads one of its nodes, which no other client removes, or a node that is gone for good.
/// Exception: a node that is unreadable and may be shown before. Meanwhile, only events of its nodes can arrive.
bool SmallWorld::is_served_first(std::size_t index) {
    auto& own = client(index);
    if (!reductions_.orders || faults_left_ > 0 || is_over(index) || parts_[index].silent || !may_be_served(index))
        return false;
    if (reductions_.dooms && parts_[index].doomed) return false;
    if (own.server() != 0u || own.arrivals() > 0 || !ensemble().alive(own.session().session_id)) return false;
    const auto watched = own.watched_paths();
    if (!std::all_of(watched.begin(), watched.end(), [&](const auto& path) { return own.is_own(path); })) return false;
    const auto& request = *own.request_to_serve();
    if (std::holds_alternative<zk::SyncRequest>(request)) return true;
    if (!std::holds_alternative<zk::GetRequest>(request)) return false;
    const auto& path = zk::path_of(request);
    const auto* const node = ensemble().truth().find(path);
    if (node && node->acl) return false;
    return own.is_own(path) || (path.find("/_c_") != std::string::npos && node == nullptr);
}

/// Returns the steps of a client in its turn. Empty: its steps have no effect without more faults.
std::vector<Step> SmallWorld::late_steps(std::size_t index) {
    std::vector<Step> steps;
    if (is_over(index)) return steps;
    if (reductions_.hearing && goes_first(index)) {
        add_first(index, steps);
        return steps;
    }
    add_own(index, steps);
    add_shared(index, steps);
    add_expiry(index, steps);
    if (steps.empty()) return steps;
    if (reductions_.orders && follower_learns()) steps.push_back({Kind::learn}); // not before a client needs it
    add_own_faults(index, steps);
    if (faults_left_ > 0 && parts_[index].joined && ensemble().alive(client(index).session().session_id))
        steps.push_back({Kind::end_session, index}); // it was not possible before the turn
    return steps;
}

/// At most one client is not done.
bool SmallWorld::is_alone() {
    std::size_t count = 0;
    for (std::size_t index = 0; index < parts_.size(); ++index) count += is_over(index) ? 0 : 1;
    return count <= 1;
}

/// A step that concerns one client alone, such as hearing a reply, changes nothing for the others. So one order with their
/// steps is enough. Hearing goes first, if it makes no difference to the servers' work for that client. Steps that no client
/// needs early happen as late as possible: a release, the end of a pause, a cancellation, a stall, or a break of a connection
/// with nothing to hear. After such a step, it is that client's turn until a server has done something for it.
std::vector<Step> SmallWorld::steps() {
    std::vector<Step> steps;
    if (is_redundant()) return steps;
    if (turn_) return late_steps(*turn_);
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (is_served_first(index)) return {{Kind::serve, index}};
    }
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!goes_first(index)) continue;
        add_first(index, steps);
        return steps;
    }
    add_everybody(steps);
    const auto may_be_late = [&](const Step& step) { return is_own(step) || step.is_unseen; };
    for (auto& step : steps) step.is_late = reductions_.orders && may_be_late(step) && !keeps(whose(step)) && !is_alone();
    return steps;
}

std::size_t SmallWorld::whose(const Step& step) const {
    const bool of_contender = step.kind == Kind::proceed || step.kind == Kind::cancel;
    return of_contender ? contenders_[step.who].client() : step.who;
}

void SmallWorld::note_turn(const Step& step) {
    const bool comes_to_something = step.kind == Kind::serve || (step.kind == Kind::connect && !step.is_unseen) ||
                                    step.kind == Kind::expire || (step.kind == Kind::stall && step.which == 1);
    if (step.is_late) turn_ = whose(step);
    else if (turn_ && comes_to_something && !(step.kind == Kind::serve && client(*turn_).frozen())) turn_.reset();
    if (turn_ && (is_alone() || late_steps(*turn_).empty())) turn_.reset();
    for (auto& part : parts_) part.joined = part.joined && turn_;
}

} // namespace docent::explorer
