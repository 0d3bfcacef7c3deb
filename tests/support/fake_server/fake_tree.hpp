// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tree of nodes that a fake server knows, as far as recipes need it.

#include <docent/acl.hpp>
#include <docent/create_mode.hpp>
#include <docent/stat.hpp>
#include <docent/watch_event.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace docent::detail {

/// Null: every client may do everything.
using FakeAcl = std::shared_ptr<const Acl>;

struct FakeNode {
    std::string data;
    CreateMode mode = CreateMode::persistent;
    Stat stat;
    std::int32_t children_made = 0; // number of the next sequential child
    FakeAcl acl = {};
};

/// Clients of fakes have no credentials: they are `anyone`. Only READ and ADMIN are checked.
bool allows(const FakeAcl& acl, Permission permission);

struct FakeCreate {
    std::string path; // with the sequence number
    std::string data;
    CreateMode mode;
    std::int64_t owner; // the session
    FakeAcl acl = {};
};
struct FakeRemove {
    std::string path;
};
struct FakeSet {
    std::string path;
    std::string data;
};
struct FakeSetAcl {
    std::string path;
    FakeAcl acl;
};
struct FakeEndSession {
    std::int64_t session;
};
/// Stands for all children that were created before. No request does this.
struct FakeCount {
    std::string path;
    std::int32_t children_made;
};
using FakeTxn = std::variant<FakeCreate, FakeRemove, FakeSet, FakeSetAcl, FakeEndSession, FakeCount>;

struct FakeChange {
    std::string path;
    WatchEventType type;
    bool hidden = false; // the node may not be read: servers tell no client (ZOOKEEPER-4799)
};

class FakeTree {
public:
    FakeTree() { nodes_["/"]; }

    /// All later changes are newer than all earlier changes, also than changes that were lost.
    void begin_epoch(std::int64_t epoch) { zxid_ = epoch << 32U; }
    /// Applies a change that the leader has accepted, in the leader's order. `joined`: part of the same transaction as the
    /// change before.
    std::vector<FakeChange> apply(const FakeTxn& txn, bool joined = false);

    const FakeNode* find(const std::string& path) const;
    std::vector<std::string> children(const std::string& path) const;
    std::vector<std::string> paths() const;
    const std::map<std::string, FakeNode>& nodes() const { return nodes_; } // by path
    /// Returns the containers that a server removes after some time: they had children, and have none.
    std::vector<std::string> empty_containers() const;
    std::int64_t zxid() const { return zxid_; }

private:
    void create(const FakeCreate& made, std::vector<FakeChange>& changes);
    void remove(const std::string& path, std::vector<FakeChange>& changes);
    void tell_of_children(const std::string& child, std::vector<FakeChange>& changes) const;

    std::map<std::string, FakeNode> nodes_;
    std::int64_t zxid_ = 0;
};

} // namespace docent::detail
