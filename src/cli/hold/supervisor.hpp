// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/guard.hpp"
#include "cli/hold/event_flag.hpp"
#include "cli/hold/loss/loss_reason.hpp"
#include "cli/hold/signals.hpp"
#include "cli/hold/supervision.hpp"

#include <docent/recipes/lease.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent::cli {

/// Until when all of them are certainly held, if nothing more is heard from a server.
BootClock::time_point certainly_held_until(const std::vector<std::shared_ptr<const Lease>>& leases);

bool any_is(LeaseState state, const std::vector<std::shared_ptr<const Lease>>& leases);

/// Tells Supervision what happens to a program, its leases and ourselves, and does what it says; tells the guard until when the
/// leases are held.
class Supervisor {
public:
    struct Watched {
        Guard& guard; // which has started the program
        const std::vector<std::shared_ptr<const Lease>>& leases;
        const EventFlag& revoked;   // raised when somebody asks for one of them
        const LossListener& losses; // of what has granted them
        std::string name;           // for messages
        std::string thing;          // the same, what may be lost
    };
    struct Times {
        std::chrono::milliseconds grace;
        std::chrono::milliseconds extend_every; // how often the guard is told
    };

    Supervisor(Watched watched, Signals& signals, Times times);

    /// Until the program has ended; if a lease was lost or asked for, all that it started too. The exit code.
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
    EventFlag lost_;
    std::chrono::steady_clock::time_point extend_at_{};
    std::optional<int> exit_code_;
};

} // namespace docent::cli
