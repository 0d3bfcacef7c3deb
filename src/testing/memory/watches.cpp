// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/watches.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <utility>

namespace docent::testing {
namespace {

bool has(const std::vector<Peer*>& peers, const Peer& peer) {
    return std::find(peers.begin(), peers.end(), &peer) != peers.end();
}

void add_to(std::vector<Peer*>& peers, Peer& peer) {
    if (!has(peers, peer)) peers.push_back(&peer);
}

} // namespace

void Watches::add(Peer& peer, const std::string& path, WatchType type) {
    if (type == WatchType::persistent) remove(peer, path, WatchType::recursive);
    if (type == WatchType::recursive) remove(peer, path, WatchType::persistent);
    add_to(table(type)[path], peer);
}

bool Watches::remove(Peer& peer, const std::string& path, WatchType type) {
    auto& all = table(type);
    const auto found = all.find(path);
    if (found == all.end() || std::erase(found->second, &peer) == 0) return false;
    if (found->second.empty()) all.erase(found);
    return true;
}

bool Watches::contains(Peer& peer, const std::string& path, WatchType type) const {
    const auto found = table(type).find(path);
    return found != table(type).end() && has(found->second, peer);
}

void Watches::forget(Peer& peer) {
    for (auto& all : tables_) {
        for (auto each = all.begin(); each != all.end();) {
            std::erase(each->second, &peer);
            each = each->second.empty() ? all.erase(each) : std::next(each);
        }
    }
}

std::size_t Watches::size() const {
    std::size_t count = 0;
    for (const auto& all : tables_) {
        for (const auto& [path, peers] : all) count += peers.size();
    }
    return count;
}

std::vector<Peer*> Watches::fire(const std::string& path, WatchEventType type) {
    std::vector<Peer*> told;
    const auto end_watches = [&](WatchType kind) {
        const auto found = table(kind).find(path);
        if (found == table(kind).end()) return;
        for (Peer* const peer : std::exchange(found->second, {})) add_to(told, *peer);
        table(kind).erase(found);
    };
    const auto tell = [&](WatchType kind, const std::string& watched) {
        const auto found = table(kind).find(watched);
        if (found == table(kind).end()) return;
        for (Peer* const peer : found->second) add_to(told, *peer);
    };
    const bool children = type == WatchEventType::children_changed;
    if (!children) end_watches(WatchType::data);
    if (children || type == WatchEventType::deleted) end_watches(WatchType::children);
    tell(WatchType::persistent, path);
    if (!children) { // a recursive watch reports each descendant instead
        tell(WatchType::recursive, path);
        for (const auto& ancestor : ancestor_paths(path)) tell(WatchType::recursive, ancestor);
        if (path != "/") tell(WatchType::recursive, "/");
    }
    return told;
}

} // namespace docent::testing
