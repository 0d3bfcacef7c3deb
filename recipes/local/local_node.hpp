// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lease/node_lease.hpp"
#include "local/occupancy.hpp"
#include "local/shared_by_threads.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace docent::detail {

class LocalHold;

/// A place for a node that holds of one process come into. It is used for one node after the other, and never goes while the
/// queue is there: whoever has found it may look at `occupancy` at any time. All else is for those who are inside, and for the
/// queue.
struct LocalNode {
    explicit LocalNode(Occupancy::Rule rule) : occupancy(rule) {}

    alignas(apart) Occupancy occupancy;              // written by those who come and go
    alignas(apart) std::shared_ptr<NodeLease> lease; // while the place is used
    SharedByThreads<NodeLease> shares;               // the same for those who do not keep each other waiting

    // Under the queue's mutex.
    bool used = false;
    bool asked_for = false;                          // somebody has asked for the lock
    std::vector<std::weak_ptr<LocalHold>> attentive; // to be told of what happens to the node

    // On the strand.
    std::optional<std::stop_callback<std::function<void()>>> on_lost;
};

} // namespace docent::detail
