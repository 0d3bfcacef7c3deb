// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/supervisor.hpp"

#include "cli/messages.hpp"
#include "posix/event_fd.hpp"

#include <algorithm>
#include <functional>
#include <list>
#include <stop_token>
#include <utility>
#include <variant>

namespace docent::cli {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Reads the clock first: if docent is stopped just then, the bound is too early, and not too late.
BootClock::time_point certainly_held_until(const std::vector<std::shared_ptr<const Lease>>& leases) {
    const auto now = BootClock::now();
    auto remaining = BootClock::duration::max();
    for (const auto& lease : leases) remaining = std::min<BootClock::duration>(remaining, lease->remaining());
    return now + remaining;
}

bool any_is(LeaseState state, const std::vector<std::shared_ptr<const Lease>>& leases) {
    return std::any_of(leases.begin(), leases.end(), [state](const auto& lease) { return lease->state() == state; });
}

Supervisor::Supervisor(Watched watched, Signals& signals, Times times)
    : watched_(std::move(watched)), signals_(signals), times_(times), supervision_(times.grace) {}

int Supervisor::run() {
    std::list<std::stop_callback<std::function<void()>>> on_lost;
    for (const auto& lease : watched_.leases) on_lost.emplace_back(lease->stop_token(), [this] { lost_.raise(); });
    while (!exit_code_) {
        extend();
        wait();
        look();
    }
    return *exit_code_;
}

void Supervisor::extend() {
    const auto now = steady_clock::now();
    if (now < extend_at_) return;
    extend_at_ = now + times_.extend_every;
    watched_.guard.extend(certainly_held_until(watched_.leases));
}

/// While stopping, waits for a short time only: no event reports the end of the program's descendants.
void Supervisor::wait() {
    if (supervision_.is_stopping()) {
        posix::wait_readable({signals_.fd()}, 20ms);
    } else {
        posix::wait_readable({signals_.fd(), lost_.fd(), watched_.revoked.fd(), watched_.guard.fd()}, times_.extend_every);
    }
}

/// Looks for a loss first: a program that has just ended may have run without the lock.
void Supervisor::look() {
    look_at_leases();
    while (const auto signal = signals_.next()) carry_out(supervision_.on_signal(*signal));
    const auto status = watched_.guard.poll_ended();
    if (watched_.guard.lost() && !supervision_.is_unguarded()) {
        stop_program(supervision_.on_unguarded(steady_clock::now()), "the process that guards the command was killed");
    }
    if (status) carry_out(supervision_.on_program_ended(*status));
    carry_out(supervision_.on_time(steady_clock::now()));
    if (supervision_.is_stopping()) carry_out(supervision_.on_look(watched_.guard.anything_left(), steady_clock::now()));
}

void Supervisor::look_at_leases() {
    const auto now = steady_clock::now();
    if (any_is(LeaseState::lost, watched_.leases) && !supervision_.is_lost()) {
        carry_out(supervision_.on_lost(now)); // first, because the reason may take a moment
        say_why_stopped("the " + watched_.thing + " was lost" + loss_text(watched_.losses.reason()));
    } else if (any_is(LeaseState::expired, watched_.leases) && !supervision_.is_stopping()) {
        stop_program(supervision_.on_expired(now), "--max-hold is over");
    } else if (watched_.revoked.raised() && !supervision_.is_stopping()) {
        stop_program(supervision_.on_revoked(now), "somebody asks for the " + watched_.thing);
    }
}

void Supervisor::stop_program(const Supervision::Action& action, const std::string& reason) {
    carry_out(action);
    say_why_stopped(reason);
}

void Supervisor::say_why_stopped(const std::string& reason) const {
    post_error(watched_.name + ": " + reason + "; stopping the command");
}

void Supervisor::carry_out(const Supervision::Action& action) {
    if (const auto* pass_on = std::get_if<Supervision::PassOn>(&action)) watched_.guard.send(pass_on->signal);
    if (std::holds_alternative<Supervision::StopAll>(action)) {
        watched_.guard.ask_to_end(BootClock::now() + times_.grace);
    }
    if (std::holds_alternative<Supervision::KillAll>(action)) watched_.guard.send_all(SIGKILL);
    if (const auto* pause = std::get_if<Supervision::Pause>(&action)) {
        if (pause->program_too) watched_.guard.send(SIGTSTP);
        Signals::stop();
    }
    if (const auto* finish = std::get_if<Supervision::Finish>(&action)) exit_code_ = finish->exit_code;
}

} // namespace docent::cli
