// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"
#include "posix/event_fd.hpp"

#include <docent/client.hpp>
#include <docent/error.hpp>
#include <docent/recipes/lease.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

class LossListener;

/// The leases that a program runs under. Their nodes stay until the session ends, also after a loss.
struct HeldLeases {
    std::vector<std::shared_ptr<const Lease>> leases;
    /// Records a run of the program that has succeeded. Reports a failure, and returns the exit code. Empty without --once-per.
    std::function<int(const Lease&)> record_run = {};
    /// Raised when another client asks for one of the leases, if this ends the program.
    std::shared_ptr<posix::EventFd> asked_for = std::make_shared<posix::EventFd>();

    bool any_is(LeaseState state) const;
};

/// Acquires the leases, blocking, within `wait`, the rest of the request's time. Fails with `error::not_acquired` when the time
/// is over. Returns nothing on a failure, or if the program must not run.
using Acquire =
    std::function<std::optional<HeldLeases>(Client& client, const QueueTime& wait, std::stop_token stop, error_code& ec)>;

// The time of --wait counts from the beginning and includes connecting.

/// How long to wait for a connection: the time of --wait, but at least a second, because connecting to distant or busy servers
/// can take that long. Without --wait: `usual`.
milliseconds time_to_connect(const QueueTime& wait, milliseconds usual);

/// The time left for the queue after `passed`. Without time left, the lock is tried once.
QueueTime left_in_queue(const QueueTime& wait, milliseconds passed);

/// The exit code if a successful run could not be recorded because the lease had ended; else nothing. `ec`: the error of the
/// attempt. `state`: the lease's state after it. If the lease was lost while the attempt waited for a server, the loss is the
/// reason.
std::optional<int> code_of_lease_end(const error_code& ec, LeaseState state);

/// The words for messages, and what else differs between the commands that hold.
struct HoldWords {
    std::string_view kind = "lock";
    std::string_view taken = "not free";
    std::string_view thing = "lock"; // in "the lock was lost"
    std::string_view acquired = "acquired";
    std::string_view given_back = "given back";
    std::string_view asked_for = "another client asks for the lock"; // empty: not reported
    bool waits_for_servers = false;                                  // wait if no server answers at the beginning
    bool reports_waiting = true;                                     // report the holder during a long wait
    bool late_loss_matters = true;                                   // also a loss after CMD has ended
    bool has_owner = true;                                           // CMD gets DOCENT_OWNER
    /// No process of CMD outlives the lock: what CMD has started ends when CMD ends, and after a loss the grace is not longer
    /// than by default.
    bool end_with_lock = false;
    std::optional<std::int32_t> permits = {}; // of a semaphore, for the owner's marks
};

/// What all steps of a hold need.
struct Hold {
    const HoldRequest& request;
    const HoldWords& words;
    const LossListener& losses; // hears of the client's leases
    /// Raised when a wait for the lock must end; may be null.
    std::shared_ptr<const posix::EventFd> end = nullptr;

    /// `lock /a, /b`.
    std::string name() const;
    /// Prints a line on standard error, with the name in front. Does not wait.
    void report(const std::string& text) const;
    /// Reports that the lock was lost before `when`. Returns the exit code.
    int report_loss(std::string_view when) const;
};

/// The result of a run.
struct HoldOutcome {
    int exit_code = 0;
    bool lost = false;              // the lock was lost, at a time when that matters
    bool expired = false;           // docent ended the program, or did not start it, because --max-hold was over
    std::optional<int> to_end = {}; // the signal that asked docent to end while the program ran
    std::optional<std::chrono::steady_clock::time_point> started = {}; // nothing if the program was not started
    int exec_error = 0;                                                // errno, if the program could not be executed
};

/// Acquires, runs the request's program, and releases. Call it on the main thread, when the only other thread is the one that
/// writes messages. Ends, without an error, if `end` is raised before the program was started.
HoldOutcome hold(const HoldRequest& request, const Acquire& acquire, const HoldWords& words = {},
                 std::shared_ptr<const posix::EventFd> end = nullptr);

} // namespace docent::cli
