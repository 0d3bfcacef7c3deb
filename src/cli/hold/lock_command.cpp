// SPDX-License-Identifier: Apache-2.0

#include "cli/hold/lock_command.hpp"
#include "cli/hold/hold.hpp"
#include "cli/hold/once_per.hpp"
#include "cli/hold/owner.hpp"
#include "cli/hold/supervisor.hpp"
#include "cli/messages.hpp"
#include "cli/run.hpp"
#include "cli/view/shown.hpp"
#include "posix/event_fd.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/inter_process_multi_lock.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

namespace docent::cli {

using namespace std::chrono_literals;

bool hold_until(std::optional<std::chrono::steady_clock::time_point> end, const HeldLeases& held, Signals& signals) {
    posix::EventFd lost;
    std::list<std::stop_callback<std::function<void()>>> on_lost;
    for (const auto& lease : held.leases) on_lost.emplace_back(lease->stop_token(), [&lost] { lost.raise(); });
    while (!lost.raised() && !held.asked_for->raised() && !signals.next_to_end()) {
        auto pause = std::chrono::milliseconds(1h);
        if (end) pause = std::min(pause, std::chrono::ceil<std::chrono::milliseconds>(*end - std::chrono::steady_clock::now()));
        if (pause <= 0ms) break;
        posix::wait_readable({lost.fd(), held.asked_for->fd(), signals.fd()}, pause);
    }
    return !any_is(LeaseState::lost, held.leases);
}

std::string listed(const HeldLeases& held) {
    std::string lines;
    for (const auto& lease : held.leases) lines += lease->node_path() + " " + std::to_string(lease->fencing_token()) + "\n";
    return lines;
}

namespace {

constexpr std::size_t most_reads = 16; // most users of a path agree, so a few nodes are enough

} // namespace

std::string other_limit_text(const std::string& path, std::int32_t permits, const std::string& data) {
    const OwnedData node = split_owner(data);
    const auto theirs = marks_of(node.owner).permits;
    if (!theirs || *theirs == permits) return {};
    const std::string label(without_request(node.data));
    return "semaphore " + path + ": --permits is " + std::to_string(permits) + " here, but " + std::to_string(*theirs) +
           " for " + (label.empty() ? "a holder without a label" : label) + "; all users of a path must give the same number";
}

void report_other_limit(Client& client, const std::string& path, std::int32_t permits) {
    const std::string leases = join_path(path, "leases");
    // The client outlives its handlers.
    client.async_children(leases, [&client, leases, path, permits](error_code ec, Children listed) {
        if (ec) return; // the semaphore is new, or the next call reports the error
        const auto told = std::make_shared<std::atomic<bool>>(false);
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
