// SPDX-License-Identifier: Apache-2.0
#pragma once

// The watches at one server. Finds the peers that a change concerns.

#include "testing/memory/peer.hpp"

#include <docent/watch_event.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace docent::testing {

/// A kind of watch. The first two end with their first event.
enum class WatchType { data, children, persistent, recursive };

class Watches {
public:
    /// One-time watches of a path stay beside a persistent watch. A persistent and a recursive watch of a peer at one path
    /// replace each other.
    void add(Peer& peer, const std::string& path, WatchType type);
    /// Returns false if there was none.
    bool remove(Peer& peer, const std::string& path, WatchType type);
    bool contains(Peer& peer, const std::string& path, WatchType type) const;
    void forget(Peer& peer);
    std::size_t size() const;

    /// Ends the one-time watches that this change fires. Returns each peer that gets the event, once: first
    /// peers with one-time watches, then peers with persistent watches, then peers with recursive watches.
    std::vector<Peer*> fire(const std::string& path, WatchEventType type);

private:
    using ByPath = std::map<std::string, std::vector<Peer*>>;
    ByPath& table(WatchType type) { return tables_.at(static_cast<std::size_t>(type)); }
    const ByPath& table(WatchType type) const { return tables_.at(static_cast<std::size_t>(type)); }

    std::array<ByPath, 4> tables_; // by WatchType
};

} // namespace docent::testing
