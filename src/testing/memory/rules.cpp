// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/rules.hpp"

#include <docent/acl.hpp>
#include <docent/path.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace docent::detail {
namespace {

/// The longest TTL: 40 bits of milliseconds.
constexpr std::chrono::milliseconds longest_ttl{0xff'ffff'ffff};

/// The effect of one operation of a write.
struct Ruling {
    error_code ec = {};
    std::vector<TreeTxn> txns = {}; // one; none for a check
    std::string path = {};          // of the created node
};

/// Returns null for an open ACL.
TreeAcl kept(const Acl& acl) {
    if (acl.empty() || acl == open_acl()) return nullptr;
    return std::make_shared<const Acl>(acl);
}

bool is_system_node(const std::string& path) {
    return path == "/" || path == "/zookeeper" || path == zk::config_path || path == "/zookeeper/quota";
}

/// Decides about one operation of a write, by the tree after the earlier operations of the same multi. If there are several
/// errors, the order of the checks decides which error is reported.
struct Judge {
    const NodeTree& tree;
    const Caller& caller;
    const TreeNumber& number;

    bool is_wrong(const std::string& path) const { return caller.checked && check_path(path); }
    bool may(const TreeNode& node, Permission permission) const { return allows(node.acl, permission, caller.identities); }

    /// Checks one node: that it exists, that the caller has the permission, and the version.
    error_code refuse(const std::string& path, Permission permission, std::int32_t version) const {
        if (is_wrong(path)) return server_error::bad_arguments;
        const TreeNode* node = tree.find(path);
        if (node == nullptr) return server_error::no_node;
        if (!may(*node, permission)) return server_error::no_auth;
        if (version != -1 && version != node->stat.version) return server_error::bad_version;
        return {};
    }
    /// Checks a create before the server looks at any node.
    error_code refuse_terms(const zk::CreateRequest& create, Acl& acl) const {
        if (!caller.checked) return {};
        if (has_ttl(create.mode)) {
            if (!caller.extended_types) return server_error::unimplemented;
            if (create.ttl.count() <= 0 || create.ttl > longest_ttl) return server_error::bad_arguments;
        }
        if (create.path.find('/') == std::string::npos || create.path.find('\0') != std::string::npos)
            return server_error::bad_arguments;
        auto stored = stored_acl(create.acl, caller.identities);
        if (!stored) return server_error::invalid_acl;
        acl = std::move(*stored);
        return {};
    }

    Ruling operator()(const zk::CreateRequest& create) const {
        Acl acl = create.acl;
        if (const error_code ec = refuse_terms(create, acl)) return {.ec = ec};
        const TreeNode* parent = tree.find(std::string(parent_path(create.path)));
        if (parent == nullptr) return {.ec = server_error::no_node};
        if (!may(*parent, Permission::create)) return {.ec = server_error::no_auth};
        std::string path = create.path;
        if (is_sequential(create.mode)) {
            char digits[16];
            std::snprintf(digits, sizeof digits, "%010d", number(*parent));
            path += digits;
        }
        if (is_wrong(path)) return {.ec = server_error::bad_arguments};
        if (tree.find(path) != nullptr) return {.ec = server_error::node_exists};
        if (is_ephemeral(parent->mode)) return {.ec = server_error::no_children_for_ephemerals};
        return {.txns = {TreeCreate{path, create.data, create.mode, caller.session, kept(acl), create.ttl, caller.time}},
                .path = path};
    }
    Ruling operator()(const zk::RemoveRequest& remove) const {
        if (remove.path == "/" || (caller.checked && (is_system_node(remove.path) || !remove.path.starts_with('/'))))
            return {.ec = server_error::bad_arguments};
        const TreeNode* parent = tree.find(std::string(parent_path(remove.path)));
        if (parent == nullptr) return {.ec = server_error::no_node};
        if (!may(*parent, Permission::delete_)) return {.ec = server_error::no_auth};
        const TreeNode* node = tree.find(remove.path);
        if (node == nullptr) return {.ec = server_error::no_node};
        if (remove.version != -1 && remove.version != node->stat.version) return {.ec = server_error::bad_version};
        if (node->stat.num_children > 0) return {.ec = server_error::not_empty};
        return {.txns = {TreeRemove{remove.path}}};
    }
    Ruling operator()(const zk::SetRequest& set) const {
        if (const error_code ec = refuse(set.path, Permission::write, set.version)) return {.ec = ec};
        return {.txns = {TreeSet{set.path, set.data, caller.time}}};
    }
    Ruling operator()(const zk::CheckRequest& check) const {
        return {.ec = refuse(check.path, Permission::read, check.version)};
    }
};

void apply(NodeTree& tree, const std::vector<TreeTxn>& txns, TreeWritten& written) {
    for (const TreeTxn& txn : txns) {
        for (auto& change : tree.apply(txn, !written.txns.empty())) written.changes.push_back(std::move(change));
        written.txns.push_back(txn);
    }
}

TreeWritten write_one(NodeTree& tree, const Judge& judge, const zk::MultiOperation& operation) {
    const Ruling ruling = std::visit(judge, operation);
    TreeWritten written{.reply = {.ec = ruling.ec, .path = ruling.path}};
    apply(tree, ruling.txns, written);
    if (ruling.ec || std::holds_alternative<zk::RemoveRequest>(operation)) return written;
    const auto* set = std::get_if<zk::SetRequest>(&operation);
    written.reply.stat = tree.find(set != nullptr ? set->path : ruling.path)->stat;
    return written;
}

TreeWritten write_acl(NodeTree& tree, const Caller& caller, const zk::SetAclRequest& request) {
    Acl acl = request.acl;
    if (caller.checked) {
        if (check_path(request.path)) return {.reply = {.ec = server_error::bad_arguments}};
        auto stored = stored_acl(acl, caller.identities);
        if (!stored) return {.reply = {.ec = server_error::invalid_acl}};
        acl = std::move(*stored);
    }
    const TreeNode* node = tree.find(request.path);
    if (node == nullptr) return {.reply = {.ec = server_error::no_node}};
    if (!allows(node->acl, Permission::admin, caller.identities)) return {.reply = {.ec = server_error::no_auth}};
    if (request.version != -1 && request.version != node->stat.aversion) return {.reply = {.ec = server_error::bad_version}};
    TreeWritten written;
    apply(tree, {TreeSetAcl{request.path, kept(acl)}}, written);
    if (caller.checked) written.reply.stat = tree.find(request.path)->stat;
    return written;
}

/// If an operation fails, none is applied. The results before it are successes. The results behind it say that they were not
/// tried.
TreeWritten write_all(NodeTree& tree, const Judge& judge, const zk::MultiRequest& multi) {
    TreeUndo undo(tree);
    TreeWritten written;
    auto& results = written.reply.results;
    for (const auto& operation : multi.operations) {
        const Ruling ruling = std::visit(judge, operation);
        auto& result = results.emplace_back(zk::MultiResult{.ec = ruling.ec, .path = ruling.path});
        if (ruling.ec) {
            written.reply.ec = ruling.ec;
            break;
        }
        for (const auto& txn : ruling.txns) undo.note(txn);
        apply(tree, ruling.txns, written);
        if (const auto* set = std::get_if<zk::SetRequest>(&operation)) result.stat = tree.find(set->path)->stat;
        if (judge.caller.checked && !ruling.path.empty()) result.stat = tree.find(ruling.path)->stat;
    }
    if (!written.reply.ec) return written;
    undo.undo();
    results.resize(multi.operations.size(), {.ec = server_error::runtime_inconsistency});
    for (auto& result : results) result = {.ec = result.ec};
    return {.reply = std::move(written.reply)};
}

} // namespace

std::int32_t next_number(const TreeNode& parent) {
    return parent.children_made;
}

zk::Reply read(const NodeTree& tree, const zk::Request& request, ExistsNeeds exists_needs,
               const std::vector<Identity>& identities) {
    const bool get = std::holds_alternative<zk::GetRequest>(request);
    const bool list = std::holds_alternative<zk::ChildrenRequest>(request);
    const bool exists = std::holds_alternative<zk::ExistsRequest>(request);
    const bool acl = std::holds_alternative<zk::GetAclRequest>(request);
    if (!get && !list && !exists && !acl) return {.ec = server_error::unimplemented};
    const std::string& path = zk::path_of(request);
    const TreeNode* node = tree.find(path);
    if (node == nullptr) return {.ec = server_error::no_node};
    const bool admin = allows(node->acl, Permission::admin, identities);
    const bool readable =
        allows(node->acl, Permission::read, identities) || (exists && exists_needs == ExistsNeeds::nothing) || (acl && admin);
    if (!readable) return {.ec = server_error::no_auth};
    zk::Reply reply{.stat = node->stat};
    if (get) reply.data = node->data;
    if (acl) {
        reply.acl = node->acl ? *node->acl : open_acl();
        if (!admin) reply.acl = without_hashes(std::move(reply.acl));
    }
    if (list) reply.children = tree.children(path);
    return reply;
}

bool leaves_watch(const zk::Request& request, const error_code& ec) {
    return std::visit(
        [&](const auto& each) {
            constexpr bool is_exists = std::is_same_v<std::decay_t<decltype(each)>, zk::ExistsRequest>;
            if constexpr (requires { each.watch; }) return each.watch && (!ec || (is_exists && ec == server_error::no_node));
            else return false;
        },
        request);
}

TreeWritten write(NodeTree& tree, const Caller& caller, const zk::Request& request, const TreeNumber& number) {
    const Judge judge{tree, caller, number};
    return std::visit(
        [&](const auto& each) -> TreeWritten {
            using Each = std::decay_t<decltype(each)>;
            if constexpr (std::is_same_v<Each, zk::SyncRequest>) return {};
            else if constexpr (std::is_same_v<Each, zk::SetAclRequest>) return write_acl(tree, caller, each);
            else if constexpr (std::is_same_v<Each, zk::MultiRequest>) return write_all(tree, judge, each);
            else if constexpr (std::is_constructible_v<zk::MultiOperation, Each>) return write_one(tree, judge, each);
            else return {.reply = {.ec = server_error::unimplemented}};
        },
        request);
}

zk::Request with_open_acls(zk::Request request) {
    const auto fill = [](auto& each) {
        if constexpr (requires { each.mode; }) each.acl = each.acl.empty() ? open_acl() : std::move(each.acl);
    };
    if (auto* multi = std::get_if<zk::MultiRequest>(&request)) {
        for (auto& operation : multi->operations) std::visit(fill, operation);
    }
    std::visit(fill, request);
    return request;
}

} // namespace docent::detail
