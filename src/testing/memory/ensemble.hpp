// SPDX-License-Identifier: Apache-2.0
#pragma once

// ZooKeeper servers in memory: their tree, their sessions, their leader and followers that lag. No I/O and no clock: the time
// comes in with each call, in milliseconds since the start.

#include "testing/memory/rules.hpp"
#include "testing/memory/tree.hpp"
#include "zk/request.hpp"

#include <docent/testing/memory_server.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace docent::testing {

struct MemorySession {
    std::int64_t id = 0;
    std::string password; // 16 random bytes
    std::chrono::milliseconds timeout{0};
    std::chrono::milliseconds expires{0};
};

class MemoryEnsemble {
public:
    using Time = std::chrono::milliseconds;

    /// `start_time`: since the epoch, in milliseconds. `config`: the data of `/zookeeper/config`.
    explicit MemoryEnsemble(const MemoryOptions& options, std::int64_t start_time = 0, const std::string& config = {});

    // ---- observers
    /// A server has learned a change. Called for each server, in the order of the changes.
    std::function<void(std::size_t server, const detail::TreeChange&)> on_change = [](std::size_t, const detail::TreeChange&) {
    };
    std::function<void(std::int64_t session)> on_session_end = [](std::int64_t) {};
    /// Called before the servers learn anything of the next leader.
    std::function<void()> on_leader_lost = [] {};

    // ---- servers
    std::size_t size() const { return servers_.size(); }
    bool is_running(std::size_t server) const { return servers_.at(server).running; }
    bool is_paused(std::size_t server) const { return servers_.at(server).paused; }
    /// Changes whether a server runs, or is paused. May change the leader, and lose or restore the quorum.
    void set_running(std::size_t server, bool running, Time now);
    void set_paused(std::size_t server, bool paused, Time now);
    /// Without a quorum, the servers serve no client, and no session expires. A new leader extends all sessions.
    void set_quorum_lost(bool lost, Time now);
    bool has_quorum() const { return leader_.has_value(); }
    std::optional<std::size_t> leader() const { return leader_; }
    /// Grows with each election, if there are several servers.
    std::int64_t epoch() const { return epoch_; }
    bool serves(std::size_t server) const { return has_quorum() && is_running(server) && !is_paused(server); }
    /// While a server lags, it learns changes only before it answers a write, a `sync`, a new session or the end of a session.
    void set_lagging(std::size_t server, bool lagging);
    /// The server learns all changes, as it does before it answers a write.
    void catch_up(std::size_t server);
    /// The tree as this server knows it.
    const detail::NodeTree& seen_by(std::size_t server) const;
    /// The tree with all committed changes.
    const detail::NodeTree& truth() const { return truth_; }

    // ---- sessions
    const MemorySession& open_session(std::size_t server, Time wanted, Time now);
    /// Continues a session on another connection. Returns null, and changes nothing, if there is no such session or the
    /// password is wrong.
    const MemorySession* renew_session(std::int64_t id, const std::string& password, Time wanted, Time now);
    /// A server has heard of the session.
    void touch(std::int64_t id, Time now);
    /// Lets all sessions live longer.
    void extend_sessions(Time by);
    bool is_alive(std::int64_t id) const { return sessions_.contains(id); }
    std::size_t session_count() const { return sessions_.size(); }
    const std::map<std::int64_t, MemorySession>& sessions() const { return sessions_; }
    /// Returns false if there is no such session.
    bool end_session(std::int64_t id);

    // ---- requests
    zk::Reply read(std::size_t server, const zk::Request& request, const std::vector<detail::Identity>& identities) const;
    /// Applies a write of this session, or waits for the leader in a `sync`. The server has learned everything afterwards.
    zk::Reply write(std::size_t server, std::int64_t session, const std::vector<detail::Identity>& identities,
                    const zk::Request& request, Time now);

    // ---- time
    /// Ends the sessions that have expired, and cleans up when that is due.
    void tick(Time now);
    /// Returns the time of the next call of tick() that has an effect.
    Time next_due() const;
    /// Removes empty containers, and nodes that have outlived their TTL.
    void clean_up(Time now);

private:
    struct Server {
        bool running = true;
        bool paused = false;
        std::optional<detail::NodeTree> behind = {};             // what a lagging server knows
        std::deque<std::vector<detail::TreeTxn>> unlearned = {}; // committed transactions that it has not applied
    };

    void publish(const std::vector<detail::TreeTxn>& txns, const std::vector<detail::TreeChange>& changes);
    void commit(const detail::TreeTxn& txn);
    void elect(Time now);
    Time limited(Time wanted) const;
    Time expiry(Time timeout, Time now) const;

    const MemoryOptions options_;
    const std::int64_t start_time_;
    detail::NodeTree truth_;
    std::vector<Server> servers_;
    std::map<std::int64_t, MemorySession> sessions_;
    std::optional<std::size_t> leader_;
    bool quorum_lost_ = false;
    std::int64_t epoch_ = 0;
    std::int64_t next_session_;
    Time next_cleanup_;
};

} // namespace docent::testing
