// SPDX-License-Identifier: Apache-2.0
#include "cache/cache_view.hpp"

namespace docent {
namespace detail {

void CacheView::apply(const CacheEvent& event) {
    switch (event.change) {
    case CacheChange::added:
    case CacheChange::changed: nodes_[event.path] = event.node; break;
    case CacheChange::removed: nodes_.erase(event.path); break;
    case CacheChange::refused: break;
    case CacheChange::stale: whole_ = false; break;
    case CacheChange::whole: whole_ = true; break;
    }
}

CachedNodePtr CacheView::find(std::string_view path) const {
    const auto found = nodes_.find(path);
    return found == nodes_.end() ? nullptr : found->second;
}

CachedNodes CacheView::children(std::string_view path) const {
    const std::string above = path == "/" ? std::string(path) : std::string(path) + '/';
    CachedNodes children;
    auto each = nodes_.upper_bound(above);
    while (each != nodes_.end() && each->first.starts_with(above)) {
        const std::string name = each->first.substr(above.size(), each->first.find('/', above.size()) - above.size());
        if (above.size() + name.size() == each->first.size()) {
            children.emplace_hint(children.end(), name, each->second);
            ++each;
        } else {
            each = nodes_.lower_bound(above + name + static_cast<char>('/' + 1)); // after all nodes below it
        }
    }
    return children;
}

} // namespace detail

std::string_view to_string(CacheChange change) noexcept {
    switch (change) {
    case CacheChange::added: return "added";
    case CacheChange::changed: return "changed";
    case CacheChange::removed: return "removed";
    case CacheChange::refused: return "refused";
    case CacheChange::stale: return "stale";
    case CacheChange::whole: return "whole";
    }
    return "unknown";
}

} // namespace docent
