// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/hold/hold.hpp"
#include "cli/hold/label.hpp"
#include "cli/hold/limit/other_limit.hpp"
#include "cli/hold/once_per.hpp"
#include "cli/hold/owner/owner_id.hpp"

#include <docent/recipes/inter_process_multi_lock.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace docent::cli {
namespace {

using Leases = std::vector<Lease>;

bool is_lost(const Lease& lease) {
    return lease.state() == LeaseState::lost;
}

/// Releases the leases with the session, which ends next anyway. This takes one round trip and not two.
std::function<bool()> end_of_session(Client& client, const HeldLeases& held) {
    return [&client, leases = held.leases] {
        const bool is_held = std::none_of(leases.begin(), leases.end(), [](const auto& lease) { return is_lost(*lease); });
        client.close();
        return is_held;
    };
}

HeldLeases under_leases(Client& client, Leases leases, bool revocable) {
    HeldLeases result;
    for (Lease& lease : leases) {
        lease.keep_node_when_lost(); // the program may run until its grace is over
        if (revocable) lease.make_revocable([asked_for = result.asked_for] { asked_for->raise(); });
        result.leases.push_back(std::make_shared<Lease>(std::move(lease)));
    }
    result.give_back = end_of_session(client, result);
    return result;
}

/// The same for several locks.
HeldLeases under_leases(Client& client, MultiLease leases, bool revocable) {
    HeldLeases result;
    const auto shared = std::make_shared<MultiLease>(std::move(leases));
    shared->keep_nodes_when_lost();
    if (revocable) shared->make_revocable([asked_for = result.asked_for] { asked_for->raise(); });
    for (const Lease& lease : shared->leases()) result.leases.emplace_back(shared, &lease);
    result.give_back = end_of_session(client, result);
    return result;
}

template <typename T>
std::optional<HeldLeases> all_of(Client& client, std::optional<T> acquired, const HoldRequest& request, error_code& ec) {
    if (!acquired && !ec) ec = error::not_acquired;
    if (!acquired || ec) return std::nullopt;
    if constexpr (std::is_same_v<T, Leases> || std::is_same_v<T, MultiLease>) {
        return under_leases(client, std::move(*acquired), request.revocable);
    } else {
        Leases one;
        one.push_back(std::move(*acquired));
        return under_leases(client, std::move(one), request.revocable);
    }
}

/// The arguments of one attempt.
struct Attempt {
    Client& client;
    const QueueTime& wait;
    std::stop_token stop;
};

/// Calls `lock.acquire(count...)` with the time limit of the request.
template <typename Lock, typename... Count>
std::optional<HeldLeases> acquire_within(const HoldRequest& request, Lock& lock, const Attempt& attempt, error_code& ec,
                                         Count... count) {
    CallOptions call{.stop = attempt.stop};
    if (std::holds_alternative<NoQueue>(attempt.wait)) {
        auto acquired = lock.try_acquire(count..., ec, std::move(call));
        return all_of(attempt.client, std::move(acquired), request, ec);
    }
    if (const auto* limit = std::get_if<AtMostInQueue>(&attempt.wait)) call.timeout = limit->time;
    auto acquired = lock.acquire(count..., ec, std::move(call));
    return all_of(attempt.client, std::optional(std::move(acquired)), request, ec);
}

/// The leases of a program with --once-per, if a run is due.
std::optional<HeldLeases> if_due(const LockCommand& command, Client& client, HeldLeases held, std::stop_token stop,
                                 error_code& ec) {
    const auto& lease = held.leases.front();
    const auto job = std::make_shared<OncePer>(client, command.hold.path, *command.once_per, "lock " + command.hold.path,
                                               command.hold.verbose ? OncePer::WhenDone::reported : OncePer::WhenDone::silent);
    if (!job->is_due(*lease, std::move(stop), ec)) {
        held.give_back();
        return std::nullopt;
    }
    held.record = [job, lease] { return job->record(*lease); };
    return held;
}

LockMember member(const LockCommand& command, Client& client, const std::string& path, const LockOptions& options) {
    if (command.kind == LockKind::mutex) return InterProcessMutex(client, path, options);
    InterProcessReadWriteLock lock(client, path, options);
    return command.kind == LockKind::read ? lock.read_lock() : lock.write_lock();
}

/// Acquires several locks, all or none.
std::optional<HeldLeases> several(const LockCommand& command, const LockOptions& options, const Attempt& attempt,
                                  error_code& ec) {
    std::vector<LockMember> members{member(command, attempt.client, command.hold.path, options)};
    for (const auto& path : command.hold.more_paths) members.push_back(member(command, attempt.client, path, options));
    InterProcessMultiLock all(members);
    return acquire_within(command.hold, all, attempt, ec);
}

} // namespace

int run(const LockCommand& command) {
    const auto acquire = [&](Client& client, const QueueTime& wait, std::stop_token stop, error_code& ec) {
        const LockOptions options{.node_data = label_of(command.hold),
                                  .others = command.kazoo ? kazoo_contenders() : OtherContenders{},
                                  .max_hold = command.hold.max_hold,
                                  .owner = own_owner({.revocable = command.hold.revocable})};
        if (!command.hold.more_paths.empty()) return several(command, options, {client, wait, std::move(stop)}, ec);
        if (command.kind == LockKind::mutex) {
            InterProcessMutex mutex(client, command.hold.path, options);
            auto held = acquire_within(command.hold, mutex, {client, wait, stop}, ec);
            return held && command.once_per ? if_due(command, client, std::move(*held), std::move(stop), ec) : held;
        }
        InterProcessReadWriteLock lock(client, command.hold.path, options);
        InterProcessMutex& side = command.kind == LockKind::read ? lock.read_lock() : lock.write_lock();
        return acquire_within(command.hold, side, {client, wait, std::move(stop)}, ec);
    };
    return hold(command.hold, acquire).exit_code;
}

int run(const SemaphoreCommand& command) {
    const auto acquire = [&](Client& client, const QueueTime& wait, std::stop_token stop, error_code& ec) {
        report_other_limit(client, command.hold.path, command.permits);
        InterProcessSemaphore semaphore(
            client, command.hold.path, command.permits,
            {.node_data = label_of(command.hold),
             .max_hold = command.hold.max_hold,
             .owner = own_owner({.permits = command.permits, .revocable = command.hold.revocable})});
        return acquire_within(command.hold, semaphore, {client, wait, std::move(stop)}, ec, command.count);
    };
    const std::string_view taken = command.count == 1 ? "no permit is free" : "not enough permits are free";
    return hold(command.hold, acquire, {.kind = "semaphore", .taken = taken, .permits = command.permits}).exit_code;
}

} // namespace docent::cli
