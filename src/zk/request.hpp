// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests and replies as values: what is sent again after a lost reply, what a fake answers, what a trace prints.

#include <docent/acl.hpp>
#include <docent/create_mode.hpp>
#include <docent/error.hpp>
#include <docent/stat.hpp>
#include <docent/watch_event.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace docent::zk {

/// Who is told of a watch event. The table of watches holds it weakly: dropping the last owner unsubscribes,
/// also from an event that has arrived, and whose turn has not come.
using WatchSink = std::shared_ptr<std::function<void(const WatchEvent&)>>;

inline WatchSink make_watch_sink(std::function<void(const WatchEvent&)> function) {
    return std::make_shared<std::function<void(const WatchEvent&)>>(std::move(function));
}

struct CreateRequest {
    std::string path;
    std::string data = {};
    CreateMode mode = CreateMode::persistent;
    Acl acl = {}; // empty: the client's default
    std::chrono::milliseconds ttl{0};
    bool is_parent = false; // made on the way: instead of a container, a persistent node will do
};
struct RemoveRequest {
    std::string path;
    std::int32_t version = -1;
};
struct SetRequest {
    std::string path;
    std::string data;
    std::int32_t version = -1;
};
struct GetRequest {
    std::string path;
    WatchSink watch = nullptr; // data_changed, deleted
};
struct ExistsRequest {
    std::string path;
    WatchSink watch = nullptr; // created, data_changed, deleted
};
struct ChildrenRequest {
    std::string path;
    WatchSink watch = nullptr; // children_changed, deleted
};
struct SyncRequest {
    std::string path;
};
struct GetAclRequest {
    std::string path;
};
struct SetAclRequest {
    std::string path;
    Acl acl;
    std::int32_t version = -1; // of the ACL
};
/// Reads `/zookeeper/config`, which no prefix changes.
struct GetConfigRequest {
    WatchSink watch = nullptr; // data_changed
};
/// Changes the ensemble: `joining` and `leaving`, or all `members`; comma separated.
struct ReconfigRequest {
    std::string joining = {};
    std::string leaving = {};
    std::string members = {};
    std::int64_t from_version = -1;
};

/// Only inside a MultiRequest.
struct CheckRequest {
    std::string path;
    std::int32_t version = -1; // -1: it exists
};

using MultiOperation = std::variant<CreateRequest, RemoveRequest, SetRequest, CheckRequest>;

/// All or nothing. Creates must not be containers or have a TTL.
struct MultiRequest {
    std::vector<MultiOperation> operations;
};

using Request = std::variant<CreateRequest, RemoveRequest, SetRequest, GetRequest, ExistsRequest, ChildrenRequest, SyncRequest,
                             MultiRequest, GetAclRequest, SetAclRequest, GetConfigRequest, ReconfigRequest>;

inline constexpr auto config_path = "/zookeeper/config";

/// What became of one operation of a multi. In a rejected one nothing was applied, whatever `ec` says of it.
struct MultiResult {
    error_code ec = {};
    std::string path = {};         // create
    std::optional<Stat> stat = {}; // set
};

/// What a server answered, or why it did not. Fields that the kind of request has no use for stay empty.
struct Reply {
    error_code ec = {};
    std::string path = {}; // create: the path made
    std::string data = {}; // get, get config, reconfig
    Stat stat = {};        // create, set, get, exists, children, get ACL, get config, reconfig
    Acl acl = {};          // get ACL
    std::vector<std::string> children = {};
    std::vector<MultiResult> results = {}; // multi, also when it was rejected
};

/// What it is given is its own to take from.
using ReplyHandler = std::function<void(Reply&&)>;

/// The path that a request is about; a multi has many, and none of its own.
inline const std::string& path_of(const Request& request) {
    static const std::string none;
    static const std::string config = config_path;
    if (std::holds_alternative<GetConfigRequest>(request) || std::holds_alternative<ReconfigRequest>(request)) return config;
    return std::visit(
        [](const auto& r) -> const std::string& {
            if constexpr (requires { r.path; }) return r.path;
            else return none;
        },
        request);
}

/// Whether the server sends this through its leader: its answer proves that the session was alive there.
inline bool passes_leader(const Request& request) {
    return std::holds_alternative<CreateRequest>(request) || std::holds_alternative<RemoveRequest>(request) ||
           std::holds_alternative<SetRequest>(request) || std::holds_alternative<SyncRequest>(request) ||
           std::holds_alternative<MultiRequest>(request) || std::holds_alternative<SetAclRequest>(request) ||
           std::holds_alternative<ReconfigRequest>(request);
}

} // namespace docent::zk
