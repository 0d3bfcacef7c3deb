// SPDX-License-Identifier: Apache-2.0
#include "cli/supervision.hpp"

#include "cli/exit_code.hpp"

#include <sys/wait.h>

namespace docent::cli {

Supervision::Action Supervision::on_signal(ReceivedSignal signal) const {
    if (signal.number == SIGCHLD || signal.from_terminal) return Nothing{};
    return PassOn{signal.number};
}

Supervision::Action Supervision::on_lost(time_point now) {
    if (state_ != State::running) return Nothing{};
    state_ = State::stopping;
    kill_at_ = now + grace_;
    return StopAll{};
}

Supervision::Action Supervision::on_program_ended(int wait_status) {
    if (state_ == State::stopping) return Nothing{}; // something that it started may be left
    return Finish{WIFSIGNALED(wait_status) ? exit_code::by_signal(WTERMSIG(wait_status)) : WEXITSTATUS(wait_status)};
}

Supervision::Action Supervision::on_look(bool anything_left, time_point now) const {
    if (!anything_left) return Finish{exit_code::lock_lost};
    if (now >= kill_at_) return KillAll{};
    return Nothing{};
}

} // namespace docent::cli
