// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/once_per.hpp"

#include "cli/arguments/values.hpp"
#include "cli/connection.hpp"
#include "cli/messages.hpp"

#include <docent/recipes/lease.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace docent::cli {

using namespace std::chrono_literals;

OncePer::OncePer(Client& client, const std::string& path, std::chrono::milliseconds period, std::string name,
                 WhenDone when_done)
    : client_(client), period_(client, path, period), name_(std::move(name)), when_done_(when_done) {}

bool OncePer::is_due(const Lease& lease, std::stop_token stop, error_code& ec) {
    start_ = period_.begin(lease, ec, {.stop = std::move(stop)});
    if (ec == error::corrupt_data) {
        throw std::runtime_error(name_ + ": " + period_.record_path() + " is no record of a run; is it somebody else's?");
    }
    if (ec || start_.due) return !ec;
    if (when_done_ == WhenDone::silent) return false; // cron sends a mail for each message
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
    switch (why_not_recorded(ec, lease.state())) {
    case NotRecorded::max_hold_over: post_error(failed + ": --max-hold is over"); return exit_code::held_too_long;
    case NotRecorded::lock_lost: post_error(failed + ": the lock was lost"); return exit_code::lock_lost;
    case NotRecorded::failed: break;
    }
    if (ec == error::not_connected) post_error(failed);
    return report_failure(ec, failed, client_);
}

NotRecorded why_not_recorded(const error_code& ec, LeaseState state) {
    if (state == LeaseState::expired) return NotRecorded::max_hold_over;
    return ec == error::lease_lost || state == LeaseState::lost ? NotRecorded::lock_lost : NotRecorded::failed;
}

std::string to_age(std::chrono::milliseconds age) {
    age = std::max(age, 0ms); // the servers' clock may have been set back
    if (age < 1s) return to_text(age);
    if (age < 2min) return to_text(std::chrono::floor<std::chrono::seconds>(age));
    if (age < 2h) return to_text(std::chrono::floor<std::chrono::minutes>(age));
    return to_text(std::chrono::floor<std::chrono::hours>(age));
}

} // namespace docent::cli
