// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/guard.hpp"
#include "cli/hold/hold.hpp"
#include "cli/signals.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace docent::cli {

/// Decides what to do with the program that runs under a lock. Pure.
class Supervision {
public:
    using time_point = std::chrono::steady_clock::time_point;

    struct Nothing {
        bool operator==(const Nothing&) const = default;
    };
    struct PassOn { // send the signal to the program only
        int signal;
        bool operator==(const PassOn&) const = default;
    };
    struct StopAll { // send the end signal (by default SIGTERM) and SIGCONT to the program and its descendants
        bool operator==(const StopAll&) const = default;
    };
    struct KillAll { // send SIGKILL to the program and its descendants
        bool operator==(const KillAll&) const = default;
    };
    struct Finish { // release the lock and exit
        int exit_code;
        bool leaves_search = false; // do not wait for the search for processes any longer
        bool operator==(const Finish&) const = default;
    };
    struct Pause { // stop docent until SIGCONT; stop the program first, unless the terminal has signalled it too
        bool program_too;
        bool operator==(const Pause&) const = default;
    };
    using Action = std::variant<Nothing, PassOn, StopAll, KillAll, Finish, Pause>;

    /// With `end_with_lock`, no process of the program outlives the lock: see HoldWords::end_with_lock.
    Supervision(std::chrono::milliseconds grace, std::chrono::milliseconds longest_search,
                std::optional<std::chrono::milliseconds> grace_after_loss = {}, bool end_with_lock = false)
        : grace_(grace), grace_after_loss_(grace_after_loss.value_or(grace)), longest_search_(longest_search),
          end_with_lock_(end_with_lock) {}

    Action on_signal(ReceivedSignal signal);

    Action on_lost(time_point now);

    /// --max-hold is over.
    Action on_expired(time_point now);

    /// Another client asks for the lock, and the program must end.
    Action on_revoked(time_point now);

    /// The guard has ended.
    Action on_unguarded(time_point now);

    /// `wait_status`: the status from waitpid().
    Action on_program_ended(int wait_status, time_point now);

    /// Call it before each on_look(): the first kill must not wait for the look, which takes a moment.
    Action on_time(time_point now);

    /// While stopping, from time to time.
    Action on_look(Left left, time_point now);

    bool is_stopping() const { return state_ != State::running; }
    bool is_lost() const { return state_ == State::lost; }
    bool is_expired() const { return state_ == State::expired; }
    bool is_unguarded() const { return unguarded_; }
    /// The signal that asked docent to end, whether the program ends or not. SIGHUP, SIGALRM and SIGABRT count only while
    /// docent ends the program: before that, they may mean something else to the program.
    std::optional<int> to_end() const { return to_end_; }

private:
    enum class State { running, stopping, lost, expired };

    Action stop(State why, time_point kill_at);

    State state_ = State::running;
    bool unguarded_ = false;
    bool kills_ = false;
    std::chrono::milliseconds grace_;
    std::chrono::milliseconds grace_after_loss_;
    std::chrono::milliseconds longest_search_;
    bool end_with_lock_;
    time_point kill_at_{};
    std::optional<time_point> unknown_since_; // since then, a search has not ended
    std::optional<int> exit_code_;            // of the program
    std::optional<int> to_end_;
};

/// The time until which all leases are certainly held, if no server answers any more.
BootClock::time_point certainly_held_until(const std::vector<std::shared_ptr<const Lease>>& leases);

struct SupervisionTimes {
    std::chrono::milliseconds grace;
    std::chrono::milliseconds grace_after_loss;
    std::chrono::milliseconds extend_every;   // how often to extend the guard's bound
    std::chrono::milliseconds longest_search; // how long to wait for a search when the program and its descendants are gone
};

/// Waits until the program has ended that `guard` has started. After a loss, --max-hold, or a request for a lease, ends the
/// program and its descendants, and waits for all of them. Extends the guard's bound. Never waits for other processes, which
/// can hold up the search for as long as they like.
HoldOutcome supervise(const Hold& hold, const HeldLeases& held, Signals& signals, Guard& guard, SupervisionTimes times);

/// Starts the request's program in the environment of its leases, and supervises it. Reports why it was not started or was
/// ended.
HoldOutcome run_program(const Hold& hold, const HeldLeases& held, const Client& client, Signals& signals, Guard& guard);

} // namespace docent::cli
