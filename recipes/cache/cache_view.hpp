// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/cache/cache_event.hpp>

#include <string>
#include <string_view>

namespace docent::detail {

/// What a cache shows: what its events make of nothing.
class CacheView {
public:
    void apply(const CacheEvent& event);

    const CachedNodes& nodes() const { return nodes_; }
    bool whole() const { return whole_; }
    /// Null if there is none.
    CachedNodePtr find(std::string_view path) const;
    /// By name.
    CachedNodes children(std::string_view path) const;

private:
    CachedNodes nodes_; // by path
    bool whole_ = false;
};

} // namespace docent::detail
