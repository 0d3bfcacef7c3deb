// SPDX-License-Identifier: Apache-2.0
#pragma once

// A ZooKeeper ensemble in memory: one leader, who decides in what order everything happens, and servers who learn of it later.
// No client talks to the leader itself.

#include "fake_tree.hpp"
#include "session/session_clock.hpp"
#include "zk/request.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace docent::detail {

class FakeEnsemble {
public:
    using Time = session::BootClock::time_point;

    static constexpr std::chrono::milliseconds session_timeout{4000};
    static constexpr std::size_t server_count = 3;

    // ---- who wants to know; called while a server learns of a change
    std::function<void(std::size_t server, const FakeChange&)> on_change = [](std::size_t, const FakeChange&) {};
    std::function<void(std::size_t server, std::int64_t session)> on_session_end = [](std::size_t, std::int64_t) {};
    std::function<void()> on_commit = [] {};

    // ---- sessions: expire no earlier than the timeout after the leader last heard of them
    std::int64_t open_session(Time now);
    bool alive(std::int64_t session) const { return sessions_.contains(session); }
    bool touch(std::int64_t session, Time now);
    void end_session(std::int64_t session);
    Time expiry(std::int64_t session) const { return sessions_.at(session) + session_timeout; }
    const std::map<std::int64_t, Time>& sessions() const { return sessions_; }

    // ---- requests
    /// As `server` answers `session`, which it is connected to.
    zk::Reply answer(std::size_t server, std::int64_t session, const zk::Request& request, Time now);
    /// A write that has reached the leader, though its answer will reach nobody.
    void apply(std::int64_t session, const zk::Request& request) { write(session, request); }

    // ---- servers
    bool lags(std::size_t server) const { return applied_[server] < log_.size(); }
    void learn_one(std::size_t server);
    std::vector<FakeTxn> unseen_by(std::size_t server) const {
        return {log_.begin() + static_cast<std::ptrdiff_t>(applied_[server]), log_.end()};
    }
    void learn_all(std::size_t server);
    const FakeTree& seen_by(std::size_t server) const { return trees_[server]; }
    const FakeTree& truth() const { return truth_; }

    // ---- an administrator, and the leader's own housekeeping
    void delete_node(const std::string& path) { commit(FakeRemove{path}); }
    void change_node(const std::string& path, const std::string& data = "changed") { commit(FakeSet{path, data}); }
    void reap_empty_containers();
    /// The next child gets this number. Makes the node, and those above it, if they are not there.
    void number_next_child(const std::string& path, std::int32_t number);

private:
    zk::Reply write(std::int64_t session, const zk::Request& request);
    zk::Reply create(std::int64_t session, const zk::CreateRequest& request);
    std::int32_t next_number(const FakeNode& parent);
    zk::Reply write_all(std::int64_t session, const zk::MultiRequest& multi);
    void commit(FakeTxn txn);

    FakeTree truth_;
    std::vector<FakeTxn> log_;
    std::vector<FakeTree> trees_{server_count};
    std::vector<std::size_t> applied_ = std::vector<std::size_t>(server_count, 0);
    std::map<std::int64_t, Time> sessions_; // and when the leader last heard of them
    std::int64_t last_session_ = 0x100;
    std::int32_t made_beyond_last_ = 0;
};

} // namespace docent::detail
