// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tree of nodes that a server in memory knows. Tests of docent's recipes use it as well.

#include "testing/memory/acl_rules.hpp"

#include <docent/create_mode.hpp>
#include <docent/stat.hpp>
#include <docent/watch_event.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace docent::detail {

struct TreeNode {
    std::string data;
    CreateMode mode = CreateMode::persistent;
    Stat stat;
    std::int32_t children_made = 0; // number of the next sequential child
    TreeAcl acl = {};
    std::chrono::milliseconds ttl{0};
};

// ---- changes; `time` is in milliseconds, as in Stat::ctime

struct TreeCreate {
    std::string path; // with the sequence number
    std::string data;
    CreateMode mode;
    std::int64_t owner; // the session
    TreeAcl acl = {};
    std::chrono::milliseconds ttl{0};
    std::int64_t time = 0;
};
struct TreeRemove {
    std::string path;
};
struct TreeSet {
    std::string path;
    std::string data;
    std::int64_t time = 0;
};
struct TreeSetAcl {
    std::string path;
    TreeAcl acl;
};
struct TreeEndSession {
    std::int64_t session;
};
/// Sets TreeNode::children_made, as if so many children had been created before. No request does this.
struct TreeCount {
    std::string path;
    std::int32_t children_made;
};
using TreeTxn = std::variant<TreeCreate, TreeRemove, TreeSet, TreeSetAcl, TreeEndSession, TreeCount>;

struct TreeChange {
    std::string path;
    WatchEventType type;
    bool hidden = false; // the node may not be read: servers tell no client (ZOOKEEPER-4799)
    TreeAcl acl = {};    // the node's
};

class NodeTree {
public:
    NodeTree() { nodes_["/"]; }

    /// Adds the nodes below `/zookeeper` that each server has from the start.
    void add_system_nodes(std::string config);
    /// All later changes are newer than all earlier changes, also than changes that were lost.
    void begin_epoch(std::int64_t epoch) { zxid_ = epoch << 32U; }
    /// Applies a change that the leader has accepted, in the leader's order. `joined`: part of the same transaction as the
    /// change before.
    std::vector<TreeChange> apply(const TreeTxn& txn, bool joined = false);

    const TreeNode* find(const std::string& path) const;
    /// Returns the names of the children, sorted.
    std::vector<std::string> children(const std::string& path) const;
    std::vector<std::string> paths() const;
    const std::map<std::string, TreeNode>& nodes() const { return nodes_; } // by path
    /// Returns the ephemeral nodes of a session.
    std::vector<std::string> nodes_of(std::int64_t session) const;
    std::size_t ephemeral_count() const;
    /// Returns the containers that a server removes after some time: they had children, and have none.
    std::vector<std::string> empty_containers() const;
    /// Returns the nodes without children that were unchanged for longer than their TTL at this time.
    std::vector<std::string> outlived_nodes(std::int64_t time) const;
    std::int64_t zxid() const { return zxid_; }

private:
    friend class TreeUndo;
    void create(const TreeCreate& made, std::vector<TreeChange>& changes);
    void remove(const std::string& path, std::vector<TreeChange>& changes);
    void tell_of_children(const std::string& child, std::vector<TreeChange>& changes) const;

    std::map<std::string, TreeNode> nodes_;
    std::map<std::int64_t, std::set<std::string>> ephemerals_; // by session
    std::int64_t zxid_ = 0;
};

/// Remembers the nodes that the next changes touch, so that they can be taken back.
class TreeUndo {
public:
    explicit TreeUndo(NodeTree& tree) : tree_(tree), zxid_(tree.zxid_) {}

    /// Call before the tree applies `txn`: a create, a remove or a set.
    void note(const TreeTxn& txn);
    /// Takes back all changes since the first note().
    void undo();

private:
    void note(const std::string& path);

    NodeTree& tree_;
    const std::int64_t zxid_;
    std::vector<std::pair<std::string, std::optional<TreeNode>>> before_;
};

} // namespace docent::detail
