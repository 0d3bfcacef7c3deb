// SPDX-License-Identifier: Apache-2.0
#pragma once

// What --wait leaves for each step on the way to a lock: it counts from the beginning, connecting included.

#include "cli/arguments/command.hpp"

namespace docent::cli {

/// How long servers have to answer, of `most`: as long as may be waited, but for a second, which a connection takes to servers
/// that are far away, or busy.
milliseconds time_to_connect(const QueueTime& wait, milliseconds most);

/// What is left for the queue when so much has passed. With nothing left it is looked at once.
QueueTime left_in_queue(const QueueTime& wait, milliseconds passed);

} // namespace docent::cli
