// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/export.hpp>
#include <docent/stat.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace docent {

/// A node as a cache knows it. It never changes; a change makes another object.
///
/// ```cpp
/// docent::CachedNodePtr node = std::make_shared<const docent::CachedNode>();
/// const std::string text = node->path + " version " + std::to_string(node->stat.version);
/// ```
/// @ingroup caches
struct CachedNode {
    /// The path of the node.
    std::string path;
    /// The data, decompressed as `ClientConfig::compression` says.
    std::string data;
    /// The node's Stat at the time when the cache read this data.
    Stat stat;

    /// Whether all members are equal.
    friend bool operator==(const CachedNode&, const CachedNode&) = default;
};
/// A shared pointer to a node of a cache.
/// @ingroup caches
using CachedNodePtr = std::shared_ptr<const CachedNode>;
/// Nodes of a cache, by name or by path.
/// @ingroup caches
using CachedNodes = std::map<std::string, CachedNodePtr, std::less<>>;

/// A change that a cache reports.
/// @ingroup caches
enum class CacheChange {
    /// The node is there, perhaps in the place of a removed node.
    added,
    /// The node has other data.
    changed,
    /// The node is gone.
    removed,
    /// The node cannot be read, for the given reason. It is missing or out of date until a later
    /// try succeeds.
    refused,
    /// The connection broke, or the cache was closed. The cache sees no changes until the next
    /// `whole`.
    stale,
    /// All nodes were read since the start, or since the last `stale`.
    whole,
};

/// An event for the listeners of a cache.
/// @ingroup caches
struct CacheEvent {
    /// The change.
    CacheChange change;
    /// The path of the node; empty for `stale` and `whole`.
    std::string path = {};
    /// The node after the change, for `added` and `changed`.
    CachedNodePtr node = {};
    /// The node before the change, for `changed` and `removed`.
    CachedNodePtr before = {};
    /// The reason of a `refused`.
    error_code reason = {};
};

/// The name of the enumerator, for example "added".
/// @ingroup caches
DOCENT_EXPORT std::string_view to_string(CacheChange change) noexcept;

} // namespace docent
