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

/// The fastest form of the lock recipe: it sends the create and the list in one flight. It watches the node ahead, or the
/// second node ahead in order to list early. It handles no losses, not even the loss of its node.
class RawLock {
public:
    RawLock(RawSession& session, std::string path) : session_(session), path_(std::move(path)) {}
    RawLock(const RawLock&) = delete;
    RawLock& operator=(const RawLock&) = delete;

    void acquire(std::function<void()> granted);
    /// `removed` may be empty.
    void release(std::function<void()> removed);
    std::string node() const { return path_ + "/" + name_; }

private:
    struct Watch {
        RawLock* lock;
        std::string name;
        bool nearest;
    };
    static void on_created(int rc, const char* value, const void* self);
    static void on_children(int rc, const String_vector* names, const void* self);
    static void on_watched(int rc, const char*, int, const Stat*, const void* watch);
    static void on_event(zhandle_t*, int type, int, const char*, void* watch);
    void list();
    void decide();
    void watch(const std::string& name, bool nearest);
    void on_gone(const Watch& watch);

    RawSession& session_;
    std::string path_;
    std::string name_;
    std::vector<std::string> queue_;
    int awaited_replies_ = 0;
    std::string watched_; // empty: it watches no node
    std::function<void()> granted_;
    std::function<void()> removed_;
};
