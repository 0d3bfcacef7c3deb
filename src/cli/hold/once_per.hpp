// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <docent/client.hpp>
#include <docent/error.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/recipes/once_per_period.hpp>

#include <optional>
#include <stop_token>
#include <string>

namespace docent::cli {

/// `--once-per`: decides whether a run is due, and records a run that has succeeded.
class OncePer {
public:
    /// `command` has a period, and outlives this object.
    OncePer(Client& client, const LockCommand& command);

    /// Returns false if a run is done already, or on an error. Throws std::runtime_error if the record cannot be understood.
    bool is_due(const Lease& lease, std::stop_token stop, error_code& ec);

    /// Records a run that was due and has succeeded. Reports a failure, and returns the exit code.
    int record(const Lease& lease);

private:
    Client& client_;
    const LockCommand& command_;
    const std::string name_; // of the lock, for messages
    OncePerPeriod period_;
    JobStart start_;
};

/// The exit code if a successful run could not be recorded because the lease had ended; else nothing. `ec`: the error of the
/// attempt. `state`: the lease's state after it. If the lease was lost while the attempt waited for a server, the loss is the
/// reason.
std::optional<int> code_of_lease_end(const error_code& ec, LeaseState state);

} // namespace docent::cli
