// SPDX-License-Identifier: Apache-2.0

#include "zk/c_client.hpp"
#include "zk/input/reply_check.hpp"

#include <docent/path.hpp>

#include <mutex>
#include <string>
#include <utility>

namespace docent::zk {
namespace {

class RealCClient : public CClient {
public:
    zhandle_t* init(const char* servers, watcher_fn watcher, int timeout, void* context) override {
        zoo_set_debug_level(static_cast<ZooLogLevel>(0)); // all threads share its log buffers
        zhandle_t* zh = zookeeper_init2(servers, watcher, timeout, nullptr, context, ZOO_NO_LOG_CLIENTENV, nullptr);
        if (zh != nullptr) zoo_set_servers_resolution_delay(zh, -1); // else each zookeeper_interest() resolves names
        return zh;
    }
    int close(zhandle_t* zh) override { return zookeeper_close(zh); }
    int add_auth(zhandle_t* zh, const char* scheme, const char* credentials, int size, void_completion_t done) override {
        return zoo_add_auth(zh, scheme, credentials, size, done, nullptr);
    }
    int set_servers(zhandle_t* zh, const char* servers) override { return zoo_set_servers(zh, servers); }

    int interest(zhandle_t* zh, int* fd, int* interest, timeval* wait) override {
        return zookeeper_interest(zh, fd, interest, wait);
    }
    int process(zhandle_t* zh, int events) override { return zookeeper_process(zh, events); }
    int state(zhandle_t* zh) override { return zoo_state(zh); }
    bool unrecoverable(zhandle_t* zh) override { return is_unrecoverable(zh) != ZOK; }
    std::int64_t session_id(zhandle_t* zh) override { return zoo_client_id(zh)->client_id; }
    int recv_timeout(zhandle_t* zh) override { return zoo_recv_timeout(zh); }
    std::string current_server(zhandle_t* zh) override {
        static std::mutex mutex; // zoo_get_current_server() returns a buffer that all threads share
        const std::lock_guard lock(mutex);
        const char* const shown = zoo_get_current_server(zh);
        std::string server = shown != nullptr ? shown : "";
        std::erase_if(server, [](char c) { return c == '[' || c == ']'; }); // around an IPv6 address
        return server;
    }

    int create2(zhandle_t* zh, const char* path, const char* data, int size, const ::ACL_vector* acl, int mode,
                string_stat_completion_t done, const void* context) override {
        return zoo_acreate2(zh, path, data, size, acl, mode, done, context);
    }
    int create2_ttl(zhandle_t* zh, const char* path, const char* data, int size, const ::ACL_vector* acl, int mode,
                    std::int64_t ttl, string_stat_completion_t done, const void* context) override {
        return zoo_acreate2_ttl(zh, path, data, size, acl, mode, ttl, done, context);
    }
    int remove(zhandle_t* zh, const char* path, int version, void_completion_t done, const void* context) override {
        return zoo_adelete(zh, path, version, done, context);
    }
    int set(zhandle_t* zh, const char* path, const char* data, int size, int version, stat_completion_t done,
            const void* context) override {
        return zoo_aset(zh, path, data, size, version, done, context);
    }
    int wget(zhandle_t* zh, const char* path, watcher_fn watcher, void* watcher_context, data_completion_t done,
             const void* context) override {
        return zoo_awget(zh, path, watcher, watcher_context, done, context);
    }
    int wexists(zhandle_t* zh, const char* path, watcher_fn watcher, void* watcher_context, stat_completion_t done,
                const void* context) override {
        return zoo_awexists(zh, path, watcher, watcher_context, done, context);
    }
    int wget_children2(zhandle_t* zh, const char* path, watcher_fn watcher, void* watcher_context,
                       strings_stat_completion_t done, const void* context) override {
        return zoo_awget_children2(zh, path, watcher, watcher_context, done, context);
    }
    int sync(zhandle_t* zh, const char* path, string_completion_t done, const void* context) override {
        return zoo_async(zh, path, done, context);
    }
    int get_acl(zhandle_t* zh, const char* path, acl_completion_t done, const void* context) override {
        return zoo_aget_acl(zh, path, done, context);
    }
    int set_acl(zhandle_t* zh, const char* path, int version, ::ACL_vector* acl, void_completion_t done,
                const void* context) override {
        return zoo_aset_acl(zh, path, version, acl, done, context);
    }
    int wgetconfig(zhandle_t* zh, watcher_fn watcher, void* watcher_context, data_completion_t done,
                   const void* context) override {
        return zoo_awgetconfig(zh, watcher, watcher_context, done, context);
    }
    int reconfig(zhandle_t* zh, const char* joining, const char* leaving, const char* members, std::int64_t version,
                 data_completion_t done, const void* context) override {
        return zoo_areconfig(zh, joining, leaving, members, version, done, context);
    }
    int multi(zhandle_t* zh, int count, const zoo_op_t* operations, zoo_op_result_t* results, void_completion_t done,
              const void* context) override {
        return zoo_amulti(zh, count, operations, results, done, context);
    }
    int remove_all_watches(zhandle_t* zh, const char* path, ZooWatcherType type, void_completion_t done,
                           const void* context) override {
        // The parameter is declared as a pointer to a function pointer, but the C client calls the value as a function.
        return zoo_aremove_all_watches(zh, path, type, 0, reinterpret_cast<void_completion_t*>(done), context);
    }
};

} // namespace

CClient& real_c_client() {
    static RealCClient client;
    return client;
}

std::vector<Request> requests_for_parents(const std::string& path, Parents kind) {
    std::vector<Request> requests;
    const CreateMode mode = kind == Parents::container ? CreateMode::container : CreateMode::persistent;
    for (std::string& ancestor : ancestor_paths(path)) {
        requests.emplace_back(CreateRequest{.path = std::move(ancestor), .mode = mode, .is_parent = true});
    }
    return requests;
}

error_code to_error_code(int rc) {
    if (rc == reply_too_large_code) return error::reply_too_large;
    return rc == ZOK ? error_code{} : error_code{rc, server_category()};
}

docent::Stat to_stat(const ::Stat* stat) {
    if (stat == nullptr) return {};
    return {
        .czxid = stat->czxid,
        .mzxid = stat->mzxid,
        .ctime = stat->ctime,
        .mtime = stat->mtime,
        .version = stat->version,
        .cversion = stat->cversion,
        .aversion = stat->aversion,
        .ephemeral_owner = stat->ephemeralOwner,
        .data_length = stat->dataLength,
        .num_children = stat->numChildren,
        .pzxid = stat->pzxid,
    };
}

std::vector<std::string> to_strings(const ::String_vector* strings) {
    if (strings == nullptr) return {};
    return {strings->data, strings->data + strings->count};
}

Acl to_acl(const ::ACL_vector* acl) {
    Acl entries;
    if (acl == nullptr) return entries;
    for (std::int32_t i = 0; i < acl->count; ++i) {
        const ::ACL& entry = acl->data[i];
        entries.push_back({static_cast<Permission>(entry.perms), entry.id.scheme, entry.id.id});
    }
    return entries;
}

int to_c_mode(CreateMode mode) {
    switch (mode) {
    case CreateMode::persistent: return ZOO_PERSISTENT;
    case CreateMode::persistent_sequential: return ZOO_PERSISTENT_SEQUENTIAL;
    case CreateMode::ephemeral: return ZOO_EPHEMERAL;
    case CreateMode::ephemeral_sequential: return ZOO_EPHEMERAL_SEQUENTIAL;
    case CreateMode::container: return ZOO_CONTAINER;
    case CreateMode::persistent_with_ttl: return ZOO_PERSISTENT_WITH_TTL;
    case CreateMode::persistent_sequential_with_ttl: return ZOO_PERSISTENT_SEQUENTIAL_WITH_TTL;
    }
    return ZOO_PERSISTENT;
}

CAcl::CAcl(const Acl& acl) {
    // The C client takes non-const pointers, but does not write to them.
    for (const AclEntry& entry : acl) {
        entries_.push_back({static_cast<std::int32_t>(entry.permissions),
                            {const_cast<char*>(entry.scheme.c_str()), const_cast<char*>(entry.id.c_str())}});
    }
    vector_ = {static_cast<std::int32_t>(entries_.size()), entries_.data()};
}

} // namespace docent::zk
