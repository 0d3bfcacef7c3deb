// SPDX-License-Identifier: Apache-2.0
#include "zk/watch_table.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace docent::zk {
namespace {

std::size_t index_of(WatchKind kind) {
    return static_cast<std::size_t>(kind);
}

/// What the server keeps as one.
std::vector<WatchKind> same_on_server(WatchKind kind) {
    if (kind == WatchKind::children) return {WatchKind::children};
    return {WatchKind::data, WatchKind::exists};
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
    if (entry != entries_.end() && entry->second.has_room(index_of(kind))) return true;
    return bytes_ + cost(path) <= capacity;
}

std::size_t WatchTable::places() const {
    std::size_t count = 0;
    for (const auto& [path, entry] : entries_) {
        for (const Sinks& sinks : entry.sinks) count += sinks.size();
    }
    return count;
}

/// Counts the room for it, if that changes.
template <typename Change> void WatchTable::update(Entry& entry, const std::string& path, WatchKind kind, Change change) {
    const std::size_t i = index_of(kind);
    if (entry.has_room(i)) bytes_ -= cost(path);
    change(entry.on_server[i], entry.on_the_way[i]);
    if (entry.has_room(i)) bytes_ += cost(path);
}

void WatchTable::reserve(const std::string& path, WatchKind kind) {
    update(entries_[path], path, kind, [](bool&, int& on_the_way) { ++on_the_way; });
}

void WatchTable::unreserve(const std::string& path, WatchKind kind) {
    const auto found = entries_.find(path);
    if (found == entries_.end()) return; // the session has ended meanwhile
    update(found->second, path, kind, [](bool&, int& on_the_way) { --on_the_way; });
    erase_if_unused(path);
}

void WatchTable::add(const std::string& path, WatchKind kind, const WatchSink& sink) {
    Entry& entry = entries_[path];
    Sinks& sinks = entry.sinks[index_of(kind)];
    if (sinks.size() >= entry.purge_at) {
        std::set<Sinks::value_type, std::owner_less<>> seen; // who asks again on each connection is there once
        std::erase_if(sinks, [&seen](const auto& weak) { return weak.expired() || !seen.insert(weak).second; });
        entry.purge_at = std::max<std::size_t>(8, 2 * sinks.size());
    }
    sinks.push_back(sink);
    update(entry, path, kind, [](bool& on_server, int&) { on_server = true; });
}

void WatchTable::take_kind(Entry& entry, const std::string& path, WatchKind kind, std::vector<WatchSink>& into) {
    Sinks& sinks = entry.sinks[index_of(kind)];
    append_live(sinks, into);
    sinks.clear();
    not_on_server(entry, path, kind);
}

void WatchTable::not_on_server(Entry& entry, const std::string& path, WatchKind kind) {
    update(entry, path, kind, [](bool& on_server, int&) { on_server = false; });
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
    erase_if_unused(path);
    return told;
}

bool WatchTable::is_abandoned(const std::string& path, WatchKind kind) const {
    const auto found = entries_.find(path);
    if (found == entries_.end()) return false;
    const Entry& entry = found->second;
    bool on_server = false;
    for (const WatchKind same : same_on_server(kind)) {
        const std::size_t i = index_of(same);
        std::vector<WatchSink> live;
        append_live(entry.sinks[i], live);
        if (!live.empty() || entry.on_the_way[i] > 0 || entry.removing[i]) return false;
        on_server = on_server || entry.on_server[i];
    }
    return on_server;
}

std::vector<std::pair<std::string, WatchKind>> WatchTable::abandoned() const {
    std::vector<std::pair<std::string, WatchKind>> found;
    for (const auto& [path, entry] : entries_) {
        for (const WatchKind kind : {WatchKind::data, WatchKind::children}) { // data stands for exists too
            if (is_abandoned(path, kind)) found.emplace_back(path, kind);
        }
    }
    return found;
}

void WatchTable::begin_removal(const std::string& path, WatchKind kind) {
    for (const WatchKind same : same_on_server(kind)) entries_[path].removing[index_of(same)] = true;
}

void WatchTable::end_removal(const std::string& path, WatchKind kind, bool removed) {
    const auto found = entries_.find(path);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    for (const WatchKind same : same_on_server(kind)) {
        const std::size_t i = index_of(same);
        entry.removing[i] = false;
        if (!removed) continue;
        entry.sinks[i].clear();
        not_on_server(entry, path, same);
    }
    erase_if_unused(path);
}

void WatchTable::erase_if_unused(const std::string& path) {
    const auto found = entries_.find(path);
    if (found == entries_.end()) return;
    const Entry& entry = found->second;
    for (std::size_t i = 0; i < entry.on_server.size(); ++i) {
        if (entry.on_server[i] || entry.on_the_way[i] > 0 || entry.removing[i]) return;
    }
    entries_.erase(found);
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
