// SPDX-License-Identifier: Apache-2.0

// What can happen in a small world, and how it happens.

#include "small_world.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace docent::explorer {
namespace {

using namespace std::chrono_literals;
using detail::FakeEnsemble;

constexpr auto longest_pause = 10s; // timers beyond that are bounds of something that is to end without them

std::string server_name(std::size_t server) {
    return server == 0 ? "the leader's server" : "the follower";
}

/// Nobody else sees anything of it, and nobody needs it to be early.
bool is_own(Step::Kind kind) {
    using Kind = Step::Kind;
    return kind == Kind::proceed || kind == Kind::fire_timer || kind == Kind::pass_bound || kind == Kind::beat ||
           kind == Kind::wake || kind == Kind::break_link || kind == Kind::outage || kind == Kind::stall ||
           kind == Kind::cancel;
}

} // namespace

// ---- what can happen

bool SmallWorld::is_over(std::size_t index) {
    return !client(index).frozen() && client(index).open_removals() == 0 &&
           std::all_of(contenders_.begin(), contenders_.end(), [&](const Contender& one) {
               return one.client() != index || (one.state() == Contender::State::done && !one.has_operation());
           });
}

bool SmallWorld::is_untouched(std::size_t index) {
    return client(index).linked() && !client(index).has_requests() && client(index).next_arrival().empty() &&
           std::all_of(contenders_.begin(), contenders_.end(),
                       [&](const Contender& one) { return one.client() != index || one.state() == Contender::State::fresh; });
}

/// Clients with the same part at the same server are numbered in the order in which their first requests are served.
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

/// Somebody may be at the follower one day.
bool SmallWorld::follower_may_matter() {
    if (follower_matters()) return true;
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (is_over(index)) continue;
        const bool stays = ensemble().alive(client(index).session().session_id) && !parts_[index].silent;
        if (faults_left_ > 0 || !stays) return true;
    }
    return false;
}

/// Somebody is at the follower, or may go there next. When nobody is, it learns nothing: who comes later can wait until it
/// does.
bool SmallWorld::follower_matters() {
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!is_over(index) && client(index).server() != 0u) return true;
    }
    return false;
}

void SmallWorld::add_own(std::size_t index, std::vector<Step>& steps) {
    auto& own = client(index);
    if (own.frozen()) return steps.push_back({Kind::wake, index});
    bool is_fresh = false;
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].client() != index) continue;
        is_fresh = is_fresh || contenders_[n].state() == Contender::State::fresh;
        if (contenders_[n].state() == Contender::State::holding) steps.push_back({Kind::proceed, n});
    }
    if (is_fresh) steps.push_back({Kind::start, index});
    if (own.can_deliver()) steps.push_back({Kind::deliver, index});
    if (const auto timer = own.next_timer(); timer && *timer < longest_pause) steps.push_back({Kind::fire_timer, index});
    if (own.can_pass_bound()) steps.push_back({Kind::pass_bound, index});
    const bool doubts = own.session().state == SessionState::lost; // other heartbeats change nothing
    if (doubts && own.can_beat()) steps.push_back({Kind::beat, index});
}

void SmallWorld::add_own_faults(std::size_t index, std::vector<Step>& steps) {
    auto& own = client(index);
    if (faults_left_ == 0 || own.frozen()) return;
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].client() == index && contenders_[n].is_busy()) steps.push_back({Kind::cancel, n});
    }
    if (own.linked()) {
        steps.push_back({Kind::break_link, index, 0});
        if (own.awaits_replies() || own.has_requests()) steps.push_back({Kind::break_link, index, 1});
        steps.push_back({Kind::stall, index});
    }
    const bool valid = own.session().state != SessionState::lost;
    if (!parts_[index].silent && valid) steps.push_back({Kind::outage, index});
}

void SmallWorld::add_shared(std::size_t index, std::vector<Step>& steps) {
    if (may_be_served(index)) steps.push_back({Kind::serve, index});
    if (!client(index).can_connect()) return;
    for (std::size_t server = 0; server < (hears_of_end(index) ? 1 : server_count_); ++server) {
        steps.push_back({Kind::connect, index, server});
    }
}

/// By the next connect, to whatever server.
bool SmallWorld::hears_of_end(std::size_t index) {
    const auto& session = client(index).session();
    return client(index).can_connect() && session.session_id != 0 && !ensemble().alive(session.session_id) &&
           session.reason != server_error::session_expired;
}

void SmallWorld::add_expiry(std::size_t index, std::vector<Step>& steps) {
    if (parts_[index].silent && ensemble().alive(client(index).session().session_id)) steps.push_back({Kind::expire, index});
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
    if (ensemble().lags(1) && follower_matters()) steps.push_back({Kind::learn});
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
    const auto& tree = ensemble().truth();
    for (const auto& path : tree.paths()) {
        const auto* const node = tree.find(path);
        if (node->stat.ephemeral_owner != 0) steps.push_back({Kind::remove_node, 0, 0, path});
        const bool used = node->mode == CreateMode::container && node->children_made > 0;
        if (used && node->stat.num_children == 0) steps.push_back({Kind::reap, 0, 0, path});
    }
}

/// It has something to hear, and nothing that a server could still do for it depends on whether it has heard.
bool SmallWorld::goes_first(std::size_t index) {
    auto& own = client(index);
    if (is_over(index)) return false;
    const bool others_may_see = all_orders_ ? own.has_requests() : own.has_effective_requests();
    if (own.can_deliver() && (faults_left_ == 0 || !others_may_see)) return true;
    return is_untouched(index) || (!all_orders_ && hears_of_end(index));
}

/// Of one whose turn it is; none if nothing can come of that without more faults.
std::vector<Step> SmallWorld::late_steps(std::size_t index) {
    std::vector<Step> steps;
    if (is_over(index)) return steps;
    add_own(index, steps);
    add_shared(index, steps);
    add_expiry(index, steps);
    if (!steps.empty()) add_own_faults(index, steps);
    return steps;
}

/// What a client does alone, such as hearing a reply, changes nothing for the others, so that all orders with what they do come
/// to the same. Hearing goes first, when it makes no difference to what the servers do for that client. What nobody needs to
/// do so early is done as late as possible instead: a release, a pause that is over, a cancellation, a stall or the end of a
/// connection of one who has nothing to hear. What comes next then is done by that client, until a server has done something
/// for it.
std::vector<Step> SmallWorld::steps() {
    std::vector<Step> steps;
    if (is_redundant()) return steps;
    if (turn_) return late_steps(*turn_);
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (!goes_first(index)) continue;
        add_own(index, steps);
        if (hears_of_end(index)) add_shared(index, steps);
        add_own_faults(index, steps);
        return steps;
    }
    add_everybody(steps);
    for (auto& step : steps) step.is_late = !all_orders_ && is_own(step.kind);
    return steps;
}

std::size_t SmallWorld::whose(const Step& step) const {
    const bool of_contender = step.kind == Kind::proceed || step.kind == Kind::cancel;
    return of_contender ? contenders_[step.who].client() : step.who;
}

void SmallWorld::note_turn(const Step& step) {
    const bool comes_to_something = step.kind == Kind::serve || step.kind == Kind::connect || step.kind == Kind::expire;
    if (step.is_late) turn_ = whose(step);
    else if (turn_ && comes_to_something && !(step.kind == Kind::serve && client(*turn_).frozen())) turn_.reset();
    if (turn_ && late_steps(*turn_).empty()) turn_.reset();
}

// ---- how it happens

void SmallWorld::take(const Step& step) {
    if (step.is_fault()) {
        --faults_left_;
        undisturbed_ = false;
    }
    auto& of = client(whose(step));
    const auto heard = step.kind == Kind::deliver ? of.next_arrival() : std::string{};
    chosen_.clear();
    of.take_told();
    act(step, of);
    settle();
    note_turn(step);
    remember(whose(step), step, heard);
    for (std::size_t n = 0; n < contenders_.size(); ++n) forget_history(n);
}

/// Those who were told of a step are what they were before, and that.
void SmallWorld::remember(std::size_t index, const Step& step, const std::string& heard) {
    const bool to_nobody = step.kind == Kind::serve || step.kind == Kind::learn || step.kind == Kind::expire ||
                           step.kind == Kind::end_session || step.kind == Kind::remove_node || step.kind == Kind::reap;
    if (to_nobody) return;
    const bool to_some =
        step.kind == Kind::deliver || step.kind == Kind::fire_timer || step.kind == Kind::proceed || step.kind == Kind::cancel;
    const auto told = client(index).take_told();
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].client() != index || (to_some && !told.contains(n + 1))) continue;
        histories_[n] +=
            heard + ' ' + chosen_ + ' ' + std::to_string(static_cast<int>(step.kind)) + ' ' + std::to_string(step.which) + '\n';
    }
}

void SmallWorld::act(const Step& step, detail::FakeClient& of) {
    switch (step.kind) {
    case Kind::start:
        for (std::size_t n = 0; n < contenders_.size(); ++n) {
            if (contenders_[n].client() == step.who) as_contender(n, [&] { contenders_[n].start(); });
        }
        return;
    case Kind::proceed: return as_contender(step.who, [&] { contenders_[step.who].proceed(); });
    case Kind::serve: entered_[step.who] = true; return of.serve();
    case Kind::deliver: return of.deliver();
    case Kind::fire_timer: {
        // Time passes for it alone, and with heartbeats, if it is connected.
        const bool lives = of.linked() && ensemble().alive(of.session().session_id) && !of.can_pass_bound();
        of.let_pass(*of.next_timer());
        if (lives) of.session_clock()->extend(of.boot_now() + FakeEnsemble::session_timeout * 3 / 4);
        return of.fire_timer();
    }
    case Kind::pass_bound: return of.pass_bound();
    case Kind::beat: return of.beat();
    case Kind::connect: parts_[step.who].silent = false; return of.connect(step.which);
    case Kind::wake: parts_[step.who].silent = false; return of.wake();
    case Kind::learn: return ensemble().learn_one(1);
    case Kind::expire: return ensemble().end_session(of.session().session_id);
    case Kind::break_link: return of.break_link({.told_first = step.which == 0});
    case Kind::outage:
        if (of.linked()) of.break_link({});
        of.let_pass(FakeEnsemble::session_timeout);
        parts_[step.who].silent = true;
        if (of.can_pass_bound()) of.pass_bound();
        return;
    case Kind::stall:
        of.let_pass(FakeEnsemble::session_timeout);
        of.freeze(1h);
        parts_[step.who].silent = true;
        return;
    case Kind::cancel: return as_contender(step.who, [&] { contenders_[step.who].cancel(); });
    case Kind::end_session:
        for (const auto& path : ensemble().truth().paths()) {
            const auto owner = ensemble().truth().find(path)->stat.ephemeral_owner;
            if (owner != 0 && owner == of.session().session_id) referee_.note_taken(path);
        }
        return ensemble().end_session(of.session().session_id);
    case Kind::remove_node:
        referee_.note_taken(step.path);
        node_was_removed_ = true;
        return ensemble().delete_node(step.path);
    case Kind::reap: return ensemble().delete_node(step.path);
    }
}

/// What follows by itself, before anything else can happen.
void SmallWorld::settle() {
    ensemble().learn_all(0);
    for (int round = 0; round < 2; ++round) {
        for (std::size_t index = 0; index < parts_.size(); ++index) {
            while (client(index).can_run_posted()) client(index).run_posted();
        }
        for (std::size_t n = 0; n < contenders_.size(); ++n) {
            const auto before = contenders_[n].state();
            client(contenders_[n].client()).ask_for(n + 1, [&] { contenders_[n].look(); });
            if (contenders_[n].state() != before) as_contender(n, [] {});
        }
    }
    observe();
}

std::string SmallWorld::text_of(const Step& step) {
    const auto of = [&] { return "client " + std::to_string(step.who + 1) + ": "; };
    auto& own = client(step.who < parts_.size() ? step.who : 0);
    switch (step.kind) {
    case Kind::start: return of() + "its contenders begin";
    case Kind::proceed: return name_of(step.who) + " downgrades, or releases";
    case Kind::serve: return of() + server_name(*own.server()) + " does: " + own.next_request();
    case Kind::deliver: return of() + "hears: " + own.next_arrival();
    case Kind::fire_timer: return of() + "its pause is over";
    case Kind::pass_bound: return of() + "takes its session for lost";
    case Kind::beat: return of() + "sends a heartbeat";
    case Kind::connect:
        if (!ensemble().alive(own.session().session_id) && own.session().session_id != 0)
            return of() + "connects (session gone?)";
        return of() + "connects to " + server_name(step.which);
    case Kind::wake: return of() + "goes on after its stall";
    case Kind::learn: return "the follower learns one change";
    case Kind::expire: return of() + "its session expires";
    case Kind::break_link:
        return of() + "FAULT: its connection breaks" + (step.which == 0 ? "" : ", heard after the replies that are lost");
    case Kind::outage: return of() + "FAULT: without a connection until its bound passes";
    case Kind::stall: return of() + "FAULT: the process stands still for longer than its bound";
    case Kind::cancel: return name_of(step.who) + " FAULT: is cancelled";
    case Kind::end_session: return of() + "FAULT: an administrator ends its session";
    case Kind::remove_node: return "FAULT: an administrator removes " + step.path;
    case Kind::reap: return "FAULT: the empty container " + step.path + " is reaped";
    }
    return {};
}

} // namespace docent::explorer
