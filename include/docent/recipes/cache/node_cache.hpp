// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/cache/cache_base.hpp>

namespace docent {

/// One node and its data, as it is now; also while it is not there.
///
/// **Cost.** A sync and a read at the start and after each reconnect, one read a change, one more while the node is not there.
class DOCENT_EXPORT NodeCache : public CacheBase {
public:
    /// Errors: throws `error::invalid_path`. Nothing is sent.
    NodeCache(Client& client, std::string_view path);

    /// Null while it is not there. No network.
    CachedNodePtr get() const { return find(path()); }

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncCache<NodeCache, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    using CacheBase::CacheBase;
};

} // namespace docent
