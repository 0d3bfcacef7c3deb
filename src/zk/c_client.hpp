// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of the C client that docent calls, as an interface: tests put a fake in its place.

#include "zk/request.hpp"

#include <docent/acl.hpp>
#include <docent/create_mode.hpp>
#include <docent/error.hpp>
#include <docent/stat.hpp>

#include <zookeeper/zookeeper.h>

#include <sys/time.h>

#include <cstdint>
#include <string>
#include <vector>

namespace docent::zk {

/// The C client's functions, with its own types and return codes: the same names without `zoo_`, `zoo_a` and `zookeeper_`.
/// Tests override all of them.
class CClient {
public:
    virtual ~CClient();

    /// Returns null, and sets errno, if no handle could be made. Turns the log off. The C client then resolves names only
    /// between connections.
    virtual zhandle_t* init(const char* servers, watcher_fn watcher, int timeout, void* context);
    virtual int close(zhandle_t* zh) { return zookeeper_close(zh); }
    virtual int add_auth(zhandle_t* zh, const char* scheme, const char* credentials, int size, void_completion_t done) {
        return zoo_add_auth(zh, scheme, credentials, size, done, nullptr);
    }
    virtual int set_servers(zhandle_t* zh, const char* servers) { return zoo_set_servers(zh, servers); }

    virtual int interest(zhandle_t* zh, int* fd, int* interest, timeval* wait);
    virtual int process(zhandle_t* zh, int events) { return zookeeper_process(zh, events); }
    virtual int state(zhandle_t* zh) { return zoo_state(zh); }
    virtual bool unrecoverable(zhandle_t* zh) { return is_unrecoverable(zh) != ZOK; }
    virtual std::int64_t session_id(zhandle_t* zh) { return zoo_client_id(zh)->client_id; }
    virtual int recv_timeout(zhandle_t* zh) { return zoo_recv_timeout(zh); }
    /// The server of the present attempt to connect, as in the server list: `1.2.3.4:2181`, `::1:2181`. Empty if not known.
    virtual std::string current_server(zhandle_t* zh);

    virtual int create2(zhandle_t* zh, const char* path, const char* data, int size, const ::ACL_vector* acl, int mode,
                        string_stat_completion_t done, const void* context) {
        return zoo_acreate2(zh, path, data, size, acl, mode, done, context);
    }
    virtual int create2_ttl(zhandle_t* zh, const char* path, const char* data, int size, const ::ACL_vector* acl, int mode,
                            std::int64_t ttl, string_stat_completion_t done, const void* context) {
        return zoo_acreate2_ttl(zh, path, data, size, acl, mode, ttl, done, context);
    }
    virtual int remove(zhandle_t* zh, const char* path, int version, void_completion_t done, const void* context) {
        return zoo_adelete(zh, path, version, done, context);
    }
    virtual int set(zhandle_t* zh, const char* path, const char* data, int size, int version, stat_completion_t done,
                    const void* context) {
        return zoo_aset(zh, path, data, size, version, done, context);
    }
    virtual int wget(zhandle_t* zh, const char* path, watcher_fn watcher, void* watcher_context, data_completion_t done,
                     const void* context) {
        return zoo_awget(zh, path, watcher, watcher_context, done, context);
    }
    virtual int wexists(zhandle_t* zh, const char* path, watcher_fn watcher, void* watcher_context, stat_completion_t done,
                        const void* context) {
        return zoo_awexists(zh, path, watcher, watcher_context, done, context);
    }
    virtual int wget_children2(zhandle_t* zh, const char* path, watcher_fn watcher, void* watcher_context,
                               strings_stat_completion_t done, const void* context) {
        return zoo_awget_children2(zh, path, watcher, watcher_context, done, context);
    }
    virtual int sync(zhandle_t* zh, const char* path, string_completion_t done, const void* context) {
        return zoo_async(zh, path, done, context);
    }
    virtual int get_acl(zhandle_t* zh, const char* path, acl_completion_t done, const void* context) {
        return zoo_aget_acl(zh, path, done, context);
    }
    virtual int set_acl(zhandle_t* zh, const char* path, int version, ::ACL_vector* acl, void_completion_t done,
                        const void* context) {
        return zoo_aset_acl(zh, path, version, acl, done, context);
    }
    virtual int reconfig(zhandle_t* zh, const char* joining, const char* leaving, const char* members, std::int64_t version,
                         data_completion_t done, const void* context) {
        return zoo_areconfig(zh, joining, leaving, members, version, done, context);
    }
    virtual int multi(zhandle_t* zh, int count, const zoo_op_t* operations, zoo_op_result_t* results, void_completion_t done,
                      const void* context) {
        return zoo_amulti(zh, count, operations, results, done, context);
    }
    virtual int remove_all_watches(zhandle_t* zh, const char* path, ZooWatcherType type, void_completion_t done,
                                   const void* context) {
        // The parameter is declared as a pointer to a function pointer, but the C client calls the value as a function.
        return zoo_aremove_all_watches(zh, path, type, 0, reinterpret_cast<void_completion_t*>(done), context);
    }
};

/// libzookeeper_st.
CClient& real_c_client();

// Converts between the C client's types and docent's.

error_code to_error_code(int rc);
docent::Stat to_stat(const ::Stat* stat);
std::vector<std::string> to_strings(const ::String_vector* strings);
Acl to_acl(const ::ACL_vector* acl);
int to_c_mode(CreateMode mode);

/// An ACL in the C client's form. It refers to the strings of the Acl that it was made from.
class CAcl {
public:
    explicit CAcl(const Acl& acl);
    const ::ACL_vector* get() const { return &vector_; }
    ::ACL_vector* get() { return &vector_; }

private:
    std::vector<::ACL> entries_;
    ::ACL_vector vector_{};
};

} // namespace docent::zk
