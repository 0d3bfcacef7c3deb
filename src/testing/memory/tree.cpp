// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/tree.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <limits>

namespace docent::detail {
namespace {

/// As in the server: the version that it reports counts creates and removes, the version that it stores counts creates.
void count_changes(TreeNode& node) {
    node.stat.cversion = static_cast<std::int32_t>(2 * std::int64_t{node.children_made} - node.stat.num_children);
}

bool is_hidden(const TreeAcl& acl) {
    return !allows(acl, Permission::read);
}

} // namespace

void NodeTree::add_system_nodes(std::string config) {
    const auto readable = std::make_shared<const Acl>(read_only_acl());
    TreeNode& root = nodes_["/"];
    TreeNode& system = nodes_["/zookeeper"];
    TreeNode& configuration = nodes_["/zookeeper/config"];
    nodes_["/zookeeper/quota"];
    root.stat.num_children = 1;
    system.stat.num_children = 2;
    configuration.stat.data_length = static_cast<std::int32_t>(config.size());
    configuration.data = std::move(config);
    configuration.acl = readable;
    count_changes(root);
    count_changes(system);
}

std::vector<std::string> NodeTree::paths() const {
    std::vector<std::string> all;
    for (const auto& [path, node] : nodes_) all.push_back(path);
    return all;
}

std::vector<std::string> NodeTree::nodes_of(std::int64_t session) const {
    const auto owned = ephemerals_.find(session);
    if (owned == ephemerals_.end()) return {};
    return {owned->second.begin(), owned->second.end()};
}

std::size_t NodeTree::ephemeral_count() const {
    std::size_t count = 0;
    for (const auto& [session, owned] : ephemerals_) count += owned.size();
    return count;
}

std::vector<std::string> NodeTree::empty_containers() const {
    std::vector<std::string> empty;
    for (const auto& [path, node] : nodes_) {
        const bool used_up = node.children_made > 0 && node.stat.num_children == 0;
        if (node.mode == CreateMode::container && used_up) empty.push_back(path);
    }
    return empty;
}

std::vector<std::string> NodeTree::outlived_nodes(std::int64_t time) const {
    std::vector<std::string> outlived;
    for (const auto& [path, node] : nodes_) {
        if (!has_ttl(node.mode) || node.stat.num_children > 0) continue;
        if (time - node.stat.mtime > node.ttl.count()) outlived.push_back(path);
    }
    return outlived;
}

const TreeNode* NodeTree::find(const std::string& path) const {
    const auto node = nodes_.find(path);
    return node == nodes_.end() ? nullptr : &node->second;
}

std::vector<std::string> NodeTree::children(const std::string& path) const {
    const std::string prefix = path == "/" ? path : path + "/";
    constexpr char after_slash = '/' + 1;
    std::vector<std::string> names;
    for (auto node = nodes_.upper_bound(prefix); node != nodes_.end() && node->first.starts_with(prefix);) {
        const auto slash = node->first.find('/', prefix.size());
        if (slash == std::string::npos) {
            names.push_back(node->first.substr(prefix.size()));
            ++node;
        } else { // below a child: all these come one after the other
            node = nodes_.lower_bound(node->first.substr(0, slash) + after_slash);
        }
    }
    return names;
}

void NodeTree::remove(const std::string& path, std::vector<TreeChange>& changes) {
    const auto node = nodes_.find(path);
    if (node == nodes_.end()) return;
    const TreeAcl acl = node->second.acl;
    if (is_ephemeral(node->second.mode)) {
        const auto owned = ephemerals_.find(node->second.stat.ephemeral_owner);
        owned->second.erase(path);
        if (owned->second.empty()) ephemerals_.erase(owned);
    }
    nodes_.erase(node);
    TreeNode& parent = nodes_.at(std::string(parent_path(path)));
    --parent.stat.num_children;
    parent.stat.pzxid = zxid_;
    count_changes(parent);
    changes.push_back({path, WatchEventType::deleted, is_hidden(acl), acl});
    tell_of_children(path, changes);
}

void NodeTree::create(const TreeCreate& made, std::vector<TreeChange>& changes) {
    TreeNode& node = nodes_[made.path];
    node.data = made.data;
    node.mode = made.mode;
    node.acl = made.acl;
    node.ttl = made.ttl;
    node.stat.czxid = node.stat.mzxid = node.stat.pzxid = zxid_;
    node.stat.ctime = node.stat.mtime = made.time;
    node.stat.data_length = static_cast<std::int32_t>(made.data.size());
    if (is_ephemeral(made.mode)) {
        node.stat.ephemeral_owner = made.owner;
        ephemerals_[made.owner].insert(made.path);
    }
    TreeNode& parent = nodes_.at(std::string(parent_path(made.path)));
    if (parent.children_made < std::numeric_limits<std::int32_t>::max())
        ++parent.children_made; // as in the server: the number stays there
    ++parent.stat.num_children;
    parent.stat.pzxid = zxid_;
    count_changes(parent);
    changes.push_back({made.path, WatchEventType::created, is_hidden(made.acl), made.acl});
    tell_of_children(made.path, changes);
}

void NodeTree::tell_of_children(const std::string& child, std::vector<TreeChange>& changes) const {
    std::string parent(parent_path(child));
    const TreeAcl& acl = nodes_.at(parent).acl;
    changes.push_back({std::move(parent), WatchEventType::children_changed, is_hidden(acl), acl});
}

std::vector<TreeChange> NodeTree::apply(const TreeTxn& txn, bool joined) {
    if (!joined) ++zxid_;
    std::vector<TreeChange> changes;
    if (const auto* made = std::get_if<TreeCreate>(&txn)) {
        create(*made, changes);
    } else if (const auto* removed = std::get_if<TreeRemove>(&txn)) {
        remove(removed->path, changes);
    } else if (const auto* set = std::get_if<TreeSet>(&txn)) {
        TreeNode& node = nodes_.at(set->path);
        node.data = set->data;
        node.stat.data_length = static_cast<std::int32_t>(set->data.size());
        node.stat.mzxid = zxid_;
        node.stat.mtime = set->time;
        ++node.stat.version;
        changes.push_back({set->path, WatchEventType::data_changed, is_hidden(node.acl), node.acl});
    } else if (const auto* change = std::get_if<TreeSetAcl>(&txn)) {
        TreeNode& node = nodes_.at(change->path);
        node.acl = change->acl;
        ++node.stat.aversion;
    } else if (const auto* count = std::get_if<TreeCount>(&txn)) {
        nodes_.at(count->path).children_made = count->children_made;
    } else if (const auto* end = std::get_if<TreeEndSession>(&txn)) {
        for (const auto& path : nodes_of(end->session)) remove(path, changes);
    }
    return changes;
}

// ---- TreeUndo

void TreeUndo::note(const std::string& path) {
    const TreeNode* const node = tree_.find(path);
    before_.emplace_back(path, node != nullptr ? std::optional(*node) : std::nullopt);
}

void TreeUndo::note(const TreeTxn& txn) {
    std::visit(
        [this](const auto& each) {
            if constexpr (requires { each.path; }) {
                note(std::string(parent_path(each.path)));
                note(each.path);
            }
        },
        txn);
}

void TreeUndo::undo() {
    for (; !before_.empty(); before_.pop_back()) {
        auto& [path, old] = before_.back();
        if (const TreeNode* const now = tree_.find(path); now != nullptr && is_ephemeral(now->mode)) {
            const auto owned = tree_.ephemerals_.find(now->stat.ephemeral_owner);
            owned->second.erase(path);
            if (owned->second.empty()) tree_.ephemerals_.erase(owned);
        }
        if (!old) {
            tree_.nodes_.erase(path);
            continue;
        }
        if (is_ephemeral(old->mode)) tree_.ephemerals_[old->stat.ephemeral_owner].insert(path);
        tree_.nodes_[path] = std::move(*old);
    }
    tree_.zxid_ = zxid_;
}

} // namespace docent::detail
