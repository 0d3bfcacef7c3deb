// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests and replies as values: the client can send them again, tests can answer them, and traces can print them.

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

/// Receives a watch event. The watch table holds it weakly: dropping the last owner unsubscribes, also from an event that has
/// arrived but was not delivered yet.
using WatchSink = std::shared_ptr<std::function<void(const WatchEvent&)>>;

inline WatchSink make_watch_sink(std::function<void(const WatchEvent&)> function) {
    return std::make_shared<std::function<void(const WatchEvent&)>>(std::move(function));
}

/// What a watch is for: a node's data, its existence, or its children.
enum class WatchKind { data, exists, children };

/// What a request does. A server passes syncs and writes on to its leader, so their answer proves that the session was alive
/// at the leader.
enum class Effect { reads, syncs, writes };

/// What docent knows about a kind of request.
struct RequestFacts {
    Effect effect;
    std::optional<WatchKind> watch = {}; // the kind of watch that the request may set
};

struct CreateRequest {
    static constexpr RequestFacts facts{Effect::writes};
    std::string path;
    std::string data = {};
    CreateMode mode = CreateMode::persistent;
    Acl acl = {}; // empty: the client's default
    std::chrono::milliseconds ttl{0};
    bool is_parent = false; // a missing parent: if the server refuses containers, the client creates a persistent node
};
struct RemoveRequest {
    static constexpr RequestFacts facts{Effect::writes};
    std::string path;
    std::int32_t version = -1;
};
struct SetRequest {
    static constexpr RequestFacts facts{Effect::writes};
    std::string path;
    std::string data;
    std::int32_t version = -1;
};
struct GetRequest {
    static constexpr RequestFacts facts{Effect::reads, WatchKind::data};
    std::string path;
    WatchSink watch = nullptr; // data_changed, deleted
};
struct ExistsRequest {
    static constexpr RequestFacts facts{Effect::reads, WatchKind::exists};
    std::string path;
    WatchSink watch = nullptr; // created, data_changed, deleted
};
struct ChildrenRequest {
    static constexpr RequestFacts facts{Effect::reads, WatchKind::children};
    std::string path;
    WatchSink watch = nullptr; // children_changed, deleted
};
struct SyncRequest {
    static constexpr RequestFacts facts{Effect::syncs};
    std::string path;
};
struct GetAclRequest {
    static constexpr RequestFacts facts{Effect::reads};
    std::string path;
};
struct SetAclRequest {
    static constexpr RequestFacts facts{Effect::writes};
    std::string path;
    Acl acl;
    std::int32_t version = -1; // the version of the ACL
};
/// Changes the ensemble: `joining` and `leaving`, or all `members`; comma separated.
struct ReconfigRequest {
    static constexpr RequestFacts facts{Effect::writes};
    std::string joining = {};
    std::string leaving = {};
    std::string members = {};
    std::int64_t from_version = -1;
};

/// Only inside a MultiRequest.
struct CheckRequest {
    std::string path;
    std::int32_t version = -1; // -1: only that the node exists
};

using MultiOperation = std::variant<CreateRequest, RemoveRequest, SetRequest, CheckRequest>;

/// All or nothing. Creates must not be containers or have a TTL.
struct MultiRequest {
    static constexpr RequestFacts facts{Effect::writes};
    std::vector<MultiOperation> operations;
};

using Request = std::variant<CreateRequest, RemoveRequest, SetRequest, GetRequest, ExistsRequest, ChildrenRequest, SyncRequest,
                             MultiRequest, GetAclRequest, SetAclRequest, ReconfigRequest>;

inline constexpr auto config_path = "/zookeeper/config";

/// The result of one operation of a multi. If the multi was rejected, nothing was applied, even if this `ec` is a success.
struct MultiResult {
    error_code ec = {};
    std::string path = {};         // create
    std::optional<Stat> stat = {}; // set
};

/// A server's answer, or the error in place of it. Fields that this kind of request does not use stay empty.
struct Reply {
    error_code ec = {};
    std::string path = {}; // create: the path made
    std::string data = {}; // get, reconfig
    Stat stat = {};        // create, set, get, exists, children, get ACL, reconfig
    Acl acl = {};          // get ACL
    std::vector<std::string> children = {};
    std::vector<MultiResult> results = {}; // multi, also when it was rejected
    bool was_sent = false;                 // whether the request was sent; valid only if `ec` is docent's own error
};

/// The handler may move from the reply.
using ReplyHandler = std::function<void(Reply&&)>;

/// The path of a request; empty for a multi.
inline const std::string& path_of(const Request& request) {
    static const std::string none;
    static const std::string config = config_path;
    if (std::holds_alternative<ReconfigRequest>(request)) return config;
    return std::visit(
        [](const auto& r) -> const std::string& {
            if constexpr (requires { r.path; }) return r.path;
            else return none;
        },
        request);
}

inline const RequestFacts& facts_of(const Request& request) {
    return std::visit([](const auto& r) -> const RequestFacts& { return r.facts; }, request);
}

inline bool is_write(const Request& request) {
    return facts_of(request).effect == Effect::writes;
}

/// Whether the answer proves that the session was alive at the leader.
inline bool passes_leader(const Request& request) {
    return facts_of(request).effect != Effect::reads;
}

/// The sink of the watch that the request sets; null without one.
inline WatchSink watch_of(const Request& request) {
    return std::visit(
        [](const auto& r) -> WatchSink {
            if constexpr (requires { r.watch; }) return r.watch;
            else return nullptr;
        },
        request);
}

/// Calls `function` with the request, or, of a multi, with each operation.
void for_each_operation(Request& request, const auto& function) {
    std::visit(
        [&function](auto& r) {
            if constexpr (requires { r.operations; }) {
                for (MultiOperation& operation : r.operations) std::visit(function, operation);
            } else {
                function(r);
            }
        },
        request);
}

} // namespace docent::zk
