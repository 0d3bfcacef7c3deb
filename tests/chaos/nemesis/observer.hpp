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

/// A client that no fault concerns but those of the servers. It keeps a ledger: a node that it writes again and again; if one
/// of these writes was acknowledged and is gone, the ensemble has gone back in time (`back FIRST LAST NEXT`).
class Observer {
public:
    Observer(const std::string& connect, Journal& journal);

    /// What is below the recipes' paths: each with its czxid, its session, and a zxid after which it was there.
    std::vector<std::string> lock_nodes();
    /// The value of the counter; nothing while there is no answer.
    std::optional<std::int64_t> counter();
    /// Whether a majority has just accepted a write.
    bool has_quorum();
    /// A node of a holder or waiter, often of somebody who holds the counter's lock; empty if there is none.
    std::string some_node(std::mt19937_64& random);
    /// The session of a node; nothing if it is gone, or nobody answers.
    std::optional<std::int64_t> owner_of(const std::string& node);
    /// Deletes it, having written that down before. False if it was not there.
    bool delete_node(const std::string& node);

private:
    std::vector<std::string> surplus_markers();
    std::vector<std::string> children(const std::string& path);
    void keep_ledger(const std::stop_token& stop);
    void write_ledger();

    Journal& journal_;
    Client client_;
    std::map<std::int32_t, std::int64_t> acknowledged_; // zxids by the node's version
    std::atomic<std::int64_t> last_zxid_ = 0;           // acknowledged
    std::jthread ledger_;
};

} // namespace docent::chaos
