// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C client as docs/contributing/c-client.md describes it, with its traps, in virtual time.

#include "c_client/fake_service.hpp"
#include "c_client/virtual_loop.hpp"
#include "zk/c_client.hpp"

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace docent::test {

class FakeCClient : public zk::CClient, private VirtualLoop::Descriptors {
public:
    FakeCClient(VirtualLoop& loop, FakeService& service);
    ~FakeCClient() override;

    /// The result of the next send() or remove_watch(), which then does nothing; ZOK: the call works.
    int next_send = ZOK;
    /// No handle and no socket can be made.
    bool out_of_descriptors = false;
    /// connect() succeeds at once, as under proxychains. The C client then sends its handshake inside interest().
    bool connects_at_once = false;
    /// A silent close (ZOOKEEPER-4210) cuts a request in the middle. Its rest goes to the next connection, which breaks.
    bool half_sent = false;
    /// The number of handles.
    std::size_t handles() const { return handles_.size(); }
    /// The number of watches that a reconnect would set again.
    std::size_t watches() const;
    std::size_t connections_made = 0;
    std::size_t handles_made = 0;
    /// The server lists that were set, without the placeholder that the handle sets between two lists.
    std::vector<std::string> lists;
    /// The number of connections that were given up for other servers.
    std::size_t broken_off = 0;
    /// Tells a session event to all handles.
    void tell(int state);

    zhandle_t* init(const char* servers, watcher_fn watcher, int timeout, void* context) override;
    int close(zhandle_t* zh) override;
    int add_auth(zhandle_t*, const char*, const char*, int, void_completion_t) override { return ZOK; }
    int set_servers(zhandle_t* zh, const char* servers) override;
    int interest(zhandle_t* zh, int* fd, int* interest, timeval* wait) override;
    int process(zhandle_t* zh, int events) override;
    int state(zhandle_t* zh) override;
    bool unrecoverable(zhandle_t* zh) override;
    std::int64_t session_id(zhandle_t* zh) override;
    int recv_timeout(zhandle_t* zh) override;
    std::string current_server(zhandle_t* zh) override;

    int send(zhandle_t* zh, const zk::Request& request, const zk::Watcher&, zk::Completion& completion) override;
    int remove_watch(zhandle_t* zh, const std::string& path, zk::WatchKind kind, zk::Completion& completion) override;

private:
    struct FakeHandle;
    struct Operation;

    bool readable(int fd) override;
    bool writable(int fd) override;
    void shut(int fd) override;

    static FakeHandle& of(zhandle_t* zh);
    static std::vector<std::string> servers_in(const std::string& list);
    bool watches_any(zhandle_t* zh, const std::string& path, bool children);
    FakeHandle* find(int fd);
    int submit(zhandle_t* zh, FakeRequest request, zk::Completion& completion);
    void transmit(FakeHandle& handle, Operation& operation);
    void begin_connection(FakeHandle& handle);
    void shake_hands(FakeHandle& handle);
    int handle_error(FakeHandle& handle, int rc);
    void read(FakeHandle& handle, const FakeFrame& frame);
    void on_session(FakeHandle& handle, const FakeFrame& frame);
    void on_reply(FakeHandle& handle, const FakeFrame& frame);
    void on_event(FakeHandle& handle, const FakeFrame& frame);
    static void answer(const Operation& operation, int rc, const zk::Reply& reply);
    static void fail_all(FakeHandle& handle, int rc);
    static void say(FakeHandle& handle, int state);

    VirtualLoop& loop_;
    FakeService& service_;
    std::list<std::unique_ptr<FakeHandle>> handles_;
    int last_fd_ = 10;
    std::int64_t last_xid_ = 0;
};

} // namespace docent::test
