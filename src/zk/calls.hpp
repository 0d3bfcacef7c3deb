// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests as calls of the C client, and its completions as replies.

#include "zk/c_client.hpp"
#include "zk/request.hpp"
#include "zk/watch_table.hpp"

#include <memory>

namespace docent::zk {

struct MultiBuffers;

/// Who gets the reply to one request that the C client has. It lives until then: the C client answers each exactly once, at the
/// latest when the handle is closed.
class Completion {
public:
    Completion();
    virtual ~Completion();
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    /// Called from inside the C client. What the C client wrote for it must outlive the call, not more.
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

/// Hands a request to the C client. Returns its code; unless that is ZOK, `completion` hears nothing.
int send(CClient& client, zhandle_t* zh, const Request& request, const Watcher& watcher, Completion& completion);

/// zoo_aremove_watches would leave the watch on the server; zoo_aremove_all_watches removes it there, and with it the C
/// client's own list when the reply comes.
int send_removal(CClient& client, zhandle_t* zh, const std::string& path, WatchKind kind, Completion& completion);

} // namespace docent::zk
