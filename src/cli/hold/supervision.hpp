// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/signals.hpp"

#include <chrono>
#include <optional>
#include <variant>

namespace docent::cli {

/// What to do about the program that runs while a lock is held. Does nothing itself, and reads no clock.
class Supervision {
public:
    using time_point = std::chrono::steady_clock::time_point;

    struct Nothing {
        bool operator==(const Nothing&) const = default;
    };
    struct PassOn { // to the program alone
        int signal;
        bool operator==(const PassOn&) const = default;
    };
    struct StopAll { // the program and what it started: SIGTERM, and SIGCONT in case it is stopped
        bool operator==(const StopAll&) const = default;
    };
    struct KillAll { // the same, SIGKILL
        bool operator==(const KillAll&) const = default;
    };
    struct Finish { // give the lock back and exit
        int exit_code;
        bool operator==(const Finish&) const = default;
    };
    struct Pause { // stop docent itself until SIGCONT; the program before that, unless it has got the signal, too
        bool program_too;
        bool operator==(const Pause&) const = default;
    };
    using Action = std::variant<Nothing, PassOn, StopAll, KillAll, Finish, Pause>;

    explicit Supervision(std::chrono::milliseconds grace) : grace_(grace) {}

    Action on_signal(ReceivedSignal signal);

    Action on_lost(time_point now);

    /// It was held for as long as it may be.
    Action on_expired(time_point now);

    /// Somebody asks for the lock, and the program is to end for that.
    Action on_revoked(time_point now);

    /// What guarded the program in case we stand still is gone.
    Action on_unguarded(time_point now);

    /// `wait_status` as waitpid() gives it.
    Action on_program_ended(int wait_status);

    /// Before each on_look(): the first kill does not wait for the look, which may take long.
    Action on_time(time_point now);

    /// While stopping, from time to time: whether the program or anything that it started is still there.
    Action on_look(bool anything_left, time_point now) const;

    bool is_stopping() const { return state_ != State::running; }
    bool is_lost() const { return state_ == State::lost; }
    bool is_expired() const { return state_ == State::expired; }
    bool is_unguarded() const { return unguarded_; }
    /// The signal that has told us to end, if the program does or not. To what runs, a hang-up may mean something else.
    std::optional<int> to_end() const { return to_end_; }

private:
    enum class State { running, stopping, lost, expired };

    Action stop(State why, time_point now);

    State state_ = State::running;
    bool unguarded_ = false;
    bool kills_ = false;
    std::chrono::milliseconds grace_;
    time_point kill_at_{};
    std::optional<int> exit_code_; // the program's
    std::optional<int> to_end_;
};

} // namespace docent::cli
