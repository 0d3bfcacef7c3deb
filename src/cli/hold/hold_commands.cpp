// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/hold/hold.hpp"
#include "cli/hold/owner.hpp"
#include "cli/messages.hpp"
#include "cli/signals.hpp"
#include "cli/view/shown.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inter_process_multi_lock.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>
#include <docent/recipes/leader_latch.hpp>
#include <docent/recipes/once_per_period.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::cli {
namespace {

HeldLeases under_leases(std::vector<Lease> leases, bool revocable) {
    HeldLeases result;
    for (Lease& lease : leases) {
        lease.keep_node_when_lost(); // the program may run until its grace is over
        if (revocable) lease.make_revocable([asked_for = result.asked_for] { asked_for->raise(); });
        result.leases.push_back(std::make_shared<Lease>(std::move(lease)));
    }
    return result;
}

HeldLeases under_leases(Lease lease, bool revocable) {
    std::vector<Lease> one;
    one.push_back(std::move(lease));
    return under_leases(std::move(one), revocable);
}

/// The same for several locks.
HeldLeases under_leases(MultiLease leases, bool revocable) {
    HeldLeases result;
    const auto shared = std::make_shared<MultiLease>(std::move(leases));
    shared->keep_nodes_when_lost();
    if (revocable) shared->make_revocable([asked_for = result.asked_for] { asked_for->raise(); });
    for (const Lease& lease : shared->leases()) result.leases.emplace_back(shared, &lease);
    return result;
}

/// Calls `lock.acquire(count...)` with the time limit of `wait`.
template <typename Lock, typename... Count>
std::optional<HeldLeases> acquire_within(const QueueTime& wait, std::stop_token stop, Lock& lock, bool revocable,
                                         error_code& ec, Count... count) {
    CallOptions call{.stop = std::move(stop)};
    if (std::holds_alternative<NoQueue>(wait)) {
        auto acquired = lock.try_acquire(count..., ec, std::move(call));
        if (!acquired && !ec) ec = error::not_acquired;
        return ec ? std::nullopt : std::optional(under_leases(std::move(*acquired), revocable));
    }
    if (const auto* limit = std::get_if<AtMostInQueue>(&wait)) call.timeout = limit->time;
    auto acquired = lock.acquire(count..., ec, std::move(call));
    return ec ? std::nullopt : std::optional(under_leases(std::move(acquired), revocable));
}

/// Records a run of `name` that was due and has succeeded. Reports a failure, and returns the exit code.
int record_run(OncePerPeriod& period, const JobStart& start, const std::string& name, Client& client, const Lease& lease) {
    error_code ec;
    period.complete(lease, start, ec, {.stop = lease.stop_token()}); // do not wait for a server after a loss
    if (!ec) return exit_code::success;
    const std::string failed = name + ": the command has succeeded, but that could not be recorded";
    if (const auto code = code_of_lease_end(ec, lease.state())) {
        post_error(failed + (*code == exit_code::lock_lost ? ": the lock was lost" : ": --max-hold is over"));
        return *code;
    }
    if (ec == error::not_connected) post_error(failed);
    return report_failure(ec, failed, client);
}

/// The leases of a program with --once-per, if a run is due. Throws std::runtime_error if the record cannot be understood.
std::optional<HeldLeases> if_due(const LockCommand& command, Client& client, HeldLeases held, std::stop_token stop,
                                 error_code& ec) {
    const std::string name = "lock " + command.hold.path;
    const auto period = std::make_shared<OncePerPeriod>(client, command.hold.path, *command.once_per);
    const JobStart start = period->begin(*held.leases.front(), ec, {.stop = std::move(stop)});
    if (ec == error::corrupt_data)
        throw std::runtime_error(name + ": " + period->record_path() + " is no record of a run; is it somebody else's?");
    if (!ec && start.due) {
        held.record_run = [=, &client](const Lease& lease) { return record_run(*period, start, name, client, lease); };
        return held;
    }
    if (!ec && command.hold.verbose) { // otherwise nothing: cron sends a mail for each message
        std::string done = name + ": done already, in the run that began " + to_age(start.now - start.last->began) + " ago";
        if (!start.last->who.empty()) done += ", by " + start.last->who;
        post_error(done);
    }
    client.close(); // releases the lock in one round trip
    return std::nullopt;
}

/// The options that were given, and what docent writes into the nodes.
LockOptions lock_options(const HoldRequest& request, const OwnerMarks& marks) {
    LockOptions options = request.lock_options;
    options.node_data = label_of(request);
    options.owner = own_owner(marks);
    return options;
}

LockMember member(const LockCommand& command, Client& client, const std::string& path, const LockOptions& options) {
    if (command.kind == LockKind::mutex) return InterProcessMutex(client, path, options);
    InterProcessReadWriteLock lock(client, path, options);
    return command.kind == LockKind::read ? lock.read_lock() : lock.write_lock();
}

} // namespace

int run(const LockCommand& command) {
    const HoldRequest& request = command.hold;
    const auto acquire = [&](Client& client, const QueueTime& wait, std::stop_token stop, error_code& ec) {
        const LockOptions options = lock_options(request, {.revocable = request.revocable});
        if (!request.more_paths.empty()) { // all locks, or none
            std::vector<LockMember> members{member(command, client, request.path, options)};
            for (const auto& path : request.more_paths) members.push_back(member(command, client, path, options));
            InterProcessMultiLock all(members);
            return acquire_within(wait, std::move(stop), all, request.revocable, ec);
        }
        if (command.kind == LockKind::mutex) {
            InterProcessMutex mutex(client, request.path, options);
            auto held = acquire_within(wait, stop, mutex, request.revocable, ec);
            return held && command.once_per ? if_due(command, client, std::move(*held), std::move(stop), ec) : held;
        }
        InterProcessReadWriteLock lock(client, request.path, options);
        InterProcessMutex& side = command.kind == LockKind::read ? lock.read_lock() : lock.write_lock();
        return acquire_within(wait, std::move(stop), side, request.revocable, ec);
    };
    return hold(request, acquire).exit_code;
}

namespace {

/// Reads some of the held permits in the background. Reports the first holder that was given another number of permits. Such a
/// semaphore has no common limit.
void report_other_limit(Client& client, const std::string& path, std::int32_t permits) {
    const std::string leases = join_path(path, "leases");
    // The client outlives its handlers.
    client.async_children(leases, [&client, leases, path, permits](error_code ec, Children listed) {
        if (ec) return; // the semaphore is new, or the next call reports the error
        const auto told = std::make_shared<std::atomic<bool>>(false);
        constexpr std::size_t most_reads = 16; // most users of a path agree, so a few nodes are enough
        listed.names.resize(std::min(listed.names.size(), most_reads));
        for (const std::string& name : listed.names) {
            client.async_get(join_path(leases, name), [told, path, permits](error_code failed, const NodeData& read) {
                if (failed) return;
                const std::string text = other_limit_text(path, permits, read.data);
                if (!text.empty() && !told->exchange(true)) post_error(text);
            });
        }
    });
}

} // namespace

int run(const SemaphoreCommand& command) {
    const HoldRequest& request = command.hold;
    const auto acquire = [&](Client& client, const QueueTime& wait, std::stop_token stop, error_code& ec) {
        report_other_limit(client, request.path, command.permits);
        InterProcessSemaphore semaphore(client, request.path, command.permits,
                                        lock_options(request, {.permits = command.permits, .revocable = request.revocable}));
        return acquire_within(wait, std::move(stop), semaphore, request.revocable, ec, command.count);
    };
    const std::string_view taken = command.count == 1 ? "no permit is free" : "not enough permits are free";
    return hold(request, acquire, {.kind = "semaphore", .taken = taken, .permits = command.permits}).exit_code;
}

namespace {

/// Waits for the lead, also through outages: the latch keeps trying.
Leadership await_lead(LeaderLatch& latch, std::stop_token stop, error_code& ec) {
    for (bool told = false;; told = true) {
        Leadership lead = latch.await_leadership(ec, {.stop = stop});
        if (stop.stop_requested() || !is_outage(ec)) return lead;
        if (!told) post_error("election " + latch.path() + ": no ZooKeeper answers; waiting for one");
    }
}

/// Takes the lead. With WhenLost::keep_node, the node of a lost lead stays until the client is closed, after the end of CMD.
/// Until then, the latch does not enter the election again.
std::optional<HeldLeases> under_lead(Client& client, const ElectCommand& command, std::stop_token stop, error_code& ec) {
    const auto latch = std::make_shared<LeaderLatch>(client, command.hold.path,
                                                     LatchOptions{.id = command.id.value_or(label_of(command.hold)),
                                                                  .when_lost = WhenLost::keep_node,
                                                                  .max_hold = command.hold.lock_options.max_hold});
    const Leadership lead = await_lead(*latch, std::move(stop), ec);
    if (ec) return std::nullopt;
    HeldLeases held;
    held.leases.emplace_back(lead.get(), [lead, latch](const Lease*) {}); // the latch lives as long as its lead
    return held;
}

} // namespace

/// Each lead has a new client and a new guard.
int run(const ElectCommand& command) {
    const SignalsBetween signals_between_leads;
    const auto acquire = [&](Client& client, const QueueTime&, std::stop_token stop, error_code& ec) {
        return under_lead(client, command, std::move(stop), ec);
    };
    HoldWords words{.kind = "election",
                    .thing = "lead",
                    .acquired = "leads",
                    .given_back = "leads no more",
                    .reports_waiting = command.hold.verbose, // waiting is normal in an election
                    .late_loss_matters = false,
                    .has_owner = false};
    for (;; words.waits_for_servers = true) {
        const HoldOutcome outcome = hold(command.hold, acquire, words);
        if ((!outcome.lost && !outcome.expired) || command.once) return outcome.exit_code;
        if (outcome.to_end) return exit_code::by_signal(*outcome.to_end);
    }
}

} // namespace docent::cli
