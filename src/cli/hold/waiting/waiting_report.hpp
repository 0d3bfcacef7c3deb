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

/// How long somebody has waited when it is first told what for; with `--verbose` that is at once, nearly.
milliseconds first_report(bool verbose);
/// Who is run by a docent that holds locks may wait for that one: it looks at once, nearly.
milliseconds first_look(bool verbose, bool below_a_holder);
/// And after how much waiting the next time.
milliseconds next_report(milliseconds waited);

/// Who else holds a lock that is waited for, as far as it is known.
struct Holder {
    std::string label;
    std::string node = {};
    std::string own_node = {};            // in the queue, if it is there yet
    std::optional<milliseconds> age = {}; // of its node
    std::size_t others = 0;               // who hold together with it
    std::size_t waiting = 0;              // we among them
    bool leads = false;                   // it is the leader of an election
    bool waits_for_us = false;            // it does not give back before we have had our turn, by the owners in the nodes
};

/// `lock /a: waiting for 10s, held by root@a:12 import.sh (who came 40s ago); 3 are waiting`. Since when who holds it does,
/// no node tells: only when it came, to wait at first.
std::string waiting_text(const std::string& name, milliseconds waited, const Holder& holder);

/// The same while no server says who holds it: `lock /a: waiting for 40s; no ZooKeeper answers: ...`.
std::string silence_text(const std::string& name, milliseconds waited, const std::string& reason);

/// From an inspection, without the age; nothing if nobody else holds it.
std::optional<Holder> first_holder(const Inspection& inspection, std::int64_t own_session);

/// Nodes ahead of this session's waiter that are not ephemeral: no end of a session removes them.
std::vector<std::string> lasting_nodes_ahead(const Inspection& inspection, std::int64_t own_session);

/// `lock /a: the node /a/lock-0000000000 is not ephemeral: it does not end with a session; remove it if ...`.
std::string lasting_node_text(const std::string& name, const std::string& node);

/// Whether one of this session waits, in this queue alone, for somebody who does not give back before it has had its turn.
bool waits_for_itself(const Inspection& inspection, const std::string& path, std::int64_t own_session);

/// `held by root@a:12 import.sh and 2 more`, of several locks that are asked for `/b is held by ...`; empty if no server says
/// so within 3 s, or nobody is there any more. To be called where waiting is over.
std::string held_by(Client& client, const HoldRequest& request);

/// Tells it on standard error, again and again, until `stop`; sooner than first_report() only what will never end by itself. To
/// be called on a thread of its own.
void report_waiting(Client& client, const HoldRequest& request, const std::string& kind, milliseconds waited,
                    const std::stop_token& stop);

} // namespace docent::cli
