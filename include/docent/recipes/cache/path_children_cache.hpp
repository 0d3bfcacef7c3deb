// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/cache/cache_base.hpp>

namespace docent {

/// Keeps the children of a node and their data in memory, up to date. The node itself is not shown
/// and may be missing.
///
/// ```cpp
/// docent::PathChildrenCache workers{client, "/workers"};
/// workers.start();
/// for (const auto& [name, node] : workers.children()) {
///     const std::string address = node->data;
/// }
/// ```
///
/// **Cost.** At the start and after each reconnect, a sync, a list, and a read for each child, up
/// to 100 at once. For changed data of a child, a read. For a new or removed child, a list of all
/// names, and a read of a new child. One watch for each child.
///
/// Lifetime and thread safety: as CacheBase.
/// @ingroup caches
class DOCENT_EXPORT PathChildrenCache : public detail::Rebindable<PathChildrenCache, CacheBase, detail::AsyncCache> {
public:
    /// Makes a cache of the children of `path` that `selector` accepts; without it, of all
    /// children. Sends nothing.
    ///
    /// Errors: throws `error::invalid_path`.
    PathChildrenCache(Client& client, std::string_view path, CacheSelector selector = {});

    /// All children, by name. No network. The time grows with their number, but no data is copied.
    CachedNodes children() const { return children_of(path()); }
    /// The child with this name; null if there is none. No network.
    CachedNodePtr get(std::string_view name) const;

protected:
    using Rebindable::Rebindable;
};

} // namespace docent
