// SPDX-License-Identifier: Apache-2.0
#pragma once

// The watches at one server, and the events for each change.

#include "testing/memory/peer.hpp"

#include <docent/watch_event.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace docent::testing {

/// A kind of watch. The first two end with their first event.
enum class WatchType { data, children, persistent, recursive };

class Watches {
public:
    /// One-time watches of a path stay beside a persistent watch. A persistent watch replaces one of the other kind.
    void add(Peer& peer, const std::string& path, WatchType type);
    /// Returns false if there was none.
    bool remove(Peer& peer, const std::string& path, WatchType type);
    bool contains(Peer& peer, const std::string& path, WatchType type) const;
    void forget(Peer& peer);
    std::size_t size() const;

    /// Ends the one-time watches that this change fires. Returns the peers for the event, in the order of their arrival.
    std::vector<Peer*> fire(const std::string& path, WatchEventType type);

private:
    using ByPath = std::map<std::string, std::vector<Peer*>>;
    ByPath& table(WatchType type) { return tables_.at(static_cast<std::size_t>(type)); }
    const ByPath& table(WatchType type) const { return tables_.at(static_cast<std::size_t>(type)); }

    std::vector<ByPath> tables_ = std::vector<ByPath>(4); // by WatchType
};

} // namespace docent::testing
