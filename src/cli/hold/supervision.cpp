// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/supervision.hpp"

#include "cli/messages.hpp"

#include <utility>

#include <sys/wait.h>

namespace docent::cli {

Supervision::Action Supervision::on_signal(ReceivedSignal signal) {
    if (asks_to_end(signal.number) || (is_stopping() && ends_a_wait(signal.number))) to_end_ = signal.number;
    if (signal.number == SIGTSTP) { // do not stop while the program must end in time
        return is_stopping() ? Action{Nothing{}} : Action{Pause{!signal.from_terminal}};
    }
    return signal.from_terminal ? Action{Nothing{}} : Action{PassOn{signal.number}};
}

Supervision::Action Supervision::on_lost(time_point now) {
    return stop(State::lost, now);
}

Supervision::Action Supervision::on_expired(time_point now) {
    return state_ == State::running ? stop(State::expired, now) : Nothing{};
}

Supervision::Action Supervision::on_revoked(time_point now) {
    return state_ == State::running ? stop(State::stopping, now) : Nothing{};
}

/// The guard is gone, so the kernel kills the program. Its descendants get no grace either.
Supervision::Action Supervision::on_unguarded(time_point now) {
    unguarded_ = true;
    if (!is_stopping()) state_ = State::stopping;
    kill_at_ = now;
    kills_ = true;
    return KillAll{};
}

Supervision::Action Supervision::stop(State why, time_point now) {
    if (std::exchange(state_, why) != State::running) return Nothing{}; // the program was asked to end before
    kill_at_ = now + grace_;
    return StopAll{};
}

Supervision::Action Supervision::on_program_ended(int wait_status) {
    exit_code_ = WIFSIGNALED(wait_status) ? exit_code::by_signal(WTERMSIG(wait_status)) : WEXITSTATUS(wait_status);
    if (is_stopping()) return Nothing{}; // its descendants may still run
    return Finish{*exit_code_};
}

Supervision::Action Supervision::on_time(time_point now) {
    if (!is_stopping() || now < kill_at_) return Nothing{};
    return std::exchange(kills_, true) ? Action{Nothing{}} : Action{KillAll{}};
}

Supervision::Action Supervision::on_look(bool anything_left, time_point now) const {
    if (anything_left) return now >= kill_at_ ? Action{KillAll{}} : Action{Nothing{}};
    if (is_lost()) return Finish{exit_code::lock_lost};
    if (is_expired()) return Finish{exit_code::held_too_long};
    return exit_code_ ? Action{Finish{*exit_code_}} : Action{Nothing{}}; // the program's end may not be reported yet
}

} // namespace docent::cli
