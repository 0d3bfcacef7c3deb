// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/hold.hpp"
#include "cli/signals.hpp"

#include <variant>

namespace docent::cli {

// The time of --wait counts from the beginning and includes connecting.

/// How long to wait for a connection: the time of --wait, but at least a second, because connecting to distant or busy servers
/// can take that long. Without --wait: `usual`.
milliseconds time_to_connect(const QueueTime& wait, milliseconds usual);

/// The time left for the queue after `passed`. Without time left, the lock is tried once.
QueueTime left_in_queue(const QueueTime& wait, milliseconds passed);

/// Connects and acquires. During a long wait, reports the holder. A signal ends the attempt. An attempt with --no-wait ends as
/// soon as every server has refused the connection. Reports a failure, and then returns the exit code.
std::variant<HeldLeases, int> attempt(const Hold& hold, Client& client, const Acquire& acquire, Signals& signals);

} // namespace docent::cli
