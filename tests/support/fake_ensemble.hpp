// SPDX-License-Identifier: Apache-2.0
#pragma once

// A ZooKeeper ensemble in memory: a leader that decides the order of all changes, and servers that learn them later. No client
// is connected to the leader. The leader hears of sessions when it pings the servers, and not by requests that they pass on.

#include "session/validity_bound.hpp"
#include "testing/memory/rules.hpp"
#include "testing/memory/tree.hpp"
#include "zk/request.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

class FakeEnsemble {
public:
    using Time = session::BootClock::time_point;

    static constexpr std::chrono::milliseconds session_timeout{4000};
    static constexpr std::size_t server_count = 3;
    /// The time between two pings of the leader: half of the longest possible tick.
    static constexpr std::chrono::milliseconds ping_gap = session_timeout / 4;

    // ---- observers; called while a server learns a change
    std::function<void(std::size_t server, const TreeChange&)> on_change = [](std::size_t, const TreeChange&) {};
    std::function<void(std::size_t server, std::int64_t session)> on_session_end = [](std::size_t, std::int64_t) {};
    std::function<void()> on_commit = [] {};

    /// Whether `exists` needs READ. This depends on the version of the servers: see ExistsNeeds.
    ExistsNeeds exists_needs = ExistsNeeds::read;

    // ---- sessions: expire no earlier than the timeout after the leader last heard of them
    std::int64_t open_session(Time now);
    bool alive(std::int64_t session) const { return sessions_.contains(session); }
    /// A server asks the leader about a session that has connected to it.
    bool touch(std::int64_t session, Time now);
    /// Does the leader's pings until now, each at its time. The servers answer with the sessions that they have heard of since
    /// the last ping.
    void ping_until(Time now);
    void end_session(std::int64_t session);
    Time expiry(std::int64_t session) const { return sessions_.at(session) + session_timeout; }
    const std::map<std::int64_t, Time>& sessions() const { return sessions_; }

    // ---- requests
    /// Answers as `server`, to which `session` is connected.
    zk::Reply answer(std::size_t server, std::int64_t session, const zk::Request& request, Time now);
    /// Applies a write that has reached the leader. Its reply reaches no client.
    void apply(std::int64_t session, const zk::Request& request) { write(session, request); }

    // ---- the quorum: without it, servers close all connections and accept no client, and no session expires
    bool quorum(Time now) const { return now >= quorum_from_; }
    /// The leader that is elected at that time extends all sessions.
    void lose_quorum_until(Time time);
    Time quorum_from() const { return quorum_from_; }

    // ---- going back to an older state
    struct Past {
        NodeTree tree;
        std::map<std::int64_t, Time> sessions;
    };
    Past past() const { return {truth_, sessions_}; }
    /// An election brings back an older state, in a newer epoch. All servers have it, and have lost their clients.
    void go_back_to(const Past& past, Time now);

    // ---- servers
    bool lags(std::size_t server) const { return applied_[server] < log_.size(); }
    void learn_one(std::size_t server);
    /// Calls the function for each change that the server still lacks, with its zxid.
    void for_each_unseen_by(std::size_t server, const auto& function) const {
        std::int64_t zxid = trees_[server].zxid();
        for (std::size_t next = applied_[server]; next < log_.size(); ++next) {
            if (!joined_[next]) ++zxid;
            function(zxid, log_[next]);
        }
    }
    /// Calls the function for each of these changes that creates a node.
    void for_each_unseen_create_by(std::size_t server, const auto& function) const {
        for_each_unseen_by(server, [&](std::int64_t zxid, const TreeTxn& txn) {
            if (const auto* const create = std::get_if<TreeCreate>(&txn)) function(zxid, *create);
        });
    }
    void learn_all(std::size_t server);
    const NodeTree& seen_by(std::size_t server) const { return trees_[server]; }
    const NodeTree& truth() const { return truth_; }

    // ---- an administrator, and the leader's housekeeping
    void delete_node(const std::string& path) { commit(TreeRemove{path}); }
    void change_node(const std::string& path, const std::string& data = "changed") { commit(TreeSet{path, data}); }
    void set_acl(const std::string& path, const Acl& acl) {
        commit(TreeSetAcl{path, acl == open_acl() ? nullptr : std::make_shared<const Acl>(acl)});
    }
    /// Denies READ to every client.
    void hide_node(const std::string& path) {
        set_acl(path, {{Permission::write | Permission::create | Permission::delete_, "world", "anyone"}});
    }
    void reap_empty_containers();
    /// Sets the number of the next child. Creates the node and its parents if they do not exist.
    void number_next_child(const std::string& path, std::int32_t number);

private:
    zk::Reply write(std::int64_t session, const zk::Request& request);
    std::int32_t next_number(const TreeNode& parent);
    void log(TreeTxn txn, bool joined = false) {
        log_.push_back(std::move(txn));
        joined_.push_back(joined);
    }
    void commit(TreeTxn txn);

    NodeTree truth_;
    std::vector<TreeTxn> log_;
    std::vector<bool> joined_; // part of the same transaction as the entry before
    std::vector<NodeTree> trees_{server_count};
    std::vector<std::size_t> applied_ = std::vector<std::size_t>(server_count, 0);
    std::map<std::int64_t, Time> sessions_;                   // the time when the leader last heard of each
    std::vector<std::set<std::int64_t>> noted_{server_count}; // by server, since the leader's last ping
    std::optional<Time> next_ping_;                           // none: there are no sessions yet
    Time quorum_from_{};
    std::int64_t last_session_ = 0x100;
    std::int64_t epoch_ = 0;
    std::int32_t made_beyond_last_ = 0;
};

} // namespace docent::detail
