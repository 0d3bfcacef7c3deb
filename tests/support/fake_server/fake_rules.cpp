// SPDX-License-Identifier: Apache-2.0
#include "fake_rules.hpp"

#include <docent/acl.hpp>
#include <docent/path.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace docent::detail {
namespace {

/// The effect of one operation of a write.
struct Ruling {
    error_code ec = {};
    std::vector<FakeTxn> txns = {}; // one; none for a check
    std::string path = {};          // of the created node
};

/// Returns null for an open ACL.
FakeAcl kept(const Acl& acl) {
    if (acl.empty() || acl == open_acl()) return nullptr;
    return std::make_shared<const Acl>(acl);
}

/// Decides by the tree after the operations before. If there are two errors, the rules also say which one is reported.
struct Judge {
    const FakeTree& tree;
    std::int64_t session;
    const FakeNumber& number;

    error_code refuse(const std::string& path, std::int32_t version) const {
        const FakeNode* node = tree.find(path);
        if (node == nullptr) return server_error::no_node;
        if (version != -1 && version != node->stat.version) return server_error::bad_version;
        return {};
    }

    Ruling operator()(const zk::CreateRequest& create) const {
        const FakeNode* parent = tree.find(std::string(parent_path(create.path)));
        if (parent == nullptr) return {.ec = server_error::no_node};
        std::string path = create.path;
        if (is_sequential(create.mode)) {
            char digits[16];
            std::snprintf(digits, sizeof digits, "%010d", number(*parent));
            path += digits;
        }
        if (tree.find(path) != nullptr) return {.ec = server_error::node_exists};
        if (is_ephemeral(parent->mode)) return {.ec = server_error::no_children_for_ephemerals};
        return {.txns = {FakeCreate{path, create.data, create.mode, session, kept(create.acl)}}, .path = path};
    }
    Ruling operator()(const zk::RemoveRequest& remove) const {
        if (remove.path == "/") return {.ec = server_error::bad_arguments};
        if (const error_code ec = refuse(remove.path, remove.version)) return {.ec = ec};
        if (tree.find(remove.path)->stat.num_children > 0) return {.ec = server_error::not_empty};
        return {.txns = {FakeRemove{remove.path}}};
    }
    Ruling operator()(const zk::SetRequest& set) const {
        if (const error_code ec = refuse(set.path, set.version)) return {.ec = ec};
        return {.txns = {FakeSet{set.path, set.data}}};
    }
    Ruling operator()(const zk::CheckRequest& check) const {
        const FakeNode* node = tree.find(check.path);
        if (node != nullptr && !allows(node->acl, Permission::read)) return {.ec = server_error::no_auth};
        return {.ec = refuse(check.path, check.version)};
    }
};

void apply(FakeTree& tree, const std::vector<FakeTxn>& txns, FakeWritten& written) {
    for (const FakeTxn& txn : txns) {
        for (auto& change : tree.apply(txn, !written.txns.empty())) written.changes.push_back(std::move(change));
        written.txns.push_back(txn);
    }
}

FakeWritten write_one(FakeTree& tree, const Judge& judge, const zk::MultiOperation& operation) {
    const Ruling ruling = std::visit(judge, operation);
    FakeWritten written{.reply = {.ec = ruling.ec, .path = ruling.path}};
    apply(tree, ruling.txns, written);
    if (ruling.ec || std::holds_alternative<zk::RemoveRequest>(operation)) return written;
    const auto* set = std::get_if<zk::SetRequest>(&operation);
    written.reply.stat = tree.find(set != nullptr ? set->path : ruling.path)->stat;
    return written;
}

FakeWritten write_acl(FakeTree& tree, const zk::SetAclRequest& request) {
    const FakeNode* node = tree.find(request.path);
    if (node == nullptr) return {.reply = {.ec = server_error::no_node}};
    if (!allows(node->acl, Permission::admin)) return {.reply = {.ec = server_error::no_auth}};
    if (request.version != -1 && request.version != node->stat.aversion) return {.reply = {.ec = server_error::bad_version}};
    FakeWritten written;
    apply(tree, {FakeSetAcl{request.path, kept(request.acl)}}, written);
    return written;
}

/// If an operation fails, none is applied. The results before it are successes. The results behind it say that they were not
/// tried.
FakeWritten write_all(FakeTree& tree, std::int64_t session, const zk::MultiRequest& multi, const FakeNumber& number) {
    FakeTree trial = tree;
    FakeWritten written;
    auto& results = written.reply.results;
    for (const auto& operation : multi.operations) {
        const Ruling ruling = std::visit(Judge{trial, session, number}, operation);
        auto& result = results.emplace_back(zk::MultiResult{.ec = ruling.ec, .path = ruling.path});
        if (ruling.ec) {
            written.reply.ec = ruling.ec;
            break;
        }
        apply(trial, ruling.txns, written);
        if (const auto* set = std::get_if<zk::SetRequest>(&operation)) result.stat = trial.find(set->path)->stat;
    }
    if (!written.reply.ec) {
        tree = std::move(trial);
        return written;
    }
    results.resize(multi.operations.size(), {.ec = server_error::runtime_inconsistency});
    for (auto& result : results) result = {.ec = result.ec};
    return {.reply = std::move(written.reply)};
}

} // namespace

std::int32_t next_number(const FakeNode& parent) {
    return parent.children_made;
}

zk::Reply read(const FakeTree& tree, const zk::Request& request, ExistsNeeds exists_needs) {
    const bool get = std::holds_alternative<zk::GetRequest>(request);
    const bool list = std::holds_alternative<zk::ChildrenRequest>(request);
    const bool exists = std::holds_alternative<zk::ExistsRequest>(request);
    const bool acl = std::holds_alternative<zk::GetAclRequest>(request);
    if (!get && !list && !exists && !acl) return {.ec = server_error::unimplemented};
    const std::string& path = zk::path_of(request);
    const FakeNode* node = tree.find(path);
    if (node == nullptr) return {.ec = server_error::no_node};
    const bool readable = allows(node->acl, Permission::read) || (exists && exists_needs == ExistsNeeds::nothing) ||
                          (acl && allows(node->acl, Permission::admin));
    if (!readable) return {.ec = server_error::no_auth};
    zk::Reply reply{.stat = node->stat};
    if (get) reply.data = node->data;
    if (acl) reply.acl = node->acl ? *node->acl : open_acl();
    if (list) reply.children = tree.children(path);
    return reply;
}

bool leaves_watch(const zk::Request& request, const error_code& ec) {
    return std::visit(
        [&](const auto& each) {
            if constexpr (!requires { each.watch; }) return false;
            else if (!each.watch) return false;
            else return !ec || (std::is_same_v<std::decay_t<decltype(each)>, zk::ExistsRequest> && ec == server_error::no_node);
        },
        request);
}

FakeWritten write(FakeTree& tree, std::int64_t session, const zk::Request& request, const FakeNumber& number) {
    const Judge judge{tree, session, number};
    return std::visit(
        [&](const auto& each) -> FakeWritten {
            using Each = std::decay_t<decltype(each)>;
            if constexpr (std::is_same_v<Each, zk::SyncRequest>) return {};
            else if constexpr (std::is_same_v<Each, zk::SetAclRequest>) return write_acl(tree, each);
            else if constexpr (std::is_same_v<Each, zk::MultiRequest>) return write_all(tree, session, each, number);
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
