// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "history/journal.hpp"

#include <docent/client.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace docent::chaos {

/// A client that is not behind a fault proxy: only faults of servers affect it. It writes to one node, the ledger, again and
/// again. If an acknowledged write of the ledger is gone, the ensemble has lost writes (`back FIRST LAST NEXT`).
class Observer {
public:
    Observer(const std::string& connect, Journal& journal);

    /// Returns the nodes below the recipes' paths, each with its czxid, its session, and a zxid after which it existed.
    std::vector<std::string> lock_nodes();
    /// Returns the value of the counter, or nothing if no server answers.
    std::optional<std::int64_t> counter();
    /// Writes once. Returns true if a majority accepted the write.
    bool has_quorum();
    /// Returns a node of a holder or waiter, often the first in a queue. Empty: there is none.
    std::string some_node(std::mt19937_64& random);
    /// Returns the session of a node, or nothing if the node is gone or no server answers.
    std::optional<std::int64_t> owner_of(const std::string& node);
    /// Deletes a node by hand, and records this before. Returns false if that failed.
    bool delete_node(const std::string& node);

private:
    std::vector<std::string> surplus_markers();
    std::vector<std::string> children(const std::string& path);
    void keep_ledger(const std::stop_token& stop);
    void write_ledger();

    Journal& journal_;
    Client client_;
    std::map<std::int32_t, std::int64_t> acknowledged_; // zxids by version of the ledger
    std::atomic<std::int64_t> last_zxid_ = 0;           // of acknowledged writes
    std::jthread ledger_;
};

} // namespace docent::chaos
