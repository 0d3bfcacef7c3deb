// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/cache/cache_base.hpp>

namespace docent {

/// The children of a node with their data, as they are now; the node itself is not shown, and need not be there.
///
/// **Cost.** A sync, a list and a read for each child at the start and after each reconnect, a hundred at once; one read for
/// other data of a child; for one that comes or goes a list of all names, and for one that comes a read. A watch a child.
class DOCENT_EXPORT PathChildrenCache : public CacheBase {
public:
    /// Errors: throws `error::invalid_path`. Nothing is sent. Without a selector all children are shown.
    PathChildrenCache(Client& client, std::string_view path, CacheSelector selector = {});

    /// All children, by name. No network; takes time in proportion to their number, but copies no data.
    CachedNodes children() const { return children_of(path()); }
    /// The child of this name; null if there is none. No network.
    CachedNodePtr get(std::string_view name) const;

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncCache<PathChildrenCache, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    using CacheBase::CacheBase;
};

} // namespace docent
