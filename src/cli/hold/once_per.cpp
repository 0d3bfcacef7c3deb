// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/once_per.hpp"

#include "cli/connection.hpp"
#include "cli/messages.hpp"
#include "cli/view/shown.hpp"

#include <stdexcept>
#include <utility>

namespace docent::cli {

OncePer::OncePer(Client& client, const LockCommand& command)
    : client_(client), command_(command), name_("lock " + command.hold.path),
      period_(client, command.hold.path, *command.once_per) {}

bool OncePer::is_due(const Lease& lease, std::stop_token stop, error_code& ec) {
    start_ = period_.begin(lease, ec, {.stop = std::move(stop)});
    if (ec == error::corrupt_data) {
        throw std::runtime_error(name_ + ": " + period_.record_path() + " is no record of a run; is it somebody else's?");
    }
    if (ec || start_.due) return !ec;
    if (!command_.hold.verbose) return false; // cron sends a mail for each message
    std::string done = name_ + ": done already, in the run that began " + to_age(start_.now - start_.last->began) + " ago";
    if (!start_.last->who.empty()) done += ", by " + start_.last->who;
    post_error(done);
    return false;
}

int OncePer::record(const Lease& lease) {
    error_code ec;
    period_.complete(lease, start_, ec, {.stop = lease.stop_token()}); // do not wait for a server after a loss
    if (!ec) return exit_code::success;
    const std::string failed = name_ + ": the command has succeeded, but that could not be recorded";
    if (const auto code = code_of_lease_end(ec, lease.state())) {
        post_error(failed + (*code == exit_code::lock_lost ? ": the lock was lost" : ": --max-hold is over"));
        return *code;
    }
    if (ec == error::not_connected) post_error(failed);
    return report_failure(ec, failed, client_);
}

std::optional<int> code_of_lease_end(const error_code& ec, LeaseState state) {
    if (state == LeaseState::expired) return exit_code::held_too_long;
    return ec == error::lease_lost || state == LeaseState::lost ? std::optional(exit_code::lock_lost) : std::nullopt;
}

} // namespace docent::cli
