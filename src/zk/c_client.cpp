// SPDX-License-Identifier: Apache-2.0

#include "zk/c_client.hpp"
#include "base/reply_too_large.hpp"
#include "zk/input/reply_check.hpp"

#include <pthread.h>

#include <cstddef>
#include <mutex>
#include <string>

namespace docent::zk {
namespace {

/// zoo_get_current_server() returns a buffer that all threads share. zookeeper_interest() writes to it as well when a server
/// was silent for too long. fork() waits for the mutex, so that it is free in the child.
std::mutex server_buffer_mutex;
void lock_server_buffer() {
    server_buffer_mutex.lock();
}
void unlock_server_buffer() {
    server_buffer_mutex.unlock();
}
[[maybe_unused]] const int at_fork = ::pthread_atfork(lock_server_buffer, unlock_server_buffer, unlock_server_buffer);

} // namespace

CClient::~CClient() = default;

zhandle_t* CClient::init(const char* servers, watcher_fn watcher, int timeout, void* context) {
    zoo_set_debug_level(static_cast<ZooLogLevel>(0)); // no log: all threads would share its buffers
    zhandle_t* zh = zookeeper_init2(servers, watcher, timeout, nullptr, context, ZOO_NO_LOG_CLIENTENV, nullptr);
    if (zh != nullptr) zoo_set_servers_resolution_delay(zh, -1); // else each zookeeper_interest() resolves names
    return zh;
}

int CClient::interest(zhandle_t* zh, int* fd, int* interest, timeval* wait) {
    const std::lock_guard lock(server_buffer_mutex);
    return zookeeper_interest(zh, fd, interest, wait);
}

std::string CClient::current_server(zhandle_t* zh) {
    const std::lock_guard lock(server_buffer_mutex);
    const char* const shown = zoo_get_current_server(zh);
    std::string server = shown != nullptr ? shown : "";
    std::erase_if(server, [](char c) { return c == '[' || c == ']'; }); // around an IPv6 address
    return server;
}

CClient& real_c_client() {
    static CClient client;
    return client;
}

error_code to_error_code(int rc) {
    if (rc == ZOK) return {};
    const std::size_t length = length_of_too_large(rc);
    return length > 0 ? detail::reply_too_large(length) : error_code{rc, server_category()};
}

} // namespace docent::zk
