// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/event_flag.hpp"
#include "cli/hold/program.hpp"
#include "cli/hold/signals.hpp"
#include "cli/hold/supervision.hpp"

#include <docent/recipes/lease.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace docent::cli {

/// Tells Supervision what happens to a program, its leases and ourselves, and does what it says.
class Supervisor {
public:
    /// `mark` is the environment entry by which everything that the program started is found.
    struct Watched {
        Program& program;
        const std::vector<Lease>& leases;
        const EventFlag& revoked; // raised when somebody asks for one of them
        std::string mark;
        std::string name; // for messages
    };

    Supervisor(Watched watched, Signals& signals, std::chrono::milliseconds grace);

    /// Until the program has ended; if a lease was lost or asked for, all that it started too. The exit code.
    int run();

private:
    void wait();
    void look();
    void stop_program(const Supervision::Action& action, const std::string& reason);
    void carry_out(const Supervision::Action& action);
    void send_all(int signal);
    bool anything_left();

    Watched watched_;
    Signals& signals_;
    Supervision supervision_;
    EventFlag lost_;
    std::optional<int> exit_code_;
};

} // namespace docent::cli
