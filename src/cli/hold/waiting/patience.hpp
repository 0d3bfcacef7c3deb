// SPDX-License-Identifier: Apache-2.0
#pragma once

// What --wait leaves for each step on the way to a lock: it counts from the beginning, connecting included.

#include "cli/arguments/command.hpp"

namespace docent::cli {

/// How long the servers have to answer: the time of --wait, but at least a second, which a connection to distant or busy
/// servers can take. Without --wait: `usual`.
milliseconds time_to_connect(const QueueTime& wait, milliseconds usual);

/// What is left for the queue when so much has passed. With nothing left it is looked at once.
QueueTime left_in_queue(const QueueTime& wait, milliseconds passed);

} // namespace docent::cli
