// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one client knows of a queue in which several of its attempts stand. Does no I/O and reads no clock.

#include "queue/contender.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::detail {

/// One who waits, and the two nearest before it: enough to tell whom to wait for.
struct KnownPart {
    std::vector<Contender> queue; // the one who asks comes last
    bool whole = false;           // it was in a list: whoever was made before it and is still there is known
    bool beside = false;          // of these only the nearest is
    friend bool operator==(const KnownPart&, const KnownPart&) = default;
};

/// The contenders of the last list, and those of this client that came later, without those that are known to have gone since.
/// All of it was told by one connection.
///
/// It is older than a list would be, and that is no harm. Numbers only grow, so nobody comes in before one who is in line; what
/// is not known here is that somebody has gone. So whoever goes by it waits for a node that may have gone already, which the
/// read that sets the watch tells at once. It never says that it is somebody's turn: see wait_for_known().
class KnownQueue {
public:
    explicit KnownQueue(QueueNames names) : names_(std::move(names)) {}

    /// In place of all that was known.
    void on_listed(const std::vector<std::string>& children);
    /// The same for one who is alone: those ahead of it, or of more than two the nearest only. Nobody else knows all by that.
    void on_listed(const std::vector<std::string>& children, std::string_view self);
    /// By this client.
    void on_created(std::string_view name);
    /// A server has said so.
    void on_gone(std::string_view name);
    /// The connection broke: servers that lag behind, or whose state went back, may tell another story.
    void forget();

    /// Nothing if `self` is not known to be in line.
    std::optional<KnownPart> before(std::string_view self) const;

private:
    enum class Ahead { unknown, nearest, all }; // what is known of those before it; but for those that have gone
    struct Known {
        Contender contender;
        Ahead ahead;
    };
    using Position = std::vector<Known>::const_iterator;
    Position begin() const { return queue_.begin() + gone_; }
    Position place_of(const Contender& contender) const;
    std::optional<Position> find(std::string_view name) const;

    QueueNames names_;
    std::vector<Known> queue_; // in the order of turns
    std::ptrdiff_t gone_ = 0;  // so many at its front, from where most of them go
};

/// The nearest that was in a list with the one who asks, if any is left: nobody will ever come between. Not of a reader, who
/// does not wait for readers.
std::optional<std::string> nearest_of(const KnownPart& known);

/// Whom to wait for by what is known; nothing: only a new list tells. Of one who knows not all, only that the second nearest
/// is not the last one in its way: it may wait for that one, and list then. One who knows all may turn to the only one left.
std::optional<WaitFor> wait_for_known(const KnownPart& known);

} // namespace docent::detail
