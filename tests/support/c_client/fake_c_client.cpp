// SPDX-License-Identifier: Apache-2.0
#include "c_client/fake_c_client.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <set>
#include <sstream>
#include <utility>

namespace docent::test {

using std::chrono::milliseconds;

struct FakeCClient::Operation {
    std::int64_t xid;
    FakeRequest request;
    zk::Completion* completion;
    bool sent = false;
};

struct FakeCClient::FakeHandle {
    watcher_fn watcher;
    void* context;
    milliseconds timeout;
    std::vector<std::string> servers;
    std::size_t attempts = 0; // with these servers, one after the other
    int state = 0;
    int fd = -1;
    bool delayed = false; // all servers have been tried: pause before the next attempt
    std::int64_t session = 0;
    std::int64_t last_zxid = 0;
    VirtualLoop::Time last_received{};
    VirtualLoop::Time last_sent{};
    FakeConnectionPtr connection = nullptr;
    std::deque<Operation> operations = {};
    std::set<std::pair<char, std::string>> watches = {}; // 'd'ata, 'e'xists, 'c'hildren
};

FakeCClient::FakeCClient(VirtualLoop& loop, FakeService& service) : loop_(loop), service_(service) {
    loop_.set_descriptors(this);
}

FakeCClient::~FakeCClient() = default;

FakeCClient::FakeHandle& FakeCClient::of(zhandle_t* zh) {
    return *reinterpret_cast<FakeHandle*>(zh);
}

FakeCClient::FakeHandle* FakeCClient::find(int fd) {
    for (const auto& handle : handles_) {
        if (handle->fd == fd) return handle.get();
    }
    return nullptr;
}

bool FakeCClient::readable(int fd) {
    const auto* handle = find(fd);
    if (handle == nullptr) return true; // closed
    const FakeConnection& connection = *handle->connection;
    return !connection.arrived.empty() || connection.ended || connection.refused;
}

bool FakeCClient::writable(int fd) {
    const auto* handle = find(fd);
    return handle == nullptr || handle->connection->accepted || handle->connection->refused || handle->connection->ended;
}

void FakeCClient::shut(int fd) {
    if (auto* handle = find(fd)) {
        handle->connection->ended = handle->connection->reset = true;
        handle->connection->arrived.clear();
        service_.hang_up(handle->connection);
    }
}

std::size_t FakeCClient::watches() const {
    std::size_t count = 0;
    for (const auto& handle : handles_) count += handle->watches.size();
    return count;
}

zhandle_t* FakeCClient::init(const char* servers, watcher_fn watcher, int timeout, void* context) {
    if (out_of_descriptors) {
        errno = EMFILE;
        return nullptr;
    }
    ++handles_made;
    lists.emplace_back(servers);
    auto& made = handles_.emplace_back(
        std::make_unique<FakeHandle>(FakeHandle{watcher, context, milliseconds{timeout}, servers_in(servers)}));
    return reinterpret_cast<zhandle_t*>(made.get());
}

/// Closes the connection, as the C client does for servers that it did not have before.
int FakeCClient::set_servers(zhandle_t* zh, const char* servers) {
    FakeHandle& handle = of(zh);
    if (std::string(servers) != "192.0.2.1:1") lists.emplace_back(servers);
    handle.servers = servers_in(servers);
    handle.attempts = 0;
    if (handle.fd < 0) return ZOK;
    ++broken_off;
    service_.hang_up(handle.connection);
    handle.connection = nullptr;
    handle.fd = -1;
    handle.state = ZOO_NOTCONNECTED_STATE;
    return ZOK;
}

int FakeCClient::close(zhandle_t* zh) {
    FakeHandle& handle = of(zh);
    if (handle.connection) {
        if (handle.state == ZOO_CONNECTED_STATE) service_.end_session(handle.connection);
        else service_.hang_up(handle.connection);
    }
    handle.fd = -1;
    fail_all(handle, ZCLOSING);
    handles_.remove_if([&](const auto& each) { return each.get() == &handle; });
    return ZOK;
}

std::vector<std::string> FakeCClient::servers_in(const std::string& list) {
    std::vector<std::string> servers;
    std::istringstream in(list);
    for (std::string server; std::getline(in, server, ',');) servers.push_back(server);
    return servers;
}

std::string FakeCClient::current_server(zhandle_t* zh) {
    const FakeHandle& handle = of(zh);
    return handle.attempts == 0 ? std::string() : handle.servers.at((handle.attempts - 1) % handle.servers.size());
}

int FakeCClient::state(zhandle_t* zh) {
    return of(zh).state;
}
bool FakeCClient::unrecoverable(zhandle_t* zh) {
    return of(zh).state < 0;
}
std::int64_t FakeCClient::session_id(zhandle_t* zh) {
    return of(zh).session;
}
int FakeCClient::recv_timeout(zhandle_t* zh) {
    return static_cast<int>(of(zh).timeout.count());
}

// ---- connecting and disconnecting

void FakeCClient::begin_connection(FakeHandle& handle) {
    handle.connection = service_.connect();
    ++handle.attempts;
    ++connections_made;
    handle.fd = ++last_fd_;
    handle.state = ZOO_CONNECTING_STATE;
    handle.last_received = handle.last_sent = loop_.now();
    if (!connects_at_once) return;
    handle.connection->accepted = true;
    shake_hands(handle);
}

void FakeCClient::shake_hands(FakeHandle& handle) {
    service_.handshake(handle.connection, handle.session, handle.last_zxid);
    handle.state = ZOO_ASSOCIATING_STATE;
    handle.last_sent = loop_.now();
}

int FakeCClient::interest(zhandle_t* zh, int* fd, int* interest, timeval* wait) {
    FakeHandle& handle = of(zh);
    if (handle.state < 0) return ZINVALIDSTATE;
    if (handle.fd < 0) {
        if (std::exchange(handle.delayed, false)) {
            wait->tv_usec = static_cast<int>(std::chrono::microseconds{handle.timeout / 60}.count());
            return ZOK;
        }
        if (out_of_descriptors) {
            errno = EMFILE;
            return handle_error(handle, ZSYSTEMERROR);
        }
        begin_connection(handle);
    }
    const auto idle = loop_.now() - handle.last_received;
    const auto to_receive = std::chrono::floor<milliseconds>(handle.timeout * 2 / 3 - idle);
    if (to_receive <= milliseconds{0}) {
        *fd = handle.fd; // the descriptor is already closed
        return handle_error(handle, ZOPERATIONTIMEOUT);
    }
    auto delay = to_receive;
    if (handle.state == ZOO_CONNECTED_STATE) {
        const bool asked =
            std::any_of(handle.operations.begin(), handle.operations.end(), [](const auto& o) { return o.sent; });
        if (loop_.now() - handle.last_sent >= handle.timeout / 3 && !asked) {
            handle.last_sent = loop_.now();
            service_.request(handle.connection, 0, FakePing{});
        }
        const auto to_send = std::chrono::ceil<milliseconds>(handle.timeout / 3 - (loop_.now() - handle.last_sent));
        if (to_send > milliseconds{0}) delay = std::min(delay, to_send);
    }
    *fd = handle.fd;
    *interest = ZOOKEEPER_READ | (handle.state == ZOO_CONNECTING_STATE ? ZOOKEEPER_WRITE : 0);
    wait->tv_sec = delay.count() / 1000;
    wait->tv_usec = delay.count() % 1000 * 1000;
    return ZOK;
}

int FakeCClient::handle_error(FakeHandle& handle, int rc) {
    if (handle.connection) service_.hang_up(handle.connection);
    handle.connection = nullptr;
    handle.fd = -1;
    handle.delayed = handle.attempts % handle.servers.size() == 0;
    if (handle.state == ZOO_CONNECTED_STATE) say(handle, ZOO_CONNECTING_STATE); // the handle's state is still "connected"
    fail_all(handle, rc);
    if (handle.state >= 0) handle.state = 0;
    return rc;
}

/// Without a reply, all operations of a multi have the same error.
void FakeCClient::answer(const Operation& operation, int rc, const zk::Reply& reply) {
    zk::Reply told = rc == ZOK ? reply : zk::Reply{.ec = zk::to_error_code(rc), .results = reply.results};
    const auto* request = std::get_if<zk::Request>(&operation.request);
    if (const auto* multi = request != nullptr ? std::get_if<zk::MultiRequest>(request) : nullptr) {
        told.results.resize(multi->operations.size(), {.ec = told.ec});
    }
    operation.completion->on_reply(std::move(told));
}

void FakeCClient::fail_all(FakeHandle& handle, int rc) {
    for (const Operation& operation : std::exchange(handle.operations, {})) answer(operation, rc, {});
}

void FakeCClient::say(FakeHandle& handle, int state) {
    handle.watcher(reinterpret_cast<zhandle_t*>(&handle), ZOO_SESSION_EVENT, state, "", handle.context);
}

void FakeCClient::tell(int state) {
    for (const auto& handle : handles_) say(*handle, state);
}

int FakeCClient::process(zhandle_t* zh, int events) {
    FakeHandle& handle = of(zh);
    if (handle.state < 0 || handle.fd < 0) return ZINVALIDSTATE;
    FakeConnection& connection = *handle.connection;
    if (connection.refused) return handle_error(handle, ZCONNECTIONLOSS);
    if ((events & ZOOKEEPER_WRITE) != 0 && handle.state == ZOO_CONNECTING_STATE && connection.accepted && !connection.ended) {
        shake_hands(handle);
    }
    if ((events & ZOOKEEPER_READ) == 0) return ZOK;
    if (!connection.arrived.empty()) {
        const FakeFrame frame = std::move(connection.arrived.front());
        connection.arrived.pop_front();
        read(handle, frame);
        return ZOK;
    }
    return connection.ended ? handle_error(handle, ZCONNECTIONLOSS) : ZNOTHING;
}

// ---- arrivals

void FakeCClient::read(FakeHandle& handle, const FakeFrame& frame) {
    handle.last_received = loop_.now();
    switch (frame.kind) {
    case FakeFrame::Kind::session: return on_session(handle, frame);
    case FakeFrame::Kind::reply: return on_reply(handle, frame);
    case FakeFrame::Kind::event: return on_event(handle, frame);
    case FakeFrame::Kind::pong: return;
    }
}

void FakeCClient::on_session(FakeHandle& handle, const FakeFrame& frame) {
    if (frame.session == 0) {
        handle.state = ZOO_EXPIRED_SESSION_STATE;
        say(handle, ZOO_EXPIRED_SESSION_STATE);
        handle_error(handle, ZSESSIONEXPIRED);
        return;
    }
    handle.session = frame.session;
    handle.state = ZOO_CONNECTED_STATE;
    service_.restore_watches(handle.connection, handle.last_zxid, {handle.watches.begin(), handle.watches.end()});
    say(handle, ZOO_CONNECTED_STATE);
    // Requests that a silent close has left are sent now. A request that was cut in the middle is continued there, and no
    // server understands that.
    const bool unanswered =
        std::any_of(handle.operations.begin(), handle.operations.end(), [](const auto& o) { return o.sent; });
    if (!handle.operations.empty() && !unanswered && half_sent) return shut(handle.fd);
    for (Operation& operation : handle.operations) {
        if (!operation.sent) transmit(handle, operation);
    }
}

void FakeCClient::on_reply(FakeHandle& handle, const FakeFrame& frame) {
    if (handle.operations.empty() || handle.operations.front().xid != frame.xid) {
        handle_error(handle, ZRUNTIMEINCONSISTENCY);
        return;
    }
    handle.last_zxid = std::max(handle.last_zxid, frame.zxid);
    Operation operation = std::move(handle.operations.front());
    handle.operations.pop_front();
    const error_code& ec = frame.reply.ec;
    if (const auto* request = std::get_if<zk::Request>(&operation.request); request && detail::leaves_watch(*request, ec)) {
        const char kind = std::holds_alternative<zk::ChildrenRequest>(*request) ? 'c' : ec ? 'e' : 'd';
        handle.watches.emplace(kind, zk::path_of(*request));
    }
    if (const auto* removal = std::get_if<FakeRemoveWatches>(&operation.request); removal && !ec) {
        for (const char kind : std::string(removal->children ? "c" : "de")) handle.watches.erase({kind, removal->path});
    }
    answer(operation, ec.value(), frame.reply);
}

void FakeCClient::on_event(FakeHandle& handle, const FakeFrame& frame) {
    const auto& [event, path] = frame.event;
    const bool children = event == WatchEventType::children_changed;
    bool told = false;
    for (const char kind : std::string(children ? "c" : event == WatchEventType::deleted ? "dec" : "de")) {
        told = handle.watches.erase({kind, path}) > 0 || told;
    }
    if (!told) return;
    const int type = event == WatchEventType::created        ? ZOO_CREATED_EVENT
                     : event == WatchEventType::deleted      ? ZOO_DELETED_EVENT
                     : event == WatchEventType::data_changed ? ZOO_CHANGED_EVENT
                                                             : ZOO_CHILD_EVENT;
    handle.watcher(reinterpret_cast<zhandle_t*>(&handle), type, ZOO_CONNECTED_STATE, path.c_str(), handle.context);
}

// ---- requests

void FakeCClient::transmit(FakeHandle& handle, Operation& operation) {
    operation.sent = true;
    handle.last_sent = loop_.now();
    service_.request(handle.connection, operation.xid, operation.request);
}

int FakeCClient::send(zhandle_t* zh, const zk::Request& request, const zk::Watcher&, zk::Completion& completion) {
    if (std::holds_alternative<zk::ReconfigRequest>(request)) return ZUNIMPLEMENTED;
    zk::Request copy = request;
    std::visit(
        [](auto& r) { // the service only asks whether there is a sink, and must not keep the caller's
            if constexpr (requires { r.watch; }) r.watch = r.watch ? zk::make_watch_sink([](const WatchEvent&) {}) : nullptr;
        },
        copy);
    return submit(zh, std::move(copy), completion);
}

int FakeCClient::remove_watch(zhandle_t* zh, const std::string& path, zk::WatchKind kind, zk::Completion& completion) {
    const bool children = kind == zk::WatchKind::children;
    if (!watches_any(zh, path, children)) return ZNOWATCHER;
    return submit(zh, FakeRemoveWatches{path, children}, completion);
}

int FakeCClient::submit(zhandle_t* zh, FakeRequest request, zk::Completion& completion) {
    FakeHandle& handle = of(zh);
    if (handle.state < 0) return ZINVALIDSTATE;
    if (const int rc = std::exchange(next_send, ZOK)) return rc;
    Operation& operation = handle.operations.emplace_back(Operation{++last_xid_, std::move(request), &completion});
    if (handle.state != ZOO_CONNECTED_STATE) return ZOK;
    if (!handle.connection->reset) {
        transmit(handle, operation);
        return ZOK;
    }
    // ZOOKEEPER-4210: the C client reports nothing, and keeps all requests.
    service_.hang_up(handle.connection);
    handle.connection = nullptr;
    handle.fd = -1;
    handle.state = ZOO_NOTCONNECTED_STATE;
    return ZOK;
}

bool FakeCClient::watches_any(zhandle_t* zh, const std::string& path, bool children) {
    const auto& watches = of(zh).watches;
    return children ? watches.contains({'c', path}) : watches.contains({'d', path}) || watches.contains({'e', path});
}

} // namespace docent::test
