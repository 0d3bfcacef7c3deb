// SPDX-License-Identifier: Apache-2.0

#include "zk/watch_table.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace docent::zk {

using Presence = NodeState::Presence;

NodeState told_by(const error_code& ec, const Stat& stat) {
    if (ec == server_error::no_node) return {.presence = Presence::missing};
    if (ec == server_error::no_auth) return {.presence = Presence::unreadable};
    if (ec) return {};
    return {Presence::readable, stat.czxid, stat.mzxid, stat.pzxid};
}

NodeState known_after(const NodeState& before, const NodeState& now) {
    if (now.presence == Presence::unknown) return before;
    const bool zxids_stay = now.presence == Presence::unreadable && before.presence == Presence::readable;
    return zxids_stay ? before : now;
}

std::optional<WatchEventType> missed_event(WatchKind kind, const NodeState& before, const NodeState& now) {
    const bool was_there = before.presence == Presence::readable || before.presence == Presence::unreadable;
    switch (now.presence) {
    case Presence::unknown: return std::nullopt;
    case Presence::missing: return was_there ? std::optional(WatchEventType::deleted) : std::nullopt;
    case Presence::unreadable:
    case Presence::readable: break;
    }
    if (before.presence == Presence::unknown) return std::nullopt;
    if (before.presence == Presence::missing) return WatchEventType::created;
    if (now.presence == Presence::unreadable) return std::nullopt; // the node still exists; more is not known
    const bool children = kind == WatchKind::children;
    const auto changed = children ? WatchEventType::children_changed : WatchEventType::data_changed;
    if (before.presence == Presence::unreadable) return changed;   // the node can be read now
    if (before.czxid != now.czxid) return WatchEventType::deleted; // another node has taken its place
    const bool same = children ? before.pzxid == now.pzxid : before.mzxid == now.mzxid;
    return same ? std::nullopt : std::optional(changed);
}

namespace {

/// The kinds that share one watch on the server.
std::vector<WatchKind> same_on_server(WatchKind kind) {
    if (kind == WatchKind::children) return {WatchKind::children};
    return {WatchKind::data, WatchKind::exists};
}

} // namespace

void WatchTable::append_live(const Entry& entry, WatchKind kind, std::vector<WatchSink>& into) {
    for (const Place& place : entry.places) {
        if (place.kind != kind) continue;
        auto sink = place.sink.lock();
        if (sink && std::find(into.begin(), into.end(), sink) == into.end()) into.push_back(std::move(sink));
    }
}

bool WatchTable::has_room(const std::string& path, WatchKind kind) const {
    const auto entry = entries_.find(path);
    if (entry != entries_.end() && entry->second.watch(kind).has_room()) return true;
    return bytes_ + cost(path) <= capacity;
}

std::size_t WatchTable::places() const {
    std::size_t count = 0;
    for (const auto& [path, entry] : entries_) count += entry.places.size();
    return count;
}

/// Applies a change to a watch, and updates bytes() and on_server().
template <typename Change> void WatchTable::update(Watch& watch, const std::string& path, Change change) {
    if (watch.has_room()) bytes_ -= cost(path);
    if (watch.on_server) --on_server_;
    change(watch);
    if (watch.on_server) ++on_server_;
    if (watch.has_room()) bytes_ += cost(path);
}

const std::string& WatchTable::reserve(const std::string& path, WatchKind kind) {
    auto& [kept_path, entry] = *entries_.try_emplace(path).first;
    update(entry.watch(kind), path, [](Watch& watch) { ++watch.on_the_way; });
    return kept_path;
}

void WatchTable::unreserve(const std::string& path, WatchKind kind) {
    const auto found = entries_.find(path);
    if (found == entries_.end()) return;
    update(found->second.watch(kind), path, [](Watch& watch) { --watch.on_the_way; });
    erase_if_unused(path);
}

void WatchTable::add(const std::string& path, WatchKind kind, const WatchSink& sink) {
    Entry& entry = entries_[path];
    place(entry, kind, sink);
    update(entry.watch(kind), path, [](Watch& watch) { watch.on_server = true; });
}

void WatchTable::add_unwatched(const std::string& path, WatchKind kind, const WatchSink& sink) {
    Entry& entry = entries_[path];
    place(entry, kind, sink);
    entry.watch(kind).by_looks = true;
}

void WatchTable::place(Entry& entry, WatchKind kind, const WatchSink& sink) {
    if (entry.places.size() >= entry.purge_at) {
        using Owners = std::set<std::weak_ptr<WatchSink::element_type>, std::owner_less<>>;
        std::array<Owners, 3> seen; // a sink that was added again on each connection is kept once
        std::erase_if(entry.places, [&seen](const Place& place) {
            return place.sink.expired() || !seen[static_cast<std::size_t>(place.kind)].insert(place.sink).second;
        });
        entry.purge_at = static_cast<std::uint32_t>(std::max<std::size_t>(8, 2 * entry.places.size()));
    }
    entry.places.push_back({sink, kind});
}

// ---- lost events

std::vector<WatchTable::LostEvent> WatchTable::on_told(const std::string& path, const NodeState& now, Time look_at) {
    std::vector<LostEvent> lost;
    const auto found = entries_.find(path);
    if (found == entries_.end() || now.presence == NodeState::Presence::unknown) return lost;
    Entry& entry = found->second;
    for (const WatchKind kind : {WatchKind::data, WatchKind::exists, WatchKind::children}) {
        const auto type = missed_event(kind, entry.known, now);
        if (!type) continue;
        auto same = std::find_if(lost.begin(), lost.end(), [&](const LostEvent& each) { return each.type == *type; });
        if (same == lost.end()) same = lost.insert(lost.end(), {*type, {}});
        append_live(entry, kind, same->sinks);
        // The watch may still be on the server, and the C client believes that it is: see is_abandoned().
        std::erase_if(entry.places, [kind](const Place& each) { return each.kind == kind; });
        entry.watch(kind).by_looks = false;
    }
    std::erase_if(lost, [](const LostEvent& each) { return each.sinks.empty(); });
    entry.known = known_after(entry.known, now);
    set_due(entry, look_at);
    return lost;
}

void WatchTable::set_due(Entry& entry, Time due) {
    entry.look_at = due;
    next_due_ = std::min(next_due_, due);
}

std::vector<std::string> WatchTable::due(Time now, std::size_t most, const std::function<Time()>& next) {
    if (now < next_due_) return {};
    next_due_ = Time::max();
    std::vector<std::pair<Time, const std::string*>> found;
    std::vector<std::string> unused;
    for (auto& [path, entry] : entries_) {
        const bool awaited =
            std::any_of(entry.places.begin(), entry.places.end(), [](const Place& each) { return !each.sink.expired(); });
        if (awaited && entry.look_at <= now) found.emplace_back(entry.look_at, &path);
        else if (awaited) next_due_ = std::min(next_due_, entry.look_at);
        if (awaited) continue;
        for (Watch& watch : entry.watches) watch.by_looks = false;
        if (is_unused(entry)) unused.push_back(path);
    }
    if (found.size() > most) {
        std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end());
        found.resize(most);
        next_due_ = now; // the rest is due already
    }
    std::vector<std::string> paths;
    paths.reserve(found.size());
    for (const auto& [when, path] : found) {
        paths.push_back(*path);
        set_due(entries_.at(*path), next());
    }
    for (const std::string& path : unused) entries_.erase(path);
    return paths;
}

void WatchTable::take_kind(Entry& entry, const std::string& path, WatchKind kind, std::vector<WatchSink>& into) {
    append_live(entry, kind, into);
    std::erase_if(entry.places, [kind](const Place& place) { return place.kind == kind; });
    update(entry.watch(kind), path, [](Watch& watch) {
        watch.on_server = false;
        watch.by_looks = false;
    });
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
        const Watch& watch = entry.watch(same);
        const bool awaited = std::any_of(entry.places.begin(), entry.places.end(),
                                         [same](const Place& place) { return place.kind == same && !place.sink.expired(); });
        if (awaited || watch.on_the_way > 0 || watch.removing) return false;
        on_server = on_server || watch.on_server;
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

const std::string& WatchTable::begin_removal(const std::string& path, WatchKind kind) {
    auto& [kept_path, entry] = *entries_.try_emplace(path).first;
    for (const WatchKind same : same_on_server(kind)) entry.watch(same).removing = true;
    return kept_path;
}

void WatchTable::end_removal(const std::string& path, WatchKind kind, bool removed) {
    const auto found = entries_.find(path);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    for (const WatchKind same : same_on_server(kind)) {
        entry.watch(same).removing = false;
        std::vector<WatchSink> nobody;
        if (removed) take_kind(entry, path, same, nobody);
    }
    erase_if_unused(path);
}

bool WatchTable::is_unused(const Entry& entry) {
    const auto in_use = [](const Watch& watch) { return watch.has_room() || watch.removing || watch.by_looks; };
    return std::none_of(entry.watches.begin(), entry.watches.end(), in_use);
}

void WatchTable::erase_if_unused(const std::string& path) {
    const auto found = entries_.find(path);
    if (found != entries_.end() && is_unused(found->second)) entries_.erase(found);
}

/// Room of requests that are under way stays reserved: their answers come, and release it.
std::vector<std::pair<std::string, WatchSink>> WatchTable::take_all() {
    std::vector<std::pair<std::string, WatchSink>> told;
    for (auto& [path, entry] : entries_) {
        std::vector<WatchSink> sinks;
        for (const WatchKind kind : {WatchKind::data, WatchKind::exists, WatchKind::children}) {
            take_kind(entry, path, kind, sinks);
        }
        for (WatchSink& sink : sinks) told.emplace_back(path, std::move(sink));
    }
    std::erase_if(entries_, [](const auto& each) { return is_unused(each.second); });
    return told;
}

} // namespace docent::zk
