// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/cache/cache_base.hpp>

namespace docent {

/// Keeps the data of one node in memory, up to date, also while the node is missing.
///
/// ```cpp
/// docent::NodeCache limits{client, "/config/limits"};
/// limits.start();
/// docent::CachedNodePtr node = limits.get();
/// const std::string text = node ? node->data : "default";
/// ```
///
/// **Cost.** At the start and after each reconnect, a sync and a read. For each change, a read. One
/// more read while the node is missing.
///
/// Lifetime and thread safety: as CacheBase.
/// @ingroup caches
class DOCENT_EXPORT NodeCache : public detail::Rebindable<NodeCache, CacheBase, detail::AsyncCache> {
public:
    /// Makes a cache of the node at `path`. Sends nothing. Errors: throws `error::invalid_path`.
    NodeCache(Client& client, std::string_view path);

    /// The node; null while it is missing. No network.
    CachedNodePtr get() const { return find(path()); }

protected:
    using Rebindable::Rebindable;
};

} // namespace docent
