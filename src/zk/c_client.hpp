// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of the C client that docent calls, as an interface: tests put a fake in its place.

#include "zk/request.hpp"

#include <docent/error.hpp>

#include <zookeeper/zookeeper.h>

#include <sys/time.h>

#include <cstdint>
#include <memory>
#include <string>

namespace docent::zk {

struct MultiBuffers;

/// Receives the reply to one request. It must live until the reply: the C client answers each request exactly once, at the
/// latest when the handle is closed.
class Completion {
public:
    Completion();
    virtual ~Completion();
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    /// Called from inside the C client. The data of `reply` is valid during the call only.
    virtual void on_reply(Reply&& reply) noexcept = 0;

private:
    friend struct Calls;
    std::unique_ptr<MultiBuffers> multi_;
};

/// Where the C client reports watch events.
struct Watcher {
    watcher_fn function;
    void* context;
};

/// The C client's functions, with its return codes. Tests override all of them. send() stands for many of the C client's
/// functions; each of the others stands for one function.
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

    /// Passes a request to the C client. `completion` is called only if the code is ZOK.
    virtual int send(zhandle_t* zh, const Request& request, const Watcher& watcher, Completion& completion);
    /// Removes a watch with zoo_aremove_all_watches(). It removes the watch on the server, and from the C client's list when
    /// the reply comes. zoo_aremove_watches() would leave the watch on the server.
    virtual int remove_watch(zhandle_t* zh, const std::string& path, WatchKind kind, Completion& completion);
};

/// libzookeeper_st.
CClient& real_c_client();

error_code to_error_code(int rc);

} // namespace docent::zk
