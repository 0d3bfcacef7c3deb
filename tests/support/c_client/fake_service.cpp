// SPDX-License-Identifier: Apache-2.0
#include "c_client/fake_service.hpp"

#include <algorithm>

namespace docent::test {

FakeService::FakeService(VirtualLoop& loop, Duration session_timeout)
    : to_leader(loop), from_leader(loop), ping_gap([session_timeout] { return session_timeout / 4; }), loop_(loop),
      session_timeout_(session_timeout) {
    loop_.at(loop_.now() + ping_gap(), [this] { ping(); });
}

// ---- faults

void FakeService::set_quorum(bool quorum) {
    if (std::exchange(quorum_, quorum) == quorum) return;
    break_link();
    if (quorum) {
        for (auto& [id, heard] : sessions_) {
            heard = loop_.now(); // a new leader extends all sessions
            expire_when_due(id);
        }
    }
}

void FakeService::break_link() {
    to_leader.reset();
    from_leader.reset();
    for (const auto& connection : std::vector(connections_)) hang_up(connection);
}

void FakeService::forget_everything() {
    break_link();
    sessions_.clear();
    tree_ = {};
}

void FakeService::cut(bool reset) {
    for (const auto& connection : std::vector(connections_)) {
        connection->reset = connection->reset || reset;
        if (reset) connection->ended = true;
        hang_up(connection);
    }
}

void FakeService::stall_up(Duration length) {
    for (const auto& connection : connections_) connection->up_until = std::max(connection->up_until, loop_.now() + length);
}

void FakeService::stall_down(Duration length) {
    for (const auto& connection : connections_) connection->down_until = std::max(connection->down_until, loop_.now() + length);
}

void FakeService::end_beside(std::int64_t session) {
    if (sessions_.erase(session) > 0) apply(detail::TreeEndSession{session});
}

void FakeService::expire(std::int64_t session) {
    if (!alive(session)) return;
    end_beside(session);
    from_leader.send([this, session] {
        for (const auto& connection : std::vector(connections_)) {
            if (connection->session == session) hang_up(connection);
        }
    });
}

// ---- sessions

void FakeService::touch(std::int64_t session) {
    if (const auto found = sessions_.find(session); found != sessions_.end()) found->second = loop_.now();
}

/// The followers tell the leader which sessions were active. Activity on connections that have closed since is not told: this
/// is the strictest server.
void FakeService::ping() {
    loop_.at(loop_.now() + ping_gap(), [this] { ping(); });
    from_leader.send([this] {
        std::vector<std::int64_t> touched;
        for (const auto& connection : connections_) {
            if (std::exchange(connection->touched, false)) touched.push_back(connection->session);
        }
        to_leader.send([this, touched] {
            for (const std::int64_t session : touched) touch(session);
        });
    });
}

bool FakeService::alive(std::int64_t session) {
    return sessions_.contains(session);
}

/// Ends a session as early as a server may. This is the strictest server for a client that relies on the bound.
void FakeService::expire_when_due(std::int64_t session) {
    if (!quorum_ || !alive(session)) return;
    const Time due = sessions_.at(session) + session_timeout_;
    if (due <= loop_.now()) expire(session);
    else loop_.at(due, [this, session] { expire_when_due(session); });
}

std::size_t FakeService::watches() const {
    std::size_t count = 0;
    for (const auto& connection : connections_) count += connection->data_watches.size() + connection->child_watches.size();
    return count;
}

void FakeService::change(const std::string& path, const std::string& data) {
    if (tree_.find(path) != nullptr) apply(detail::TreeSet{path, data});
}

void FakeService::make(const std::string& path) {
    if (tree_.find(path) == nullptr) apply(detail::TreeCreate{path, {}, CreateMode::persistent, 0});
}

void FakeService::remove(const std::string& path) {
    if (tree_.find(path) != nullptr) apply(detail::TreeRemove{path});
}

void FakeService::set_acl(const std::string& path, const Acl& acl) {
    if (tree_.find(path) != nullptr) apply(detail::TreeSetAcl{path, std::make_shared<const Acl>(acl)});
}

void FakeService::reap_empty_containers() {
    for (const auto& path : tree_.empty_containers()) apply(detail::TreeRemove{path});
}

void FakeService::tell(const std::vector<TreeChange>& changes) {
    for (const TreeChange& change : changes) {
        for (const auto& connection : std::vector(connections_)) {
            const bool children = change.type == WatchEventType::children_changed;
            bool told = (children ? connection->child_watches : connection->data_watches).erase(change.path) > 0;
            if (change.type == WatchEventType::deleted) told = connection->child_watches.erase(change.path) > 0 || told;
            if (!told || change.hidden) continue;
            if (lose_events > 0) {
                --lose_events;
                continue;
            }
            down(connection, {.kind = FakeFrame::Kind::event, .event = {change.type, change.path}});
        }
    }
}

// ---- the network

FakeService::~FakeService() {
    for (const auto& connection : connections_) connection->upward.clear();
}

void FakeService::up(const FakeConnectionPtr& connection, std::function<void()> function) {
    connection->up_last = std::max(connection->up_last, loop_.now() + latency());
    if (!is_open(connection)) return; // nothing arrives, and the function would keep the connection alive
    connection->upward.push_back(std::move(function));
    loop_.at(connection->up_last, [this, connection] { deliver(connection); });
}

bool FakeService::is_open(const FakeConnectionPtr& connection) const {
    return std::find(connections_.begin(), connections_.end(), connection) != connections_.end();
}

/// Delivers the oldest message, even if this event was meant for a later one.
void FakeService::deliver(const FakeConnectionPtr& connection) {
    if (!is_open(connection)) return;
    if (loop_.now() < connection->up_until) {
        return loop_.at(connection->up_until, [this, connection] { deliver(connection); });
    }
    const auto first = std::move(connection->upward.front());
    connection->upward.pop_front();
    first();
}

void FakeService::down(const FakeConnectionPtr& connection, FakeFrame frame) {
    frame.zxid = zxid();
    connection->down_until = std::max(connection->down_until, loop_.now() + latency());
    loop_.at(connection->down_until, [connection, frame = std::move(frame)] { connection->arrived.push_back(frame); });
}

void FakeService::hang_up(const FakeConnectionPtr& connection) {
    if (std::erase(connections_, connection) == 0) return;
    connection->upward.clear();
    connection->down_until = std::max(connection->down_until, loop_.now() + latency());
    loop_.at(connection->down_until, [connection] { connection->ended = true; });
}

FakeConnectionPtr FakeService::connect() {
    auto connection = std::make_shared<FakeConnection>();
    connections_.push_back(connection);
    if (accepts) loop_.at(loop_.now() + latency(), [connection] { connection->accepted = true; });
    return connection;
}

// ---- requests

void FakeService::handshake(const FakeConnectionPtr& connection, std::int64_t session, std::int64_t last_zxid) {
    up(connection, [this, connection, session, last_zxid] { take(connection, session, last_zxid); });
}

void FakeService::take(const FakeConnectionPtr& connection, std::int64_t session, std::int64_t last_zxid) {
    const bool hushed = session != 0 && session == hushed_;
    const bool refused = session != 0 && session == refused_ && !hushed;
    if (!quorum_ || is_cut_off() || last_zxid > zxid() || refused) return hang_up(connection);
    if (session == 0) {
        session = ++last_session_;
        sessions_[session] = loop_.now();
        expire_when_due(session);
    } else if (!alive(session)) {
        session = 0;
    } else {
        for (const auto& other : std::vector(connections_)) {
            if (other != connection && other->session == session) hang_up(other); // the session has moved
        }
    }
    touch(session);
    if (hushed) return;
    connection->session = session;
    connection->serving = session != 0;
    down(connection, {.kind = FakeFrame::Kind::session, .session = session});
    if (session == 0) hang_up(connection);
}

void FakeService::restore_watches(const FakeConnectionPtr& connection, std::int64_t seen,
                                  std::vector<std::pair<char, std::string>> watches) {
    up(connection, [this, connection, seen, watches = std::move(watches)] {
        if (!connection->serving) return;
        for (const auto& [kind, path] : watches) {
            const auto* node = tree_.find(path);
            const auto tell = [&, path = path](WatchEventType type) {
                down(connection, {.kind = FakeFrame::Kind::event, .event = {type, path}});
            };
            if (kind == 'e' && node != nullptr) tell(WatchEventType::created);
            else if (kind != 'e' && node == nullptr) tell(WatchEventType::deleted);
            else if (kind == 'd' && node->stat.mzxid > seen) tell(WatchEventType::data_changed);
            else if (kind == 'c' && node->stat.pzxid > seen) tell(WatchEventType::children_changed);
            else (kind == 'c' ? connection->child_watches : connection->data_watches).insert(path);
        }
    });
}

void FakeService::request(const FakeConnectionPtr& connection, std::int64_t xid, FakeRequest request) {
    up(connection, [this, connection, xid, request = std::move(request)] { receive(connection, xid, request); });
}

/// A follower passes on the requests for the leader, and keeps the order of replies.
void FakeService::receive(const FakeConnectionPtr& connection, std::int64_t xid, const FakeRequest& request) {
    if (!connection->serving || !quorum_) return;
    connection->touched = true;
    if (std::holds_alternative<FakePing>(request)) return down(connection, {.kind = FakeFrame::Kind::pong});
    const auto* asked = std::get_if<zk::Request>(&request);
    const bool for_leader = asked != nullptr && zk::passes_leader(*asked);
    connection->orders.push_back({xid, request, for_leader, false, {FakeFrame::Kind::reply}});
    if (!for_leader) return answer_in_order(connection);
    to_leader.send([this, connection, xid, request] {
        from_leader.send([this, connection, reply = answer(*connection, xid, request)] {
            if (!is_open(connection)) return;
            const auto order = std::find_if(connection->orders.begin(), connection->orders.end(),
                                            [&](const FakeOrder& each) { return each.xid == reply.xid; });
            order->reply = reply;
            order->answered = true;
            answer_in_order(connection);
        });
    });
}

void FakeService::answer_in_order(const FakeConnectionPtr& connection) {
    auto& orders = connection->orders;
    for (; !orders.empty() && (orders.front().answered || !orders.front().for_leader); orders.pop_front()) {
        const FakeOrder& order = orders.front();
        down(connection, order.for_leader ? order.reply : answer(*connection, order.xid, order.request));
    }
}

FakeFrame FakeService::answer(FakeConnection& connection, std::int64_t xid, const FakeRequest& request) {
    FakeFrame frame{.kind = FakeFrame::Kind::reply, .xid = xid};
    if (const auto* removal = std::get_if<FakeRemoveWatches>(&request)) {
        auto& watches = removal->children ? connection.child_watches : connection.data_watches;
        if (watches.erase(removal->path) == 0) frame.reply.ec = server_error::no_watcher;
    } else {
        frame.reply = perform(connection, std::get<zk::Request>(request));
    }
    return frame;
}

zk::Reply FakeService::perform(FakeConnection& connection, const zk::Request& request) {
    if (!zk::passes_leader(request)) {
        auto reply = detail::read(tree_, request, exists_needs);
        const bool children = std::holds_alternative<zk::ChildrenRequest>(request);
        auto& watches = children ? connection.child_watches : connection.data_watches;
        if (detail::leaves_watch(request, reply.ec)) watches.insert(zk::path_of(request));
        return reply;
    }
    // A follower answers a sync whatever the leader has found.
    if (!alive(connection.session) && !std::holds_alternative<zk::SyncRequest>(request))
        return {.ec = server_error::session_expired};
    auto written = detail::write(tree_, {.session = connection.session}, request);
    tell(written.changes);
    return std::move(written.reply);
}

void FakeService::end_session(const FakeConnectionPtr& connection) {
    if (connection->serving && quorum_ && !is_cut_off() && connection->up_until <= loop_.now()) expire(connection->session);
    hang_up(connection);
}

} // namespace docent::test
