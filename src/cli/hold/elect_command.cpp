// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/hold/hold.hpp"
#include "cli/hold/owner.hpp"
#include "cli/messages.hpp"

#include <docent/recipes/leader_latch.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace docent::cli {
namespace {

bool is_outage(const error_code& ec) {
    return ec == error::not_connected || ec == condition::retryable || ec == server_error::session_expired;
}

/// Waits for the lead, also through outages: the latch keeps trying.
Leadership await_lead(LeaderLatch& latch, std::stop_token stop, error_code& ec) {
    for (bool told = false;; told = true) {
        Leadership lead = latch.await_leadership(ec, {.stop = stop});
        if (stop.stop_requested() || !is_outage(ec)) return lead;
        if (!told) post_error("election " + latch.path() + ": no ZooKeeper answers; waiting for one");
    }
}

/// Takes the lead. The node stays until CMD has ended. After that, the latch would enter the election again.
std::optional<HeldLeases> under_lead(Client& client, const ElectCommand& command, std::stop_token stop, error_code& ec) {
    const auto latch = std::make_shared<LeaderLatch>(client, command.hold.path,
                                                     LatchOptions{.id = command.id.value_or(label_of(command.hold)),
                                                                  .when_lost = WhenLost::keep_node,
                                                                  .max_hold = command.hold.max_hold});
    Leadership leadership = await_lead(*latch, std::move(stop), ec);
    if (ec) return std::nullopt;
    HeldLeases held;
    held.leases.push_back(std::move(leadership));
    held.give_back = [&client, latch] {
        client.close(); // its session ends the lead
        return true;    // a loss after CMD has ended does not matter
    };
    return held;
}

} // namespace

/// Each lead has a new client and a new guard.
int run(const ElectCommand& command) {
    const auto acquire = [&](Client& client, const QueueTime&, std::stop_token stop, error_code& ec) {
        return under_lead(client, command, std::move(stop), ec);
    };
    for (auto without_server = WithoutServer::give_up;; without_server = WithoutServer::wait) {
        const HoldWords words{.kind = "election",
                              .thing = "lead",
                              .acquired = "leads",
                              .given_back = "leads no more",
                              .reports_waiting = command.hold.verbose, // waiting is normal in an election
                              .has_owner = false};
        const HoldOutcome outcome = hold(command.hold, acquire, words, without_server);
        if ((!outcome.lost && !outcome.expired) || command.once) return outcome.exit_code;
        if (outcome.to_end) return exit_code::by_signal(*outcome.to_end);
    }
}

} // namespace docent::cli
