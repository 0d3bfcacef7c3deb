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

/// `--once-per`: decides whether a run is due, and records a run that has succeeded.
class OncePer {
public:
    enum class WhenDone { silent, reported };

    /// `name`: the lock's name in messages. `when_done`: whether to report on standard error that a run is done already.
    OncePer(Client& client, const std::string& path, std::chrono::milliseconds period, std::string name, WhenDone when_done);

    /// Returns false if a run is done already, or on an error. Throws std::runtime_error if the record cannot be understood.
    bool is_due(const Lease& lease, std::stop_token stop, error_code& ec);

    /// Records a run that was due and has succeeded. Reports a failure, and returns the exit code.
    int record(const Lease& lease);

private:
    Client& client_;
    OncePerPeriod period_;
    std::string name_;
    WhenDone when_done_;
    JobStart start_;
};

/// Why a successful run could not be recorded.
enum class NotRecorded { max_hold_over, lock_lost, failed };

/// `ec`: the error of the attempt. `state`: the lease's state after it. If the lease was lost while the attempt waited for a
/// server, the loss is the reason.
NotRecorded why_not_recorded(const error_code& ec, LeaseState state);

/// An age in rounded form: `2h`, `15m`, `3s`.
std::string to_age(std::chrono::milliseconds age);

} // namespace docent::cli
