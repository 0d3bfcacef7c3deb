// SPDX-License-Identifier: Apache-2.0
#pragma once

// A ZooKeeper ensemble in memory: one leader, who decides in what order everything happens, and servers who learn of it later.
// No client talks to the leader itself: it hears of sessions when it pings the servers, and by nothing that they pass on.

#include "fake_server/fake_rules.hpp"
#include "fake_server/fake_tree.hpp"
#include "session/session_clock.hpp"
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
    /// Between two pings of the leader: half of the longest tick that there can be.
    static constexpr std::chrono::milliseconds ping_gap = session_timeout / 4;

    // ---- who wants to know; called while a server learns of a change
    std::function<void(std::size_t server, const FakeChange&)> on_change = [](std::size_t, const FakeChange&) {};
    std::function<void(std::size_t server, std::int64_t session)> on_session_end = [](std::size_t, std::int64_t) {};
    std::function<void()> on_commit = [] {};

    /// By the version of the servers.
    ExistsNeeds exists_needs = ExistsNeeds::read;

    // ---- sessions: expire no earlier than the timeout after the leader last heard of them
    std::int64_t open_session(Time now);
    bool alive(std::int64_t session) const { return sessions_.contains(session); }
    /// A server asks the leader for a session that has come to it.
    bool touch(std::int64_t session, Time now);
    /// The leader's pings until now, each when it is due: the servers answer whom they have heard of since the last one.
    void ping_until(Time now);
    void end_session(std::int64_t session);
    Time expiry(std::int64_t session) const { return sessions_.at(session) + session_timeout; }
    const std::map<std::int64_t, Time>& sessions() const { return sessions_; }

    // ---- requests
    /// As `server` answers `session`, which it is connected to.
    zk::Reply answer(std::size_t server, std::int64_t session, const zk::Request& request, Time now);
    /// A write that has reached the leader, though its answer will reach nobody.
    void apply(std::int64_t session, const zk::Request& request) { write(session, request); }

    // ---- the quorum: without one, servers hang up on everybody and take nobody, and no session ends
    bool quorum(Time now) const { return now >= quorum_from_; }
    /// A leader that is elected then lets all sessions live.
    void lose_quorum_until(Time time);
    Time quorum_from() const { return quorum_from_; }

    // ---- going back in time
    struct Past {
        FakeTree tree;
        std::map<std::int64_t, Time> sessions;
    };
    Past past() const { return {truth_, sessions_}; }
    /// An election brings back an older state, by a newer epoch. All servers have it, and have lost their clients.
    void go_back_to(const Past& past, Time now);

    // ---- servers
    bool lags(std::size_t server) const { return applied_[server] < log_.size(); }
    void learn_one(std::size_t server);
    /// What it has still to learn, and by which zxid.
    std::vector<std::pair<std::int64_t, FakeTxn>> unseen_by(std::size_t server) const;
    void for_each_unseen_by(std::size_t server, const auto& function) const {
        std::int64_t zxid = trees_[server].zxid();
        for (std::size_t next = applied_[server]; next < log_.size(); ++next) {
            if (!joined_[next]) ++zxid;
            function(zxid, log_[next]);
        }
    }
    void learn_all(std::size_t server);
    const FakeTree& seen_by(std::size_t server) const { return trees_[server]; }
    const FakeTree& truth() const { return truth_; }

    // ---- an administrator, and the leader's own housekeeping
    void delete_node(const std::string& path) { commit(FakeRemove{path}); }
    void change_node(const std::string& path, const std::string& data = "changed") { commit(FakeSet{path, data}); }
    void set_acl(const std::string& path, const Acl& acl) {
        commit(FakeSetAcl{path, acl == open_acl() ? nullptr : std::make_shared<const Acl>(acl)});
    }
    /// Takes READ from everybody.
    void hide_node(const std::string& path) {
        set_acl(path, {{Permission::write | Permission::create | Permission::delete_, "world", "anyone"}});
    }
    void reap_empty_containers();
    /// The next child gets this number. Makes the node, and those above it, if they are not there.
    void number_next_child(const std::string& path, std::int32_t number);

private:
    zk::Reply write(std::int64_t session, const zk::Request& request);
    std::int32_t next_number(const FakeNode& parent);
    void log(FakeTxn txn, bool joined = false) {
        log_.push_back(std::move(txn));
        joined_.push_back(joined);
    }
    void commit(FakeTxn txn);

    FakeTree truth_;
    std::vector<FakeTxn> log_;
    std::vector<bool> joined_; // a part of the same transaction as the one before
    std::vector<FakeTree> trees_{server_count};
    std::vector<std::size_t> applied_ = std::vector<std::size_t>(server_count, 0);
    std::map<std::int64_t, Time> sessions_;                   // and when the leader last heard of them
    std::vector<std::set<std::int64_t>> noted_{server_count}; // by the servers, since the leader's last ping
    std::optional<Time> next_ping_;                           // none before there are sessions
    Time quorum_from_{};
    std::int64_t last_session_ = 0x100;
    std::int64_t epoch_ = 0;
    std::int32_t made_beyond_last_ = 0;
};

} // namespace docent::detail
