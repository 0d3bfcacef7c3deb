// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "raw_session.hpp"

#include <functional>
#include <string>
#include <vector>

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
