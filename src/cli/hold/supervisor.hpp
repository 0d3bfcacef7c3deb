// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/guard.hpp"
#include "cli/hold/loss.hpp"
#include "cli/signals.hpp"
#include "cli/hold/supervision.hpp"
#include "posix/event_fd.hpp"

#include <docent/recipes/lease.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent::cli {

/// The time until which all leases are certainly held, if no server answers any more.
BootClock::time_point certainly_held_until(const std::vector<std::shared_ptr<const Lease>>& leases);

bool any_is(LeaseState state, const std::vector<std::shared_ptr<const Lease>>& leases);

/// Reports events of the program, its leases and docent to Supervision, and carries out the actions. Extends the guard's bound.
class Supervisor {
public:
    struct Watched {
        Guard& guard; // has started the program
        const std::vector<std::shared_ptr<const Lease>>& leases;
        const posix::EventFd& revoked; // raised when another client asks for one of the leases
        const LossListener& losses;    // hears of the client's leases
        std::string name;              // of the lock, for messages
        std::string thing;             // in "the lock was lost", for messages
    };
    struct Times {
        std::chrono::milliseconds grace;
        std::chrono::milliseconds extend_every; // how often to extend the guard's bound
    };

    Supervisor(Watched watched, Signals& signals, Times times);

    /// Runs until the program has ended. After a loss or a request for a lease, also waits for the program's descendants.
    /// Returns the exit code.
    int run();

    const Supervision& supervision() const { return supervision_; }

private:
    void wait();
    void look();
    void look_at_leases();
    void extend();
    void stop_program(const Supervision::Action& action, const std::string& reason);
    void say_why_stopped(const std::string& reason) const;
    void carry_out(const Supervision::Action& action);

    Watched watched_;
    Signals& signals_;
    const Times times_;
    Supervision supervision_;
    posix::EventFd lost_;
    std::chrono::steady_clock::time_point extend_at_{};
    std::optional<int> exit_code_;
};

} // namespace docent::cli
