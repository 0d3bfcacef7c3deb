// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/cache/cache_base.hpp>

#include <limits>

namespace docent {

/// The options of a TreeCache, which bound its memory.
/// @ingroup caches
struct TreeCacheOptions {
    /// The depth of the deepest nodes: 0 for the root only, 1 for its children as well, and so on.
    int max_depth = std::numeric_limits<int>::max();
    /// Decides which nodes below the root are included; empty: all.
    CacheSelector selector = {};
};

/// Keeps a node and all nodes below it in memory, up to date, also while they are missing.
///
/// ```cpp
/// docent::TreeCache config{client, "/config", {.max_depth = 2}};
/// config.start();
/// docent::CachedNodePtr node = config.get("/config/limits");
/// const std::size_t count = config.nodes().size();
/// ```
///
/// **Cost.** At the start and after each reconnect, a sync, and a read and a list for each node, up
/// to 100 at once. Nodes at `max_depth` need only the read. For changed data of a node, a read. For
/// a new or removed node, a list of its parent, and a read and a list of a new node. Two watches
/// for each node.
///
/// Lifetime and thread safety: as CacheBase.
/// @ingroup caches
class DOCENT_EXPORT TreeCache : public detail::Rebindable<TreeCache, CacheBase, detail::AsyncCache> {
public:
    /// Makes a cache of `path` and the nodes below it. Sends nothing. Errors: throws
    /// `error::invalid_path`.
    TreeCache(Client& client, std::string_view path, TreeCacheOptions options = {});

    /// The node at this path; null if there is none. No network.
    CachedNodePtr get(std::string_view path) const { return find(path); }
    /// The children of the node at this path, by name. No network; no data is copied.
    CachedNodes children(std::string_view path) const { return children_of(path); }
    /// All nodes, by path. No network; no data is copied.
    CachedNodes nodes() const { return all(); }

protected:
    using Rebindable::Rebindable;
};

} // namespace docent
