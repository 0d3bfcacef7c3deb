// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/recipes/cache/cache_event.hpp>

#include <string>
#include <string_view>

namespace docent::detail {

/// The nodes that a cache shows: the result of all its events.
class CacheView {
public:
    void apply(const CacheEvent& event);

    const CachedNodes& nodes() const { return nodes_; }
    bool whole() const { return whole_; }
    /// The node at the path; null without one.
    CachedNodePtr find(std::string_view path) const;
    /// The children of the path, by name.
    CachedNodes children(std::string_view path) const;

private:
    CachedNodes nodes_; // by path
    bool whole_ = false;
};

} // namespace docent::detail
