// SPDX-License-Identifier: Apache-2.0
#include "zk/c_client.hpp"

#include <mutex>
#include <string>

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

} // namespace docent::zk
