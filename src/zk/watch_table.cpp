// SPDX-License-Identifier: Apache-2.0
#include "zk/watch_table.hpp"

#include <algorithm>
#include <utility>

namespace docent::zk {
namespace {

std::size_t index_of(WatchKind kind) {
    return static_cast<std::size_t>(kind);
}

void append_live(const auto& sinks, std::vector<WatchSink>& into) {
    for (const auto& weak : sinks) {
        if (auto sink = weak.lock(); sink && std::find(into.begin(), into.end(), sink) == into.end()) {
            into.push_back(std::move(sink));
        }
    }
}

} // namespace

bool WatchTable::has_room(const std::string& path, WatchKind kind) const {
    const auto entry = entries_.find(path);
    if (entry != entries_.end() && entry->second.on_server[index_of(kind)]) return true;
    return bytes_ + reserved_ + cost(path) <= capacity;
}

void WatchTable::add(const std::string& path, WatchKind kind, const WatchSink& sink) {
    Entry& entry = entries_[path];
    Sinks& sinks = entry.sinks[index_of(kind)];
    if (sinks.size() >= entry.purge_at) {
        std::erase_if(sinks, [](const auto& weak) { return weak.expired(); });
        entry.purge_at = std::max<std::size_t>(8, 2 * sinks.size());
    }
    sinks.push_back(sink);
    if (!std::exchange(entry.on_server[index_of(kind)], true)) bytes_ += cost(path);
}

void WatchTable::take_kind(Entry& entry, const std::string& path, WatchKind kind, std::vector<WatchSink>& into) {
    Sinks& sinks = entry.sinks[index_of(kind)];
    append_live(sinks, into);
    sinks.clear();
    if (std::exchange(entry.on_server[index_of(kind)], false)) bytes_ -= cost(path);
}

std::vector<WatchSink> WatchTable::take(const std::string& path, WatchEventType type) {
    std::vector<WatchSink> told;
    const auto found = entries_.find(path);
    if (found == entries_.end()) return told;
    Entry& entry = found->second;
    if (type != WatchEventType::children_changed) {
        take_kind(entry, path, WatchKind::data, told);
        take_kind(entry, path, WatchKind::exists, told);
    }
    if (type == WatchEventType::children_changed || type == WatchEventType::deleted) {
        take_kind(entry, path, WatchKind::children, told);
    }
    if (std::none_of(entry.on_server.begin(), entry.on_server.end(), [](bool on) { return on; })) entries_.erase(found);
    return told;
}

std::vector<std::pair<std::string, WatchSink>> WatchTable::take_all() {
    std::vector<std::pair<std::string, WatchSink>> told;
    for (auto& [path, entry] : entries_) {
        std::vector<WatchSink> sinks;
        for (const Sinks& kind : entry.sinks) append_live(kind, sinks);
        for (WatchSink& sink : sinks) told.emplace_back(path, std::move(sink));
    }
    entries_.clear();
    bytes_ = 0;
    return told;
}

} // namespace docent::zk
