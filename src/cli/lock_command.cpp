// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/hold.hpp"

#include <docent/recipes/inter_process_read_write_lock.hpp>

#include <tuple>
#include <utility>

namespace docent::cli {
namespace {

Lease acquire_within(const QueueTime& wait, InterProcessMutex& mutex, std::stop_token stop, error_code& ec) {
    if (const auto* limit = std::get_if<AtMostInQueue>(&wait)) {
        return mutex.acquire(ec, {.timeout = limit->time, .stop = std::move(stop)});
    }
    if (std::holds_alternative<ForeverInQueue>(wait)) return mutex.acquire(ec, {.stop = std::move(stop)});
    auto lease = mutex.try_acquire(ec, {.stop = std::move(stop)});
    if (lease) return std::move(*lease);
    if (!ec) ec = error::not_acquired;
    return {};
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

} // namespace docent::cli
