// SPDX-License-Identifier: Apache-2.0
#include "fake_tree.hpp"

#include <docent/path.hpp>

#include <limits>

namespace docent::detail {

std::vector<std::string> FakeTree::paths() const {
    std::vector<std::string> all;
    for (const auto& [path, node] : nodes_) all.push_back(path);
    return all;
}

const FakeNode* FakeTree::find(const std::string& path) const {
    const auto node = nodes_.find(path);
    return node == nodes_.end() ? nullptr : &node->second;
}

std::vector<std::string> FakeTree::children(const std::string& path) const {
    const std::string prefix = path == "/" ? path : path + "/";
    std::vector<std::string> names;
    for (auto node = nodes_.upper_bound(prefix); node != nodes_.end() && node->first.starts_with(prefix); ++node) {
        auto name = node->first.substr(prefix.size());
        if (name.find('/') == std::string::npos) names.push_back(std::move(name));
    }
    return names;
}

void FakeTree::remove(const std::string& path, std::vector<FakeChange>& changes) {
    if (nodes_.erase(path) == 0) return;
    Stat& parent = nodes_.at(std::string(parent_path(path))).stat;
    --parent.num_children;
    parent.pzxid = zxid_;
    changes.push_back({path, WatchEventType::deleted});
    changes.push_back({std::string(parent_path(path)), WatchEventType::children_changed});
}

std::vector<FakeChange> FakeTree::apply(const FakeTxn& txn) {
    ++zxid_;
    std::vector<FakeChange> changes;
    if (const auto* create = std::get_if<FakeCreate>(&txn)) {
        FakeNode& node = nodes_[create->path];
        node.data = create->data;
        node.mode = create->mode;
        node.stat.czxid = node.stat.mzxid = node.stat.pzxid = zxid_;
        node.stat.ephemeral_owner = is_ephemeral(create->mode) ? create->owner : 0;
        FakeNode& parent = nodes_.at(std::string(parent_path(create->path)));
        if (parent.children_made < std::numeric_limits<std::int32_t>::max())
            ++parent.children_made; // as the server: it stays there
        ++parent.stat.num_children;
        parent.stat.pzxid = zxid_;
        changes.push_back({create->path, WatchEventType::created});
        changes.push_back({std::string(parent_path(create->path)), WatchEventType::children_changed});
    } else if (const auto* removed = std::get_if<FakeRemove>(&txn)) {
        remove(removed->path, changes);
    } else if (const auto* set = std::get_if<FakeSet>(&txn)) {
        FakeNode& node = nodes_.at(set->path);
        node.data = set->data;
        node.stat.mzxid = zxid_;
        ++node.stat.version;
        changes.push_back({set->path, WatchEventType::data_changed});
    } else if (const auto* count = std::get_if<FakeCount>(&txn)) {
        nodes_.at(count->path).children_made = count->children_made;
    } else if (const auto* end = std::get_if<FakeEndSession>(&txn)) {
        std::vector<std::string> owned;
        for (const auto& [path, node] : nodes_) {
            if (node.stat.ephemeral_owner == end->session) owned.push_back(path);
        }
        for (const auto& path : owned) remove(path, changes);
    }
    return changes;
}

} // namespace docent::detail
