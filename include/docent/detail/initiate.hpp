// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the templates of client.hpp end; and the values that its operations complete with, which docent/client.hpp brings.

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

/// A node that was made.
struct Created {
    /// With the digits that the server appended and the protection prefix, if any. With an error: the parent that is missing
    /// and may not be made, as the servers call it, if that is why; else empty.
    std::string path;
    Stat stat;
    friend bool operator==(const Created&, const Created&) = default;
};

/// A node's data and metadata, read at one moment.
struct NodeData {
    std::string data;
    Stat stat;
    friend bool operator==(const NodeData&, const NodeData&) = default;
};

/// A node's children and metadata, read at one moment.
struct Children {
    std::vector<std::string> names; ///< Without their parent's path, in no order.
    Stat stat;
    friend bool operator==(const Children&, const Children&) = default;
};

/// A node's access control list and metadata, read at one moment.
struct NodeAcl {
    Acl acl;
    Stat stat;
    friend bool operator==(const NodeAcl&, const NodeAcl&) = default;
};

namespace detail {
class ClientRuntime;
class ClientView;
using RuntimePtr = std::shared_ptr<ClientRuntime>;
using ClientViewPtr = std::shared_ptr<ClientView>;
using Text = std::optional<std::string>;
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
DOCENT_EXPORT void initiate_ensemble_config(const ClientViewPtr&, CallOptions, Handler<NodeData>);
DOCENT_EXPORT void initiate_ensemble_config_watched(const ClientViewPtr&, CallOptions, Handler<Watched<NodeData>>);
DOCENT_EXPORT void initiate_reconfigure(const ClientViewPtr&, Reconfiguration, CallOptions, Handler<NodeData>);
DOCENT_EXPORT void initiate_commit(const ClientViewPtr&, Transaction, CallOptions, Handler<TransactionResult>);
DOCENT_EXPORT void initiate_until_connected(const ClientViewPtr&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_close(const RuntimePtr&, Handler<>);
} // namespace detail

} // namespace docent
