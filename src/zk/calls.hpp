// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests as calls of the C client, and its completions as replies.

#include "zk/c_client.hpp"
#include "zk/request.hpp"

#include <memory>

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

/// Passes a request to the C client and returns the C client's code. `completion` is called only if the code is ZOK.
int send(CClient& client, zhandle_t* zh, const Request& request, const Watcher& watcher, Completion& completion);

/// Removes a watch with zoo_aremove_all_watches(). It removes the watch on the server, and from the C client's list when the
/// reply comes. zoo_aremove_watches() would leave the watch on the server.
int send_removal(CClient& client, zhandle_t* zh, const std::string& path, WatchKind kind, Completion& completion);

} // namespace docent::zk
