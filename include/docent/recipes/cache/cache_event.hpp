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

/// A node as a cache knows it; never changes.
struct CachedNode {
    std::string path;
    std::string data; ///< Decompressed as `ClientConfig::compression` says.
    Stat stat;        ///< As it was when the data was last seen to be other data.

    friend bool operator==(const CachedNode&, const CachedNode&) = default;
};
using CachedNodePtr = std::shared_ptr<const CachedNode>;
using CachedNodes = std::map<std::string, CachedNodePtr, std::less<>>;

enum class CacheChange {
    added,   ///< The node is there, also in place of one that was removed and made again.
    changed, ///< It has other data.
    removed, ///< It is not there any more.
    refused, ///< It cannot be read, for the reason given, and is left out or may be out of date; that is tried again.
    stale,   ///< The connection has broken, or it was closed: changes are not seen before the next `whole`.
    whole,   ///< All that there is has been read: since the start, or since the last `stale`.
};

struct CacheEvent {
    CacheChange change;
    std::string path = {};     ///< Of the node; empty for `stale` and `whole`.
    CachedNodePtr node = {};   ///< What it is now, for `added` and `changed`.
    CachedNodePtr before = {}; ///< What it was, for `changed` and `removed`.
    error_code reason = {};    ///< For `refused`.
};

DOCENT_EXPORT std::string_view to_string(CacheChange change) noexcept;

} // namespace docent
