// SPDX-License-Identifier: Apache-2.0
#include "fake_tree.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <limits>

namespace docent::detail {
namespace {

/// As in the server: the version that it reports counts creates and removes, the version that it stores counts creates.
void count_changes(FakeNode& node) {
    node.stat.cversion = static_cast<std::int32_t>(2 * std::int64_t{node.children_made} - node.stat.num_children);
}

} // namespace

bool allows(const FakeAcl& acl, Permission permission) {
    if (!acl) return true;
    return std::any_of(acl->begin(), acl->end(), [permission](const AclEntry& entry) {
        const auto given = static_cast<std::int32_t>(entry.permissions);
        return entry.scheme == "world" && (given & static_cast<std::int32_t>(permission)) != 0;
    });
}

std::vector<std::string> FakeTree::paths() const {
    std::vector<std::string> all;
    for (const auto& [path, node] : nodes_) all.push_back(path);
    return all;
}

std::vector<std::string> FakeTree::empty_containers() const {
    std::vector<std::string> empty;
    for (const auto& [path, node] : nodes_) {
        const bool used_up = node.children_made > 0 && node.stat.num_children == 0;
        if (node.mode == CreateMode::container && used_up) empty.push_back(path);
    }
    return empty;
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
    const auto node = nodes_.find(path);
    if (node == nodes_.end()) return;
    const bool hidden = !allows(node->second.acl, Permission::read);
    nodes_.erase(node);
    FakeNode& parent = nodes_.at(std::string(parent_path(path)));
    --parent.stat.num_children;
    parent.stat.pzxid = zxid_;
    count_changes(parent);
    changes.push_back({path, WatchEventType::deleted, hidden});
    tell_of_children(path, changes);
}

void FakeTree::create(const FakeCreate& made, std::vector<FakeChange>& changes) {
    FakeNode& node = nodes_[made.path];
    node.data = made.data;
    node.mode = made.mode;
    node.acl = made.acl;
    node.stat.czxid = node.stat.mzxid = node.stat.pzxid = zxid_;
    node.stat.data_length = static_cast<std::int32_t>(made.data.size());
    node.stat.ephemeral_owner = is_ephemeral(made.mode) ? made.owner : 0;
    FakeNode& parent = nodes_.at(std::string(parent_path(made.path)));
    if (parent.children_made < std::numeric_limits<std::int32_t>::max())
        ++parent.children_made; // as in the server: the number stays there
    ++parent.stat.num_children;
    parent.stat.pzxid = zxid_;
    count_changes(parent);
    changes.push_back({made.path, WatchEventType::created, !allows(made.acl, Permission::read)});
    tell_of_children(made.path, changes);
}

void FakeTree::tell_of_children(const std::string& child, std::vector<FakeChange>& changes) const {
    std::string parent(parent_path(child));
    const bool hidden = !allows(nodes_.at(parent).acl, Permission::read);
    changes.push_back({std::move(parent), WatchEventType::children_changed, hidden});
}

std::vector<FakeChange> FakeTree::apply(const FakeTxn& txn, bool joined) {
    if (!joined) ++zxid_;
    std::vector<FakeChange> changes;
    if (const auto* made = std::get_if<FakeCreate>(&txn)) {
        create(*made, changes);
    } else if (const auto* removed = std::get_if<FakeRemove>(&txn)) {
        remove(removed->path, changes);
    } else if (const auto* set = std::get_if<FakeSet>(&txn)) {
        FakeNode& node = nodes_.at(set->path);
        node.data = set->data;
        node.stat.data_length = static_cast<std::int32_t>(set->data.size());
        node.stat.mzxid = zxid_;
        ++node.stat.version;
        changes.push_back({set->path, WatchEventType::data_changed, !allows(node.acl, Permission::read)});
    } else if (const auto* change = std::get_if<FakeSetAcl>(&txn)) {
        FakeNode& node = nodes_.at(change->path);
        node.acl = change->acl;
        ++node.stat.aversion;
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
