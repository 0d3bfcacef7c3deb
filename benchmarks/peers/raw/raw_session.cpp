// SPDX-License-Identifier: Apache-2.0
#include "raw_session.hpp"

#include <algorithm>
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
