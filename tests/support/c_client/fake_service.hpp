// SPDX-License-Identifier: Apache-2.0
#pragma once

// ZooKeeper as one C client sees it: an ensemble behind a network that delays, cuts and swallows. Its clients are at followers:
// the leader hears of sessions in the followers' answers to its pings alone, and of nothing while the link to it stands still.

#include "c_client/fake_link.hpp"
#include "c_client/virtual_loop.hpp"
#include "fake_server/fake_rules.hpp"

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

using detail::FakeChange;
using detail::FakeTree;

/// What a server sends.
struct FakeFrame {
    enum class Kind { session, reply, event, pong } kind;
    std::int64_t xid = 0;
    zk::Reply reply = {};
    std::int64_t zxid = 0;
    std::int64_t session = 0; // 0: expired
    WatchEvent event = {};
};

/// What goes to the server beside requests.
struct FakePing {};
struct FakeRemoveWatches {
    std::string path;
    bool children; // these, else those of data
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
    bool ended = false;    // the client's end finds the connection closed, behind what has arrived
    bool reset = false;    // also for what it sends
    bool serving = false;  // the server has taken the session
    std::int64_t session = 0;
    bool touched = false;              // since the follower has answered a ping
    std::deque<FakeOrder> orders = {}; // not answered: a session's requests are answered in order
    std::deque<FakeFrame> arrived;
    std::deque<std::function<void()>> upward; // on their way to the server
    VirtualLoop::Time up_last{};              // when the last of them arrives, if nothing is in the way
    VirtualLoop::Time up_until{};             // nothing passes in this direction before
    VirtualLoop::Time down_until{};
    std::set<std::string> data_watches;
    std::set<std::string> child_watches;
};
using FakeConnectionPtr = std::shared_ptr<FakeConnection>;

class FakeService {
public:
    using Time = VirtualLoop::Time;
    using Duration = VirtualLoop::Duration;

    FakeService(VirtualLoop& loop, Duration session_timeout);
    ~FakeService();
    FakeService(const FakeService&) = delete;
    FakeService& operator=(const FakeService&) = delete;

    // ---- faults
    /// New connections are made. If not, all servers are dead hosts: nothing answers.
    bool accepts = true;
    bool quorum() const { return quorum_; }
    /// Without one, connections are closed and nobody is taken; no session ends.
    void set_quorum(bool quorum);
    /// The servers that clients see hear nothing of the leader, and it hears nothing of them: reads and pings are answered,
    /// nothing else is, until the link goes on.
    void cut_off(Duration length) {
        to_leader.stall(length);
        from_leader.stall(length);
    }
    bool is_cut_off() const { return to_leader.stalled() || from_leader.stalled(); }
    /// The link breaks, with all that was on it; so do connections to the servers that have lost their leader.
    void break_link();
    FakeLink to_leader;
    FakeLink from_leader;
    /// How long until the leader's next ping: half a tick, and what it is late.
    std::function<Duration()> ping_gap;
    /// All data and sessions are gone; clients that have seen newer data are not taken.
    void forget_everything();
    /// Closes all connections; `reset`: what is sent then fails at once.
    void cut(bool reset);
    /// Nothing passes for so long.
    void stall_up(Duration length);
    void stall_down(Duration length);
    /// How long each frame takes.
    std::function<Duration()> latency = [] { return std::chrono::milliseconds{1}; };
    void expire(std::int64_t session);
    /// Somebody else closes it, by a connection to the same server: that one is hung up, and its owner's goes on.
    void end_beside(std::int64_t session);
    /// Hangs up on this one, without a word.
    void refuse(std::int64_t session) { refused_ = session; }
    /// Events of nodes that may not be read are dropped; these are lost, too.
    std::size_t lose_events = 0;
    /// By the version of the servers.
    detail::ExistsNeeds exists_needs = detail::ExistsNeeds::read;
    /// Takes this one, but it is told nothing.
    void hush(std::int64_t session) { hushed_ = session; }

    // ---- what an observer sees
    bool alive(std::int64_t session);
    std::size_t sessions() const { return sessions_.size(); }
    std::set<std::int64_t> session_ids() const {
        std::set<std::int64_t> ids;
        for (const auto& [id, heard] : sessions_) ids.insert(id);
        return ids;
    }
    std::size_t watches() const;
    const FakeTree& tree() const { return tree_; }
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
    void apply(const detail::FakeTxn& txn) { tell(tree_.apply(txn)); }
    void tell(const std::vector<FakeChange>& changes);
    void take(const FakeConnectionPtr& connection, std::int64_t session, std::int64_t last_zxid);
    void receive(const FakeConnectionPtr& connection, std::int64_t xid, const FakeRequest& request);
    void answer_in_order(const FakeConnectionPtr& connection);
    FakeFrame answer(FakeConnection& connection, std::int64_t xid, const FakeRequest& request);
    zk::Reply perform(FakeConnection& connection, const zk::Request& request);
    std::int64_t zxid() const { return tree_.zxid(); }

    VirtualLoop& loop_;
    Duration session_timeout_;
    FakeTree tree_;
    bool quorum_ = true;
    std::int64_t refused_ = 0;
    std::int64_t hushed_ = 0;
    std::map<std::int64_t, Time> sessions_; // and when the leader has heard of them last
    std::int64_t last_session_ = 0x100;
    std::vector<FakeConnectionPtr> connections_;
};

} // namespace docent::test
