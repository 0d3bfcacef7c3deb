// SPDX-License-Identifier: Apache-2.0
#include "raw_lock.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <poll.h>
#include <sys/time.h>

namespace {

constexpr int frames_at_a_time = 64;

pollfd next_interest(zhandle_t* handle, int& wait_ms) {
    int fd = -1;
    int interest = 0;
    timeval longest{1, 0};
    zookeeper_interest(handle, &fd, &interest, &longest); // an error here occurs again in zookeeper_process()
    wait_ms = std::min(wait_ms, static_cast<int>(longest.tv_sec * 1000 + longest.tv_usec / 1000));
    short events = 0;
    if (interest & ZOOKEEPER_READ) events |= POLLIN;
    if (interest & ZOOKEEPER_WRITE) events |= POLLOUT;
    return {fd, events, 0};
}

void process(zhandle_t* handle, short happened) {
    if (happened & POLLOUT) zookeeper_process(handle, ZOOKEEPER_WRITE);
    if (!(happened & (POLLIN | POLLHUP | POLLERR))) return;
    for (int i = 0; i < frames_at_a_time; ++i) {
        if (zookeeper_process(handle, ZOOKEEPER_READ) != ZOK) return; // no complete frame is left
    }
}

} // namespace

RawSession::RawSession(const std::string& connect_string) {
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));
    constexpr int session_ms = 30000;
    handle_.reset(zookeeper_init(connect_string.c_str(), on_session_event, session_ms, nullptr, this, 0));
    if (!handle_) throw std::runtime_error("the C client cannot be made");
    zoo_set_servers_resolution_delay(handle_.get(), -1); // otherwise it resolves names in each turn of the loop
}

RawSession::~RawSession() = default;

void RawSession::on_session_event(zhandle_t*, int type, int state, const char*, void* self) {
    if (type == ZOO_SESSION_EVENT) static_cast<RawSession*>(self)->connected_ = state == ZOO_CONNECTED_STATE;
}

void RawSession::make(const std::string& path) {
    for (auto slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const auto on_made = [](int rc, const char*, const void*) {
            if (rc != ZNODEEXISTS) check_raw(rc, "create");
        };
        check_raw(zoo_acreate(handle(), path.substr(0, slash).c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, on_made, nullptr),
                  "create");
        if (slash == std::string::npos) return;
    }
}

void check_raw(int rc, const char* what) {
    if (rc != ZOK) throw std::runtime_error(std::string(what) + ": " + zerror(rc));
}

void run_raw(const std::vector<std::unique_ptr<RawSession>>& sessions, const std::function<bool()>& done,
             const std::function<int()>& pause) {
    std::vector<pollfd> ready(sessions.size());
    while (!done()) {
        int wait_ms = std::max(0, pause());
        for (std::size_t i = 0; i < sessions.size(); ++i) ready[i] = next_interest(sessions[i]->handle(), wait_ms);
        ::poll(ready.data(), ready.size(), wait_ms);
        for (std::size_t i = 0; i < sessions.size(); ++i) process(sessions[i]->handle(), ready[i].revents);
    }
}

std::vector<std::unique_ptr<RawSession>> connect_raw(const std::string& connect_string, int count) {
    std::vector<std::unique_ptr<RawSession>> sessions;
    sessions.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) sessions.push_back(std::make_unique<RawSession>(connect_string));
    run_raw(sessions, [&] {
        return std::all_of(sessions.begin(), sessions.end(), [](const auto& session) { return session->is_connected(); });
    });
    return sessions;
}

void RawLock::acquire(std::function<void()> granted) {
    granted_ = std::move(granted);
    awaited_replies_ = 1;
    check_raw(zoo_acreate(session_.handle(), (path_ + "/lock-").c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE,
                          ZOO_EPHEMERAL | ZOO_SEQUENCE, on_created, this),
              "create");
    list();
}

void RawLock::release(std::function<void()> removed) {
    removed_ = std::move(removed);
    const auto on_removed = [](int rc, const void* self) {
        if (rc == ZCLOSING) return; // the run has ended, and does not wait for the reply
        check_raw(rc, "delete");
        const auto& lock = *static_cast<const RawLock*>(self);
        if (lock.removed_) lock.removed_();
    };
    check_raw(zoo_adelete(session_.handle(), node().c_str(), -1, on_removed, this), "delete");
}

void RawLock::list() {
    ++awaited_replies_;
    check_raw(zoo_aget_children(session_.handle(), path_.c_str(), 0, on_children, this), "list");
}

void RawLock::on_created(int rc, const char* value, const void* self) {
    check_raw(rc, "create");
    auto& lock = *static_cast<RawLock*>(const_cast<void*>(self));
    lock.name_ = std::string(value).substr(lock.path_.size() + 1);
    if (--lock.awaited_replies_ == 0) lock.decide();
}

void RawLock::on_children(int rc, const String_vector* names, const void* self) {
    check_raw(rc, "list");
    auto& lock = *static_cast<RawLock*>(const_cast<void*>(self));
    lock.queue_.assign(names->data, names->data + names->count);
    if (--lock.awaited_replies_ == 0) lock.decide();
}

void RawLock::decide() {
    std::sort(queue_.begin(), queue_.end());
    const auto own = std::find(queue_.begin(), queue_.end(), name_);
    if (own == queue_.end()) throw std::runtime_error("the lock's node is gone");
    switch (own - queue_.begin()) {
    case 0: granted_(); break;
    case 1: watch(queue_.front(), true); break;
    default: watch(*(own - 2), false); break; // the second nearest: the nearest one holds the lock when we list again
    }
}

void RawLock::watch(const std::string& name, bool nearest) {
    watched_ = name;
    auto event = std::make_unique<Watch>(Watch{this, name, nearest});
    auto reply = std::make_unique<Watch>(*event);
    check_raw(zoo_awget(session_.handle(), (path_ + "/" + name).c_str(), on_event, event.get(), on_watched, reply.get()),
              "get");
    event.release(); // NOLINT(bugprone-unused-return-value): on_event() owns it now
    reply.release(); // NOLINT(bugprone-unused-return-value): on_watched() owns it now
}

void RawLock::on_watched(int rc, const char*, int, const Stat*, const void* watch) {
    const std::unique_ptr<const Watch> own(static_cast<const Watch*>(watch));
    if (rc == ZNONODE) return own->lock->on_gone(*own);
    check_raw(rc, "get");
}

void RawLock::on_event(zhandle_t*, int type, int, const char*, void* watch) {
    if (type == ZOO_SESSION_EVENT) return; // the watch stays
    const std::unique_ptr<const Watch> own(static_cast<const Watch*>(watch));
    own->lock->on_gone(*own);
}

void RawLock::on_gone(const Watch& watch) {
    if (watched_ != watch.name) return;
    watched_.clear();
    watch.nearest ? granted_() : list();
}
