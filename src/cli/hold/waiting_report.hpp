// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inspection.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace docent::cli {

/// When to report the holder for the first time. `soon`: nearly at once, with --verbose, or below a docent that holds locks,
/// because this process may wait for it.
milliseconds first_report(bool soon);
/// When to report the next time.
milliseconds next_report(milliseconds waited);

/// The holder of a lock that this process waits for.
struct Holder {
    std::string label;
    std::optional<milliseconds> age = {}; // of the holder's node, by this machine's clock
    std::size_t others = 0;               // the number of other holders
    std::size_t waiting = 0;              // the number of waiters, with this process
    bool leads = false;                   // the holder is the leader of an election
    bool waits_for_us = false;            // by the owners in the nodes, the holder releases only after this process has run
};

/// `lock /a: waiting for 10s, held by root@a:12 import.sh (its node is 40s old); 3 are waiting`. The age of a
/// node includes the time that its holder waited.
std::string waiting_text(const std::string& name, milliseconds waited, const Holder& holder);

/// The same while no server answers: `lock /a: waiting for 40s; no ZooKeeper answers: ...`.
std::string silence_text(const std::string& name, milliseconds waited, const std::string& reason);

/// The holder in an inspection; nothing if no other session holds the lock. `now`: for the age of its node.
std::optional<Holder> first_holder(const Inspection& inspection, std::int64_t own_session,
                                   std::chrono::system_clock::time_point now);

/// Nodes ahead of this session's waiter that are not ephemeral. The end of a session does not remove them.
std::vector<std::string> lasting_nodes_ahead(const Inspection& inspection, std::int64_t own_session);

/// `lock /a: the node /a/lock-0000000000 is not ephemeral: it does not end with a session; remove it if ...`.
std::string lasting_node_text(const std::string& name, const std::string& node);

/// Whether a waiter of this session waits for a holder that releases only after this waiter has run. Looks at this queue only.
bool waits_for_itself(const Inspection& inspection, const std::string& path, std::int64_t own_session);

/// `held by root@a:12 import.sh and 2 more`, or `/b is held by ...` for a request with several locks. Empty if no server
/// answers within 3 s, or if the lock is free by now. Call it when the wait is over.
std::string held_by(Client& client, const HoldRequest& request);

/// Reports the holder on standard error, again and again, until `stop`. Before first_report(), and with --quiet, reports only a
/// wait that never ends by itself. Call it on a separate thread.
void report_waiting(Client& client, const HoldRequest& request, const std::string& kind, milliseconds waited,
                    const std::stop_token& stop);

} // namespace docent::cli
