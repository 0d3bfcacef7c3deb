// SPDX-License-Identifier: Apache-2.0

// Performs the steps of a small world.

#include "picture/peek.hpp"
#include "small_world.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace docent::explorer {
namespace {

using namespace std::chrono_literals;
using detail::FakeEnsemble;

std::string server_name(std::size_t server) {
    return server == 0 ? "the leader's server" : "the follower";
}

} // namespace

void SmallWorld::take(const Step& step) {
    if (step.is_fault()) {
        --faults_left_;
        undisturbed_ = false;
    }
    const auto asked_before = client(whose(step)).requests_sent();
    auto& of = client(whose(step));
    const auto heard = step.kind == Kind::deliver ? of.next_arrival() : std::string{};
    const auto answered = step.kind == Kind::deliver ? together_with(whose(step), of.next_answered()) : std::nullopt;
    chosen_.clear();
    of.take_told();
    act(step, of);
    settle();
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (client(contenders_[n].client()).arrivals() == 0) could_proceed_[n] = false;
    }
    note_turn(step);
    if (of.requests_sent() != asked_before) parts_[whose(step)].asked_before.push_back(asked_before);
    remember(whose(step), step, heard, answered);
    end_histories(whose(step), asked_before);
}

bool SmallWorld::may_choose(const Step& step) {
    return step.kind == Kind::connect || (step.kind == Kind::deliver && client(step.who).hears_end_next());
}

/// Returns the owner of a contender's requests. Nothing: all contenders of the client, because they share a kept node.
std::optional<std::size_t> SmallWorld::asker(std::size_t contender) const {
    return contenders_[contender].keeps() ? std::nullopt : std::optional(contender + 1);
}

std::optional<Together> SmallWorld::together_with(std::size_t index,
                                                  const std::optional<detail::FakeClient::Asked>& asked) const {
    if (!asked) return std::nullopt;
    const auto& before = parts_[index].asked_before;
    const auto step = std::lower_bound(before.begin(), before.end(), asked->number);
    return Together{static_cast<std::size_t>(step - before.begin()),
                    asked->path.empty() || is_queue(asked->path) ? asked->path : std::string(parent_path(asked->path)),
                    asked->owner};
}

/// Returns true if one of these requests is open.
bool SmallWorld::is_open(std::size_t contender, const Together& together) {
    const auto index = contenders_[contender].client();
    const auto asked = client(index).all_asked(asker(contender));
    return std::any_of(asked.begin(), asked.end(), [&](const auto& each) { return together_with(index, each) == together; });
}

/// Called after a step of this client. No other client has done anything.
void SmallWorld::end_histories(std::size_t index, std::uint64_t asked_before) {
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        if (contenders_[n].client() != index) continue;
        if (contenders_[n].is_deaf()) histories_[n].forget();
        else histories_[n].end_step({asked_before, contenders_[n].peek({}), client(index).oldest_request(asker(n))});
    }
}

/// Adds the step to the histories of the contenders that were told of it.
void SmallWorld::remember(std::size_t index, const Step& step, const std::string& heard,
                          const std::optional<Together>& answered) {
    const bool to_nobody = step.kind == Kind::serve || step.kind == Kind::learn || step.kind == Kind::expire ||
                           step.kind == Kind::end_session || step.kind == Kind::remove_node || step.kind == Kind::reap ||
                           step.kind == Kind::hide_node || step.kind == Kind::show_node;
    if (to_nobody) return;
    const bool to_some = reductions_.forgetting || step.kind == Kind::deliver || step.kind == Kind::fire_timer ||
                         step.kind == Kind::proceed || step.kind == Kind::cancel;
    const auto told = client(index).take_told();
    for (std::size_t n = 0; n < contenders_.size(); ++n) {
        const bool is_told = told.contains(n + 1) || told.contains(detail::FakeClient::for_all) || contenders_[n].keeps();
        if (contenders_[n].client() != index || (to_some && !is_told)) continue;
        TextBuilder text;
        text << heard << ' ' << chosen_ << ' ' << static_cast<int>(step.kind) << ' ' << step.which << '\n';
        histories_[n].hear(text.text(), answered);
    }
}

/// A new session begins with a transaction. So the follower knows all earlier changes before it serves the session.
void SmallWorld::note_first_request(std::size_t index) {
    const bool is_first = std::exchange(parts_[index].is_new, false);
    if (is_first && !zk::passes_leader(*client(index).request_to_serve())) complain("a new session begins with a read");
}

void SmallWorld::act(const Step& step, detail::FakeClient& of) {
    switch (step.kind) {
    case Kind::start:
        for (std::size_t n = 0; n < contenders_.size(); ++n) {
            if (contenders_[n].client() == step.who) as_contender(n, [&] { contenders_[n].start(); });
        }
        return;
    case Kind::proceed: return as_contender(step.who, [&] { contenders_[step.who].proceed(); });
    case Kind::serve:
        entered_[step.who] = true;
        note_first_request(step.who);
        note_holders(step.who);
        while (reductions_.dooms && parts_[step.who].doomed && !of.next_is_effective()) of.serve(); // no client sees this
        return of.serve();
    case Kind::deliver: return of.deliver();
    case Kind::fire_timer: {
        // Time passes for this client alone. If it is connected, its heartbeats go on.
        const bool lives = of.linked() && ensemble().alive(of.session().session_id) && !of.can_pass_bound();
        of.let_pass(*of.next_timer());
        if (lives) of.validity_clock()->extend(of.boot_now() + FakeEnsemble::session_timeout * 3 / 4);
        return of.fire_timer();
    }
    case Kind::pass_bound: return of.pass_bound();
    case Kind::beat: return of.beat();
    case Kind::connect:
        parts_[step.who].silent = false;
        if (of.session().session_id == 0 || !ensemble().alive(of.session().session_id)) parts_[step.who].is_new = true;
        parts_[step.who].joined = step.is_unseen;
        for (std::size_t n = 0; n < step.learns; ++n) ensemble().learn_one(1);
        return of.connect(step.which);
    case Kind::wake: parts_[step.who].silent = false; return of.wake();
    case Kind::learn: return learn();
    case Kind::expire: return ensemble().end_session(of.session().session_id);
    case Kind::doom: parts_[step.who].doomed = true; return;
    case Kind::lose:
        if (step.which == 2) return act({Kind::outage, step.who}, of);
        [[fallthrough]];
    case Kind::break_link: parts_[step.who].doomed = false; return of.break_link({.told_first = step.which == 0});
    case Kind::outage:
        parts_[step.who].doomed = false;
        if (of.linked()) of.break_link({});
        of.let_pass(FakeEnsemble::session_timeout);
        parts_[step.who].silent = true;
        if (of.can_pass_bound()) of.pass_bound();
        return;
    case Kind::stall: return stall(step, of);
    case Kind::cancel: return as_contender(step.who, [&] { contenders_[step.who].cancel(); });
    case Kind::end_session:
        for (const auto& [path, node] : ensemble().truth().nodes()) {
            const auto owner = node.stat.ephemeral_owner;
            if (owner != 0 && owner == of.session().session_id) note_taken(path);
        }
        return ensemble().end_session(of.session().session_id);
    case Kind::remove_node:
        note_taken(step.path);
        node_was_removed_ = true;
        return ensemble().delete_node(step.path);
    case Kind::look: return of.has_lost_event() ? of.look_again(detail::FakeClient::Looks::all) : of.look_at_missed();
    case Kind::lose_event: referee_.note_lost_events(); return of.lose_event();
    case Kind::hide_node:
        referee_.note_lost_events(); // servers tell no client of changes of the node
        node_was_hidden_ = true;
        return ensemble().hide_node(step.path);
    case Kind::show_node: return ensemble().set_acl(step.path, open_acl());
    case Kind::reap: return ensemble().delete_node(step.path);
    }
}

void SmallWorld::note_taken(const std::string& path) {
    referee_.note_taken(path);
    taken_from_[path] = ensemble().truth().find(path)->stat.ephemeral_owner;
}

void SmallWorld::stall(const Step& step, detail::FakeClient& of) {
    const bool ends_later = goes_first(step.who);
    of.let_pass(FakeEnsemble::session_timeout);
    if (reductions_.stalls && step.which == 0) return;
    of.freeze(1h);
    parts_[step.who].silent = true;
    if (reductions_.stalls && !ends_later) ensemble().end_session(of.session().session_id);
}

/// Does everything that follows by itself, before the next step.
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
    const auto hear_what_tells_nobody = [&] {
        for (std::size_t index = 0; index < parts_.size(); ++index) {
            while (client(index).has_unheard_news()) client(index).deliver();
        }
    };
    hear_what_tells_nobody();
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (is_at_follower(index) && asks_leader_only(index)) client(index).move_to_leader();
        if (reductions_.watches && plan_.limit > 0 && !may_move(index)) client(index).forget_unheeded_watches();
    }
    let_follower_catch_up();
    learn_what_is_no_news();
    hear_what_tells_nobody();
    note_numbers();
    observe();
}

std::string SmallWorld::text_of(const Step& step) {
    const auto of = [&] { return "client " + std::to_string(step.who + 1) + ": "; };
    auto& own = client(step.who < parts_.size() ? step.who : 0);
    switch (step.kind) {
    case Kind::start: return of() + "its contenders begin";
    case Kind::proceed: return name_of(step.who) + " downgrades, releases, starts again, or lets go";
    case Kind::serve: return of() + server_name(*own.server()) + " does: " + own.next_request();
    case Kind::deliver: return of() + "hears: " + own.next_arrival();
    case Kind::fire_timer: return of() + "its pause is over";
    case Kind::pass_bound: return of() + "takes its session for lost";
    case Kind::beat: return of() + "sends a heartbeat";
    case Kind::connect:
        if (!ensemble().alive(own.session().session_id) && own.session().session_id != 0)
            return of() + "connects (session gone?)";
        return of() + "connects to " + server_name(step.which) +
               (step.learns == 0 ? "" : ", which has learned of " + std::to_string(step.learns) + " more");
    case Kind::wake: return of() + "goes on after its stall";
    case Kind::learn: return "the follower learns what comes next";
    case Kind::expire: return of() + "its session expires";
    case Kind::doom: return of() + "FAULT: it hears nothing any more by this connection, which will break";
    case Kind::lose:
        if (step.which == 2) return of() + "has no connection until its bound passes";
        return of() + "its connection breaks" + (step.which == 0 ? "" : ", heard after the replies that are lost");
    case Kind::break_link:
        return of() + "FAULT: its connection breaks" + (step.which == 0 ? "" : ", heard after the replies that are lost");
    case Kind::outage: return of() + "FAULT: without a connection until its bound passes";
    case Kind::stall:
        return of() + "FAULT: the process stands still for longer than its bound" +
               (step.which == 0 ? "" : ", and until its session has ended");
    case Kind::cancel: return name_of(step.who) + " FAULT: is cancelled";
    case Kind::end_session: return of() + "FAULT: an administrator ends its session";
    case Kind::remove_node: return "FAULT: an administrator removes " + step.path;
    case Kind::look: return of() + "looks again at what it waits for";
    case Kind::lose_event: return of() + "FAULT: an event gets lost: " + own.next_arrival();
    case Kind::hide_node: return "FAULT: an administrator hides " + step.path + " from all";
    case Kind::show_node: return "the administrator shows " + step.path + " again";
    case Kind::reap: return "FAULT: the empty container " + step.path + " is reaped";
    }
    return {};
}

} // namespace docent::explorer
