// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"
#include "cli/hold/event_flag.hpp"

#include <docent/client.hpp>
#include <docent/error.hpp>
#include <docent/recipes/lease.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace docent::cli {

/// What a program runs under. The nodes of its leases stay until it is given back, also when they are lost.
struct Held {
    std::vector<std::shared_ptr<const Lease>> leases;
    /// Does not wait for ever. False if the program has ended without all of them, and that matters.
    std::function<bool()> give_back;
    /// If there is one: called while they are held and the program has succeeded; says why it fails, and returns the exit code.
    std::function<int()> record = nullptr;
    /// Raised when somebody asks for one of them, if that is to end the program.
    std::shared_ptr<EventFlag> asked_for = std::make_shared<EventFlag>();
};

/// Acquires what is to be held within `wait`, which is what is left of the request's time in the queue, blocking. Fails with
/// `error::not_acquired` when that has passed; gives nothing when it fails, or when the program is not to be run.
using Acquire = std::function<std::optional<Held>(Client& client, const QueueTime& wait, std::stop_token stop, error_code& ec)>;

/// How messages call it.
struct HoldWords {
    std::string_view kind = "lock";
    std::string_view taken = "not free";
    std::string_view thing = "lock"; // that is lost
    std::string_view acquired = "acquired";
    std::string_view given_back = "given back";
    bool reports_waiting = true;              // when that lasts; for those for whom it is not usual
    bool has_owner = true;                    // the program is told of it
    std::optional<std::int32_t> permits = {}; // of a semaphore, for the owner
};

/// When no server answers at the beginning.
enum class WithoutServer { give_up, wait };

/// What has come of a program.
struct HoldOutcome {
    int exit_code = 0;
    bool lost = false;              // it was ended, or not started, as what it was to run under was lost
    bool expired = false;           // the same, as it had been held for as long as it may be
    std::optional<int> to_end = {}; // the signal that has told us to end while it ran
    std::optional<std::chrono::steady_clock::time_point> started = {}; // none if it could not be
};

/// Acquires, runs the request's program while that is held, and ends. To be called on the main thread, while there is no other
/// but the one that writes messages.
HoldOutcome hold(const HoldRequest& request, const Acquire& acquire, const HoldWords& words = {},
                 WithoutServer without_server = WithoutServer::give_up);

} // namespace docent::cli
