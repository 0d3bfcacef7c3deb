// SPDX-License-Identifier: Apache-2.0
#pragma once

// The results of Client's operations, and the functions to which the templates of async_client.hpp pass their arguments.

#include <docent/acl.hpp>
#include <docent/call_options.hpp>
#include <docent/detail/async.hpp>
#include <docent/export.hpp>
#include <docent/operation_options.hpp>
#include <docent/stat.hpp>
#include <docent/transaction.hpp>
#include <docent/watch.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent {

/// The result of Client::create.
/// ```cpp
/// docent::CreateOptions options{.mode = docent::CreateMode::ephemeral_sequential};
/// docent::Created member = client.create("/members/m-", "host1:8080", options);
/// std::string name = member.path; // "/members/m-0000000007"
/// std::int64_t session = member.stat.ephemeral_owner;
/// ```
/// @ingroup client
struct Created {
    /// The path of the new node, with the server's digits and the protection prefix.
    ///
    /// After an error: the path of a missing parent that the ACL forbids to create, as the servers know it; otherwise empty.
    std::string path;
    Stat stat; ///< The metadata of the node.
    /// Compares all fields.
    friend bool operator==(const Created&, const Created&) = default;
};

/// A node's data and metadata, read at one moment.
/// ```cpp
/// docent::NodeData config = client.get("/config");
/// std::string text = config.data;
/// std::int32_t version = config.stat.version;
/// ```
/// @ingroup client
struct NodeData {
    std::string data; ///< The data, decompressed if it was compressed.
    Stat stat;        ///< The metadata of the node.
    /// Compares all fields.
    friend bool operator==(const NodeData&, const NodeData&) = default;
};

/// The names of a node's children and the node's metadata, read at one moment.
/// ```cpp
/// docent::Children members = client.children("/members");
/// for (const std::string& name : members.names) {
///     docent::NodeData member = client.get("/members/" + name);
/// }
/// ```
/// @ingroup client
struct Children {
    std::vector<std::string> names; ///< The names of the children, without the path of the parent, in no order.
    Stat stat;                      ///< The metadata of the parent.
    /// Compares all fields.
    friend bool operator==(const Children&, const Children&) = default;
};

/// A node's ACL and metadata, read at one moment.
/// ```cpp
/// docent::NodeAcl now = client.get_acl("/config");
/// now.acl.push_back({docent::Permission::read, "world", "anyone"});
/// client.set_acl("/config", now.acl, now.stat.aversion);
/// ```
/// @ingroup client
struct NodeAcl {
    Acl acl;   ///< The access control list.
    Stat stat; ///< The metadata of the node.
    /// Compares all fields.
    friend bool operator==(const NodeAcl&, const NodeAcl&) = default;
};

namespace detail {
class ClientRuntime;
class ClientView;
/// A shared client.
using RuntimePtr = std::shared_ptr<ClientRuntime>;
/// A shared client, as its operations see it.
using ClientViewPtr = std::shared_ptr<ClientView>;
/// Data that may be absent.
using Text = std::optional<std::string>;

// initiate_x() starts AsyncClient::async_x(), and initiate_until_connected() starts async_wait_connected().
DOCENT_EXPORT void initiate_create(const ClientViewPtr&, std::string path, Text data, CreateOptions, CallOptions,
                                   Handler<Created>);
DOCENT_EXPORT void initiate_get(const ClientViewPtr&, std::string path, GetOptions, CallOptions, Handler<NodeData>);
DOCENT_EXPORT void initiate_get_watched(const ClientViewPtr&, std::string path, GetOptions, CallOptions,
                                        Handler<Watched<NodeData>>);
DOCENT_EXPORT void initiate_set(const ClientViewPtr&, std::string path, std::string data, SetOptions, CallOptions,
                                Handler<Stat>);
DOCENT_EXPORT void initiate_remove(const ClientViewPtr&, std::string path, RemoveOptions, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_exists(const ClientViewPtr&, std::string path, CallOptions, Handler<std::optional<Stat>>);
DOCENT_EXPORT void initiate_exists_watched(const ClientViewPtr&, std::string path, CallOptions,
                                           Handler<Watched<std::optional<Stat>>>);
DOCENT_EXPORT void initiate_children(const ClientViewPtr&, std::string path, CallOptions, Handler<Children>);
DOCENT_EXPORT void initiate_children_watched(const ClientViewPtr&, std::string path, CallOptions, Handler<Watched<Children>>);
DOCENT_EXPORT void initiate_get_acl(const ClientViewPtr&, std::string path, CallOptions, Handler<NodeAcl>);
DOCENT_EXPORT void initiate_set_acl(const ClientViewPtr&, std::string path, Acl, std::int32_t version, CallOptions,
                                    Handler<Stat>);
DOCENT_EXPORT void initiate_sync(const ClientViewPtr&, std::string path, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_ensemble_config(const RuntimePtr&, CallOptions, Handler<NodeData>);
DOCENT_EXPORT void initiate_ensemble_config_watched(const RuntimePtr&, CallOptions, Handler<Watched<NodeData>>);
DOCENT_EXPORT void initiate_reconfigure(const ClientViewPtr&, Reconfiguration, CallOptions, Handler<NodeData>);
DOCENT_EXPORT void initiate_commit(const ClientViewPtr&, Transaction, CallOptions, Handler<TransactionResult>);
DOCENT_EXPORT void initiate_until_connected(const ClientViewPtr&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_close(const RuntimePtr&, Handler<>);
} // namespace detail

} // namespace docent
