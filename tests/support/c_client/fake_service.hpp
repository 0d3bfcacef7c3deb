// SPDX-License-Identifier: Apache-2.0
#pragma once

// ZooKeeper as one C client sees it: an ensemble behind a network that delays, cuts and drops. Clients are connected to
// followers. The leader hears of sessions only in the followers' answers to its pings, and of nothing while the link is
// stalled.

#include "c_client/virtual_loop.hpp"
#include "testing/memory/rules.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace docent::test {

using detail::NodeTree;
using detail::TreeChange;

/// A frame from a server.
struct FakeFrame {
    enum class Kind { session, reply, event, pong } kind;
    std::int64_t xid = 0;
    zk::Reply reply = {};
    std::int64_t zxid = 0;
    std::int64_t session = 0; // 0: expired
    WatchEvent event = {};
};

/// Sent to a server besides requests.
struct FakePing {};
struct FakeRemoveWatches {
    std::string path;
    bool children; // child watches; otherwise data watches
};
using FakeRequest = std::variant<zk::Request, FakePing, FakeRemoveWatches>;

/// A request at the follower.
struct FakeOrder {
    std::int64_t xid;
    FakeRequest request;
    bool for_leader;
    bool answered = false; // by the leader
    FakeFrame reply;
};

/// One TCP connection, with its two ends.
struct FakeConnection {
    bool accepted = false; // the connect has succeeded
    bool refused = false;  // the connect has failed
    bool ended = false;    // the client finds the connection closed, after all that has arrived
    bool reset = false;    // the client cannot send, either
    bool serving = false;  // the server has accepted the session
    std::int64_t session = 0;
    bool touched = false;              // since the last ping
    std::deque<FakeOrder> orders = {}; // open: a session's requests are answered in order
    std::deque<FakeFrame> arrived;
    std::deque<std::function<void()>> upward; // under way to the server
    VirtualLoop::Time up_last{};              // arrival of the last of them, without a stall
    VirtualLoop::Time up_until{};             // nothing passes in this direction before
    VirtualLoop::Time down_until{};
    std::set<std::string> data_watches;
    std::set<std::string> child_watches;
};
using FakeConnectionPtr = std::shared_ptr<FakeConnection>;

/// One direction between two servers. It takes no time, keeps the order, and can be stalled.
class FakeLink {
public:
    explicit FakeLink(VirtualLoop& loop) : loop_(loop) {}

    void send(std::function<void()> function) {
        if (!stalled() && waiting_.empty()) return function();
        waiting_.push_back(std::move(function));
    }
    void stall(VirtualLoop::Duration length) {
        until_ = std::max(until_, loop_.now() + length);
        loop_.at(until_, [this] { deliver(); });
    }
    bool stalled() const { return loop_.now() < until_; }
    /// Drops everything that is under way.
    void reset() {
        waiting_.clear();
        until_ = {};
    }

private:
    void deliver() {
        while (!stalled() && !waiting_.empty()) {
            const auto first = std::move(waiting_.front());
            waiting_.pop_front();
            first();
        }
    }

    VirtualLoop& loop_;
    VirtualLoop::Time until_{};
    std::deque<std::function<void()>> waiting_;
};

class FakeService {
public:
    using Time = VirtualLoop::Time;
    using Duration = VirtualLoop::Duration;

    FakeService(VirtualLoop& loop, Duration session_timeout);
    ~FakeService();
    FakeService(const FakeService&) = delete;
    FakeService& operator=(const FakeService&) = delete;

    // ---- faults
    /// New connections succeed. Otherwise all servers are dead hosts: nothing answers.
    bool accepts = true;
    bool quorum() const { return quorum_; }
    /// Without a quorum, servers close their connections and accept no session, and no session expires.
    void set_quorum(bool quorum);
    /// The followers hear nothing of the leader, and the leader hears nothing of them. Until the link goes on, only reads and
    /// pings are answered.
    void cut_off(Duration length) {
        to_leader.stall(length);
        from_leader.stall(length);
    }
    bool is_cut_off() const { return to_leader.stalled() || from_leader.stalled(); }
    /// The link breaks, with everything that is under way. The followers lose their leader, so they close their connections.
    void break_link();
    FakeLink to_leader;
    FakeLink from_leader;
    /// The time until the leader's next ping: half a tick, and a delay.
    std::function<Duration()> ping_gap;
    /// All data and sessions are gone. Clients that have seen newer data are not accepted.
    void forget_everything();
    /// Closes all connections. `reset`: then sends fail at once, too.
    void cut(bool reset);
    /// Nothing passes in this direction for this time.
    void stall_up(Duration length);
    void stall_down(Duration length);
    /// The time that each frame takes.
    std::function<Duration()> latency = [] { return std::chrono::milliseconds{1}; };
    void expire(std::int64_t session);
    /// Another client closes the session, on a connection to the same server. That connection is closed. The owner's connection
    /// goes on.
    void end_beside(std::int64_t session);
    /// Closes each connection of this session without a reply.
    void refuse(std::int64_t session) { refused_ = session; }
    /// The number of events that are lost. Events of nodes that may not be read are dropped, too.
    std::size_t lose_events = 0;
    /// Whether `exists` needs READ. This depends on the version of the servers: see ExistsNeeds.
    detail::ExistsNeeds exists_needs = detail::ExistsNeeds::read;
    /// Accepts this session, but sends it nothing.
    void hush(std::int64_t session) { hushed_ = session; }

    // ---- observers
    bool alive(std::int64_t session);
    std::size_t sessions() const { return sessions_.size(); }
    std::set<std::int64_t> session_ids() const {
        std::set<std::int64_t> ids;
        for (const auto& [id, heard] : sessions_) ids.insert(id);
        return ids;
    }
    std::size_t watches() const;
    const NodeTree& tree() const { return tree_; }
    void change(const std::string& path, const std::string& data = {});
    void make(const std::string& path);
    void remove(const std::string& path);
    void set_acl(const std::string& path, const Acl& acl);
    void reap_empty_containers();

    // ---- the C client's side
    FakeConnectionPtr connect();
    void handshake(const FakeConnectionPtr& connection, std::int64_t session, std::int64_t last_zxid);
    void restore_watches(const FakeConnectionPtr& connection, std::int64_t zxid,
                         std::vector<std::pair<char, std::string>> watches);
    void request(const FakeConnectionPtr& connection, std::int64_t xid, FakeRequest request);
    void end_session(const FakeConnectionPtr& connection);
    void hang_up(const FakeConnectionPtr& connection);
    bool is_open(const FakeConnectionPtr& connection) const;

private:
    void up(const FakeConnectionPtr& connection, std::function<void()> function);
    void deliver(const FakeConnectionPtr& connection);
    void down(const FakeConnectionPtr& connection, FakeFrame frame);
    void ping();
    void touch(std::int64_t session);
    void expire_when_due(std::int64_t session);
    void apply(const detail::TreeTxn& txn) { tell(tree_.apply(txn)); }
    void tell(const std::vector<TreeChange>& changes);
    void take(const FakeConnectionPtr& connection, std::int64_t session, std::int64_t last_zxid);
    void receive(const FakeConnectionPtr& connection, std::int64_t xid, const FakeRequest& request);
    void answer_in_order(const FakeConnectionPtr& connection);
    FakeFrame answer(FakeConnection& connection, std::int64_t xid, const FakeRequest& request);
    zk::Reply perform(FakeConnection& connection, const zk::Request& request);
    std::int64_t zxid() const { return tree_.zxid(); }

    VirtualLoop& loop_;
    Duration session_timeout_;
    NodeTree tree_;
    bool quorum_ = true;
    std::int64_t refused_ = 0;
    std::int64_t hushed_ = 0;
    std::map<std::int64_t, Time> sessions_; // the time when the leader last heard of each
    std::int64_t last_session_ = 0x100;
    std::vector<FakeConnectionPtr> connections_;
};

} // namespace docent::test
