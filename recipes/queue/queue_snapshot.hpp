// SPDX-License-Identifier: Apache-2.0
#pragma once

// The last list of a queue, which several attempts of one client share. Does no I/O and reads no clock.

#include "queue/contender.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::detail {

/// A waiter and the two nearest contenders ahead of it: enough to choose the node to watch.
struct Neighbours {
    std::vector<Contender> queue; // the waiter comes last
    bool whole = false;           // all remaining contenders ahead of the waiter are known, because it was in a list
    bool only_nearest = false;    // of the contenders ahead, only the nearest is known
    friend bool operator==(const Neighbours&, const Neighbours&) = default;
};

/// The contenders of the last list and later contenders of this client, without those whose nodes are known to be gone. All of
/// this comes from one connection.
///
/// A snapshot is older than a new list, which does no harm. Sequence numbers only grow, so no contender gets a place ahead of
/// an existing one. A contender of the snapshot may be gone. A waiter that chooses such a node learns this from the read that
/// sets the watch. A snapshot never grants the lock: see wait_for_known().
class QueueSnapshot {
public:
    explicit QueueSnapshot(QueueNames names) : names_(std::move(names)) {}

    /// Replaces the snapshot.
    void on_listed(const std::vector<std::string>& children);
    /// The same for a single waiter. Keeps all contenders ahead of `self` if they are one or two; of more, only the nearest.
    void on_listed(const std::vector<std::string>& children, std::string_view self);
    /// This client has made a node.
    void on_created(std::string_view name);
    /// A server has reported that the node is gone.
    void on_gone(std::string_view name);
    /// The connection broke. The next server may lag behind, or its state may have gone back.
    void forget();

    /// Returns nothing if `self` is not in the snapshot.
    std::optional<Neighbours> before(std::string_view self) const;

private:
    enum class Ahead { unknown, nearest, all }; // which contenders ahead are known, of those that remain
    struct Known {
        Contender contender;
        Ahead ahead;
    };
    using Position = std::vector<Known>::const_iterator;
    Position begin() const { return queue_.begin() + gone_; }
    Position place_of(const Contender& contender) const;
    std::optional<Position> find(std::string_view name) const;

    QueueNames names_;
    std::vector<Known> queue_; // in the order of the queue
    std::ptrdiff_t gone_ = 0;  // the number of removed contenders at the front
};

/// The nearest contender ahead that remains, if the waiter was in a list: then no other contender can come between. Returns
/// nothing for a reader, which does not wait for readers.
std::optional<std::string> nearest_of(const Neighbours& known);

/// The node to watch by the snapshot; nothing if a new list is needed. If all contenders ahead are known and one remains, the
/// waiter may watch that node. If not all are known, it may watch the second nearest known contender, and list after its
/// deletion.
std::optional<WaitFor> wait_for_known(const Neighbours& known);

} // namespace docent::detail
