// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/supervisor.hpp"

#include "cli/hold/marked_processes.hpp"
#include "cli/messages.hpp"
#include "cli/hold/wait_readable.hpp"

#include <algorithm>
#include <functional>
#include <list>
#include <stop_token>
#include <utility>
#include <variant>

namespace docent::cli {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

Supervisor::Supervisor(Watched watched, Signals& signals, std::chrono::milliseconds grace)
    : watched_(std::move(watched)), signals_(signals), supervision_(grace) {}

int Supervisor::run() {
    std::list<std::stop_callback<std::function<void()>>> on_lost;
    for (const Lease& lease : watched_.leases) on_lost.emplace_back(lease.stop_token(), [this] { lost_.raise(); });
    while (!exit_code_) {
        wait();
        look();
    }
    return *exit_code_;
}

/// While stopping, the end of processes that are not our children matters too, and nothing tells of that.
void Supervisor::wait() {
    if (supervision_.is_stopping()) {
        wait_readable({signals_.fd()}, 20ms);
    } else {
        wait_readable({signals_.fd(), lost_.fd(), watched_.revoked.fd()});
    }
}

/// The loss first: a program that has just ended by itself may have run without the lock.
void Supervisor::look() {
    const auto now = steady_clock::now();
    const bool any_lost = std::any_of(watched_.leases.begin(), watched_.leases.end(),
                                      [](const Lease& lease) { return lease.state() == LeaseState::lost; });
    if (any_lost && !supervision_.is_lost()) {
        stop_program(supervision_.on_lost(now), "the lock was lost");
    } else if (watched_.revoked.raised() && !supervision_.is_stopping()) {
        stop_program(supervision_.on_revoked(now), "somebody asks for the lock");
    }
    while (const auto signal = signals_.next()) carry_out(supervision_.on_signal(*signal));
    if (const auto status = watched_.program.poll_ended()) carry_out(supervision_.on_program_ended(*status));
    if (supervision_.is_stopping()) carry_out(supervision_.on_look(anything_left(), steady_clock::now()));
}

void Supervisor::stop_program(const Supervision::Action& action, const std::string& reason) {
    carry_out(action);
    print_error(watched_.name + ": " + reason + "; stopping the command"); // afterwards: this can block
}

void Supervisor::carry_out(const Supervision::Action& action) {
    if (const auto* pass_on = std::get_if<Supervision::PassOn>(&action)) watched_.program.send(pass_on->signal);
    if (std::holds_alternative<Supervision::StopAll>(action)) {
        send_all(SIGTERM);
        send_all(SIGCONT);
    }
    if (std::holds_alternative<Supervision::KillAll>(action)) send_all(SIGKILL);
    if (const auto* finish = std::get_if<Supervision::Finish>(&action)) exit_code_ = finish->exit_code;
}

void Supervisor::send_all(int signal) {
    watched_.program.send(signal); // by its number too: it is unmarked until it executes, or if it has cleaned its environment
    for (const pid_t pid : find_processes_marked(watched_.mark)) {
        if (pid != watched_.program.pid()) ::kill(pid, signal);
    }
}

bool Supervisor::anything_left() {
    return !watched_.program.poll_ended() || !find_processes_marked(watched_.mark).empty();
}

} // namespace docent::cli
