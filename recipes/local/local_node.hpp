// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lease/node_lease.hpp"
#include "local/hold_counter.hpp"
#include "local/shared_by_threads.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace docent::detail {

class LocalHold;

/// The place of a node that holds of one process enter. It is used for one node after the other. It lives as long as the queue,
/// so any thread that has found it may read `hold_counter` at any time. Only holds inside and the queue use the other members.
struct LocalNode {
    explicit LocalNode(HoldCounter::Rule rule) : hold_counter(rule) {}

    alignas(apart) HoldCounter hold_counter;         // written by each hold that enters or leaves
    alignas(apart) std::shared_ptr<NodeLease> lease; // while the place is used
    SharedByThreads<NodeLease> shares;               // the same with separate reference counts, for readers of a kept lock

    // Under the queue's mutex.
    bool used = false;
    bool asked_for = false;                          // another client has asked for the lock
    std::vector<std::weak_ptr<LocalHold>> attentive; // holds that want events of the node

    // On the strand.
    std::optional<std::stop_callback<std::function<void()>>> on_lost;
};

} // namespace docent::detail
