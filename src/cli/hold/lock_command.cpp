// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/hold/hold.hpp"

#include <docent/recipes/inter_process_read_write_lock.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace docent::cli {
namespace {

using Leases = std::vector<Lease>;

template <typename T> Leases all_of(std::optional<T> acquired, error_code& ec) {
    if (!acquired && !ec) ec = error::not_acquired;
    if (!acquired || ec) return {};
    if constexpr (std::is_same_v<T, Leases>) {
        return std::move(*acquired);
    } else {
        Leases one;
        one.push_back(std::move(*acquired));
        return one;
    }
}

/// `lock.acquire(count...)`, as patiently as was asked for.
template <typename Lock, typename... Count>
Leases acquire_within(const QueueTime& wait, Lock& lock, std::stop_token stop, error_code& ec, Count... count) {
    if (std::holds_alternative<NoQueue>(wait)) return all_of(lock.try_acquire(count..., ec, {.stop = std::move(stop)}), ec);
    CallOptions call{.stop = std::move(stop)};
    if (const auto* limit = std::get_if<AtMostInQueue>(&wait)) call.timeout = limit->time;
    return all_of(std::optional(lock.acquire(count..., ec, std::move(call))), ec);
}

} // namespace

int run(const LockCommand& command) {
    return hold(command.hold, [&](Client& client, std::stop_token stop, error_code& ec) {
        const auto& [path, wait] = std::tie(command.hold.path, command.hold.wait);
        if (command.kind == LockKind::mutex) {
            InterProcessMutex mutex(client, path);
            return acquire_within(wait, mutex, std::move(stop), ec);
        }
        InterProcessReadWriteLock lock(client, path);
        InterProcessMutex& side = command.kind == LockKind::read ? lock.read_lock() : lock.write_lock();
        return acquire_within(wait, side, std::move(stop), ec);
    });
}

int run(const SemaphoreCommand& command) {
    const auto acquire = [&](Client& client, std::stop_token stop, error_code& ec) {
        InterProcessSemaphore semaphore(client, command.hold.path, command.permits);
        return acquire_within(command.hold.wait, semaphore, std::move(stop), ec, command.count);
    };
    const std::string_view taken = command.count == 1 ? "no permit is free" : "not enough permits are free";
    return hold(command.hold, acquire, {.kind = "semaphore", .taken = taken});
}

} // namespace docent::cli
