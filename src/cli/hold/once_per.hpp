// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client.hpp>
#include <docent/error.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/recipes/once_per_period.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

namespace docent::cli {

/// `--once-per`: whether the program that is to run under a lease is due, and that it has run.
class OncePer {
public:
    enum class WhenDone { silent, reported };

    /// `name`: how messages call the lock. `when_done`: whether a run that is done already is reported on standard error.
    OncePer(Client& client, const std::string& path, std::chrono::milliseconds period, std::string name, WhenDone when_done);

    /// False if a run is done already, or with an error. Throws std::runtime_error if the record is none.
    bool is_due(const Lease& lease, std::stop_token stop, error_code& ec);

    /// Of a program that was due and has succeeded. Says why it could not be recorded, and returns the exit code.
    int record(const Lease& lease);

private:
    Client& client_;
    OncePerPeriod period_;
    std::string name_;
    WhenDone when_done_;
    JobStart start_;
};

/// Why a run that has succeeded is not recorded.
enum class NotRecorded { max_hold_over, lock_lost, failed };

/// `ec` is what the attempt has ended with, `state` that of the lease after it: who has waited for a server until the lease was
/// lost has lost it, whatever the attempt was told.
NotRecorded why_not_recorded(const error_code& ec, LeaseState state);

/// How long ago something was, as exactly as anybody wants to know: `2h`, `15m`, `3s`.
std::string to_age(std::chrono::milliseconds age);

} // namespace docent::cli
