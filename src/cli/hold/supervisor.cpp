// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/supervisor.hpp"

#include "cli/arguments/values.hpp"
#include "cli/hold/loss.hpp"
#include "cli/hold/owner.hpp"
#include "cli/messages.hpp"
#include "posix/event_fd.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <list>
#include <stop_token>
#include <string>
#include <utility>

#include <sys/wait.h>

namespace docent::cli {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

Supervision::Action Supervision::on_signal(ReceivedSignal signal) {
    if (asks_to_end(signal.number) || (is_stopping() && ends_a_wait(signal.number))) to_end_ = signal.number;
    if (signal.number == SIGTSTP) { // do not stop while the program must end in time
        return is_stopping() ? Action{Nothing{}} : Action{Pause{!signal.from_terminal}};
    }
    return signal.from_terminal ? Action{Nothing{}} : Action{PassOn{signal.number}};
}

Supervision::Action Supervision::on_lost(time_point now) {
    const auto kill_at = now + grace_after_loss_;
    if (is_stopping()) kill_at_ = std::min(kill_at_, kill_at);
    return stop(State::lost, kill_at);
}

Supervision::Action Supervision::on_expired(time_point now) {
    return state_ == State::running ? stop(State::expired, now + grace_) : Nothing{};
}

Supervision::Action Supervision::on_revoked(time_point now) {
    return state_ == State::running ? stop(State::stopping, now + grace_) : Nothing{};
}

/// The guard is gone, so the kernel kills the program. Its descendants get no grace either.
Supervision::Action Supervision::on_unguarded(time_point now) {
    unguarded_ = true;
    if (!is_stopping()) state_ = State::stopping;
    kill_at_ = now;
    kills_ = true;
    return KillAll{};
}

Supervision::Action Supervision::stop(State why, time_point kill_at) {
    if (std::exchange(state_, why) != State::running) return Nothing{}; // the program was asked to end before
    kill_at_ = kill_at;
    return StopAll{};
}

Supervision::Action Supervision::on_program_ended(int wait_status, time_point now) {
    exit_code_ = WIFSIGNALED(wait_status) ? exit_code::by_signal(WTERMSIG(wait_status)) : WEXITSTATUS(wait_status);
    if (is_stopping()) return Nothing{}; // its descendants may still run
    return end_with_lock_ ? stop(State::stopping, now + grace_) : Finish{*exit_code_};
}

Supervision::Action Supervision::on_time(time_point now) {
    if (!is_stopping() || now < kill_at_) return Nothing{};
    return std::exchange(kills_, true) ? Action{Nothing{}} : Action{KillAll{}};
}

/// A search that is held up must not keep the lock for ever. It could only find a process that another program has started with
/// the mark: all descendants of the program have ended.
Supervision::Action Supervision::on_look(Left left, time_point now) {
    if (left != Left::unknown) unknown_since_.reset();
    else if (!unknown_since_) unknown_since_ = now;
    const bool leaves_search = unknown_since_ && now - *unknown_since_ >= longest_search_;
    if (left != Left::nothing && !leaves_search) return now >= kill_at_ ? Action{KillAll{}} : Action{Nothing{}};
    if (is_lost()) return Finish{exit_code::lock_lost, leaves_search};
    if (is_expired()) return Finish{exit_code::held_too_long, leaves_search};
    if (!exit_code_) return Nothing{}; // the program's end may not be reported yet
    return Finish{*exit_code_, leaves_search};
}

/// Reads the clock first: if docent is stopped just then, the bound is too early, and not too late.
BootClock::time_point certainly_held_until(const std::vector<std::shared_ptr<const Lease>>& leases) {
    const auto now = BootClock::now();
    auto remaining = BootClock::duration::max();
    for (const auto& lease : leases) remaining = std::min<BootClock::duration>(remaining, lease->remaining());
    return now + remaining;
}

namespace {

/// Reports events of the program, its leases and docent to Supervision, and carries out the actions.
class Supervisor {
public:
    Supervisor(const Hold& hold, const HeldLeases& held, Signals& signals, Guard& guard, SupervisionTimes times)
        : hold_(hold), held_(held), signals_(signals), guard_(guard), times_(times),
          supervision_(times.grace, times.longest_search, times.grace_after_loss, hold.words.end_with_lock) {}

    HoldOutcome run() {
        std::list<std::stop_callback<std::function<void()>>> on_lost;
        for (const auto& lease : held_.leases) on_lost.emplace_back(lease->stop_token(), [this] { lost_.raise(); });
        while (!exit_code_) {
            extend();
            wait();
            look();
            report_loss();
        }
        return {.exit_code = *exit_code_,
                .lost = supervision_.is_lost(),
                .expired = supervision_.is_expired(),
                .to_end = supervision_.to_end()};
    }

private:
    /// After a loss, the leases are certain for no time, so each order would move the guard's bound to the present time. Only
    /// the guard reports the end of the program, so it must run all the same.
    void extend() {
        const auto now = steady_clock::now();
        if (now < extend_at_) return;
        extend_at_ = now + times_.extend_every;
        supervision_.is_lost() ? guard_.wake() : guard_.extend(certainly_held_until(held_.leases));
    }

    /// While stopping, waits for a short time only: no event reports the end of the program's descendants.
    void wait() {
        if (supervision_.is_stopping()) posix::wait_readable({signals_.fd()}, 20ms);
        else posix::wait_readable({signals_.fd(), lost_.fd(), held_.asked_for->fd(), guard_.fd()}, times_.extend_every);
    }

    /// Looks for a loss first: a program that has just ended may have run without the lock.
    void look() {
        look_at_leases();
        look_at_bound();
        while (const auto signal = signals_.next()) carry_out(supervision_.on_signal(*signal));
        const auto status = guard_.poll_ended();
        if (guard_.lost() && !supervision_.is_unguarded()) {
            carry_out(supervision_.on_unguarded(steady_clock::now()));
            report_stop("the process that guards the command was killed");
        }
        if (status) carry_out(supervision_.on_program_ended(*status, steady_clock::now()));
        carry_out(supervision_.on_time(steady_clock::now()));
        if (supervision_.is_stopping()) carry_out(supervision_.on_look(guard_.look(), steady_clock::now()));
    }

    void look_at_leases() {
        const auto now = steady_clock::now();
        const std::string thing(hold_.words.thing);
        if (held_.any_is(LeaseState::lost) && !supervision_.is_lost()) {
            carry_out(supervision_.on_lost(now));
            report_loss_by_ = now + LossListener::longest_wait;
        } else if (held_.any_is(LeaseState::expired) && !supervision_.is_stopping()) {
            carry_out(supervision_.on_expired(now));
            report_stop("--max-hold is over");
        } else if (held_.asked_for->raised() && !supervision_.is_stopping()) {
            carry_out(supervision_.on_revoked(now));
            if (!hold_.words.asked_for.empty()) report_stop(std::string(hold_.words.asked_for));
        }
    }

    /// Reports a loss when its reason is known. The program is asked to end before, and it may end while docent waits.
    void report_loss() {
        if (!report_loss_by_) return;
        const auto left = std::max(std::chrono::ceil<milliseconds>(*report_loss_by_ - steady_clock::now()), 0ms);
        const LossReason reason = hold_.losses.reason(exit_code_ ? left : 0ms);
        if (reason == LossReason::unknown && !exit_code_ && left > 0ms) return;
        report_loss_by_.reset();
        report_stop("the " + std::string(hold_.words.thing) + " was lost" + words_of(reason).for_messages);
    }

    /// Handles a passed bound as a loss. A late answer of a server may have extended the leases again, but the guard has
    /// already asked the program to end.
    void look_at_bound() {
        guard_.poll_ended();
        if (!guard_.bound_passed() || supervision_.is_stopping()) return;
        carry_out(supervision_.on_lost(steady_clock::now()));
        report_stop("the " + std::string(hold_.words.thing) + " was lost: docent stood still for too long");
    }

    void leave_search() {
        const pid_t searched = guard_.leave_search();
        const std::string search = "the search for other processes of the command";
        hold_.report((searched != 0 ? "process " + std::to_string(searched) + " seems to hold up " + search + " (locked memory)"
                                    : search + " has not ended") +
                     "; not waiting after " + to_text(times_.longest_search));
    }

    void report_stop(const std::string& reason) const { hold_.report(reason + "; stopping the command"); }

    void carry_out(const Supervision::Action& action) {
        if (const auto* pass_on = std::get_if<Supervision::PassOn>(&action)) guard_.send(pass_on->signal);
        if (std::holds_alternative<Supervision::StopAll>(action)) {
            guard_.ask_to_end(BootClock::now() + (supervision_.is_lost() ? times_.grace_after_loss : times_.grace));
        }
        if (std::holds_alternative<Supervision::KillAll>(action)) guard_.kill_all();
        if (const auto* pause = std::get_if<Supervision::Pause>(&action)) {
            if (pause->program_too) guard_.send(SIGTSTP);
            Signals::stop();
        }
        if (const auto* finish = std::get_if<Supervision::Finish>(&action)) {
            if (finish->leaves_search) leave_search();
            exit_code_ = finish->exit_code;
        }
    }

    const Hold& hold_;
    const HeldLeases& held_;
    Signals& signals_;
    Guard& guard_;
    const SupervisionTimes times_;
    Supervision supervision_;
    posix::EventFd lost_;
    steady_clock::time_point extend_at_{};
    std::optional<steady_clock::time_point> report_loss_by_;
    std::optional<int> exit_code_;
};

/// The variables for the program. The first one is unique for each holder, and marks the program's processes.
std::vector<std::string> variables_of(const Hold& hold, const HeldLeases& held) {
    const HoldRequest& request = hold.request;
    const Lease& first = *held.leases.front();
    std::vector<std::string> variables{"DOCENT_LOCK_NODE=" + first.node_path(), "DOCENT_LOCK_PATH=" + request.path,
                                       "DOCENT_FENCING_TOKEN=" + std::to_string(first.fencing_token())};
    if (hold.words.has_owner) {
        const auto owner = own_owner({.permits = hold.words.permits, .revocable = request.revocable}); // as in the nodes
        variables.push_back(owner ? std::string(owner_variable) + "=" + *owner : owner_variable);
    }
    for (std::size_t i = 0; i < request.more_paths.size(); ++i) {
        const Lease& lease = *held.leases.at(i + 1);
        const std::string number = "_" + std::to_string(i + 2) + "=";
        variables.push_back("DOCENT_LOCK_NODE" + number + lease.node_path());
        variables.push_back("DOCENT_LOCK_PATH" + number + request.more_paths[i]);
        variables.push_back("DOCENT_FENCING_TOKEN" + number + std::to_string(lease.fencing_token()));
    }
    return variables;
}

} // namespace

HoldOutcome supervise(const Hold& hold, const HeldLeases& held, Signals& signals, Guard& guard, SupervisionTimes times) {
    return Supervisor(hold, held, signals, guard, times).run();
}

/// The default grace is 1/12 of the session timeout. A lease is certain for 7/12 of the timeout at most after the last answered
/// heartbeat. So CMD ends before the servers end the session: docs/guarantees.md. A search that is held up keeps the lock for
/// the session timeout, as a docent that has died does. It keeps the lock for at least 10 s, because a search can take some
/// seconds on a busy machine.
HoldOutcome run_program(const Hold& hold, const HeldLeases& held, const Client& client, Signals& signals, Guard& guard) {
    constexpr int default_graces_in_a_timeout = 12;
    constexpr auto longest_grace = std::chrono::years(1); // so that sums with it do not overflow
    constexpr auto usual_longest_search = 10s;
    const milliseconds timeout = client.negotiated_timeout();
    const milliseconds default_grace = timeout / default_graces_in_a_timeout;
    const milliseconds grace = std::min<milliseconds>(hold.request.grace.value_or(default_grace), longest_grace);
    const SupervisionTimes times{.grace = grace,
                                 .grace_after_loss = hold.words.end_with_lock ? std::min(grace, default_grace) : grace,
                                 .extend_every = std::max<milliseconds>(timeout / 20, 10ms),
                                 .longest_search = std::max<milliseconds>(timeout, usual_longest_search)};
    const auto variables = variables_of(hold, held);
    const int error = guard.start(certainly_held_until(held.leases), times.grace_after_loss, variables);
    if (error == too_late) {
        guard.kill_all(); // the child that becomes the program may have been stopped
        if (!held.any_is(LeaseState::expired)) {
            return {.exit_code = hold.report_loss("the command was started"), .lost = true};
        }
        hold.report("--max-hold was over before the command was started");
        return {.exit_code = exit_code::held_too_long, .expired = true};
    }
    if (error != 0) {
        if (error == EPIPE) posix::wait_readable({guard.fd()}, 1s); // the child is gone: its guard may be about to end, too
        guard.poll_ended();
        if (guard.lost()) {
            hold.report("the process that guards the command was killed before the command was started");
            return {.exit_code = exit_code::by_signal(SIGKILL)};
        }
        post_error("cannot run " + hold.request.program.front() + ": " + std::strerror(error));
        return {.exit_code = error == ENOENT ? exit_code::not_found : exit_code::not_executable, // as a shell does
                .exec_error = error};
    }
    const auto started = steady_clock::now();
    HoldOutcome outcome = supervise(hold, held, signals, guard, times);
    outcome.started = started;
    guard.stand_down();
    return outcome;
}

} // namespace docent::cli
