// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/cache/cache_base.hpp>

#include <limits>

namespace docent {

/// What is said of a TreeCache when it is made; what bounds its memory.
struct TreeCacheOptions {
    int max_depth = std::numeric_limits<int>::max(); ///< Of the deepest nodes shown: 0 for the path's own, 1 for its children.
    CacheSelector selector = {};                     ///< Not asked about the path's own node. Empty: all are shown.
};

/// A node and all that is below it, with data, as they are now; also while they are not there.
///
/// **Cost.** A sync, and a read and a list for each node at the start and after each reconnect, a hundred at once; for the
/// deepest nodes of `max_depth` only the read. One read for other data of a node; for one that comes or goes a list of all
/// names of its parent's children, and for one that comes a read and a list. Two watches a node.
class DOCENT_EXPORT TreeCache : public CacheBase {
public:
    /// Errors: throws `error::invalid_path`. Nothing is sent.
    TreeCache(Client& client, std::string_view path, TreeCacheOptions options = {});

    /// The node at this path; null if there is none. No network.
    CachedNodePtr get(std::string_view path) const { return find(path); }
    /// The children of the node at this path, by name. No network; copies no data.
    CachedNodes children(std::string_view path) const { return children_of(path); }
    /// All nodes, by path. No network; copies no data.
    CachedNodes nodes() const { return all(); }

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncCache<TreeCache, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    using CacheBase::CacheBase;
};

} // namespace docent
