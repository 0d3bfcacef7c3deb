// SPDX-License-Identifier: Apache-2.0
#pragma once

// Divides the time of --wait between the steps. It counts from the beginning and includes connecting.

#include "cli/arguments/command.hpp"

namespace docent::cli {

/// How long to wait for a connection: the time of --wait, but at least a second, because connecting to distant or busy servers
/// can take that long. Without --wait: `usual`.
milliseconds time_to_connect(const QueueTime& wait, milliseconds usual);

/// The time left for the queue after `passed`. Without time left, the lock is tried once.
QueueTime left_in_queue(const QueueTime& wait, milliseconds passed);

} // namespace docent::cli
