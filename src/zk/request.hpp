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
#include <string>
#include <variant>
#include <vector>

namespace docent::zk {

/// Who is told of a watch event. The table of watches holds it weakly: dropping the last owner unsubscribes.
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

using Request = std::variant<CreateRequest, RemoveRequest, SetRequest, GetRequest, ExistsRequest, ChildrenRequest, SyncRequest>;

/// What a server answered, or why it did not. Fields that the kind of request has no use for stay empty.
struct Reply {
    error_code ec = {};
    std::string path = {}; // create: the path made
    std::string data = {}; // get
    Stat stat = {};        // create, set, get, exists, children
    std::vector<std::string> children = {};
};

using ReplyHandler = std::function<void(Reply)>;

inline const std::string& path_of(const Request& request) {
    return std::visit([](const auto& r) -> const std::string& { return r.path; }, request);
}

/// Whether the server sends this through its leader: its answer proves that the session was alive there.
inline bool passes_leader(const Request& request) {
    return std::holds_alternative<CreateRequest>(request) || std::holds_alternative<RemoveRequest>(request) ||
           std::holds_alternative<SetRequest>(request) || std::holds_alternative<SyncRequest>(request);
}

} // namespace docent::zk
