// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <zookeeper/zookeeper.h>

/// The C client alone: no retries, no reconnect, no lost replies. Any error ends the program.
class RawSession {
public:
    explicit RawSession(const std::string& connect_string);
    ~RawSession();
    RawSession(const RawSession&) = delete;
    RawSession& operator=(const RawSession&) = delete;

    zhandle_t* handle() const { return handle_.get(); }
    bool is_connected() const { return connected_; }
    /// Creates a node and its parents, if they do not exist.
    void make(const std::string& path);

private:
    static void on_session_event(zhandle_t*, int type, int state, const char*, void* self);

    struct Close {
        void operator()(zhandle_t* handle) const { zookeeper_close(handle); }
    };
    bool connected_ = false;
    std::unique_ptr<zhandle_t, Close> handle_;
};

/// Throws if the C client returns anything but ZOK. In a callback of the C client, this ends the program.
void check_raw(int rc, const char* what);

/// Sends and reads for all sessions until `done` returns true. `pause` returns how long there is nothing to do, in
/// milliseconds.
void run_raw(
    const std::vector<std::unique_ptr<RawSession>>& sessions, const std::function<bool()>& done,
    const std::function<int()>& pause = [] { return 1000; });
/// Returns `count` connected sessions.
std::vector<std::unique_ptr<RawSession>> connect_raw(const std::string& connect_string, int count);
