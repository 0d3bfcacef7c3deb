// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tree of znodes that one fake server knows, as far as locks need it.

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

/// Absent: everybody may do everything.
using FakeAcl = std::shared_ptr<const Acl>;

struct FakeNode {
    std::string data;
    CreateMode mode = CreateMode::persistent;
    Stat stat;
    std::int32_t children_made = 0; // what the next sequential child is numbered by
    FakeAcl acl = {};
};

/// Clients of fakes have no credentials: they are anyone. READ and ADMIN are looked at, other permissions are not.
bool allows(const FakeAcl& acl, Permission permission);

struct FakeCreate {
    std::string path; // with its digits
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
/// No request does this: it stands for all the children that were made before.
struct FakeCount {
    std::string path;
    std::int32_t children_made;
};
using FakeTxn = std::variant<FakeCreate, FakeRemove, FakeSet, FakeSetAcl, FakeEndSession, FakeCount>;

struct FakeChange {
    std::string path;
    WatchEventType type;
    bool hidden = false; // the node may not be read: servers tell nobody of it (ZOOKEEPER-4799)
};

class FakeTree {
public:
    FakeTree() { nodes_["/"]; }

    /// What is applied from now on is younger than all that there was, in any past.
    void begin_epoch(std::int64_t epoch) { zxid_ = epoch << 32U; }
    /// Applies what the leader has found to be valid, in the leader's order. `joined`: as a part of the transaction before.
    std::vector<FakeChange> apply(const FakeTxn& txn, bool joined = false);

    const FakeNode* find(const std::string& path) const;
    std::vector<std::string> children(const std::string& path) const;
    std::vector<std::string> paths() const;
    const std::map<std::string, FakeNode>& nodes() const { return nodes_; } // by path
    /// Those that a server removes by and by: they have had children, and have none.
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
