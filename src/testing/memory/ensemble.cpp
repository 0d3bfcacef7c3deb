// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/ensemble.hpp"

#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace docent::testing {
namespace {

constexpr std::size_t password_size = 16;

/// From the kernel: OpenSSL prepares its generator first, which takes longer than all else before a test's first lock.
std::string random_password() {
    std::string password(password_size, '\0');
    if (getentropy(password.data(), password.size()) != 0)
        throw std::runtime_error("MemoryServer: no random numbers for a session's password");
    return password;
}

} // namespace

MemoryEnsemble::MemoryEnsemble(const MemoryOptions& options, std::int64_t start_time, const std::string& config)
    : options_(options), start_time_(start_time), servers_(options.servers),
      next_session_((start_time & 0xff'ffff'ffff) << 16U), next_cleanup_(options.cleanup_interval) {
    truth_.add_system_nodes(config);
    elect(Time{0});
}

// ---- servers

void MemoryEnsemble::set_running(std::size_t server, bool running, Time now) {
    servers_.at(server).running = running;
    servers_.at(server).paused = false;
    if (!running) set_lagging(server, false);
    elect(now);
}

void MemoryEnsemble::set_paused(std::size_t server, bool paused, Time now) {
    servers_.at(server).paused = paused;
    elect(now);
}

void MemoryEnsemble::set_quorum_lost(bool lost, Time now) {
    quorum_lost_ = lost;
    elect(now);
}

/// The leader stays as long as it can lead. As in ZooKeeper, the server with the largest number leads next.
void MemoryEnsemble::elect(Time now) {
    const auto is_up = [](const Server& server) { return server.running && !server.paused; };
    const auto up = static_cast<std::size_t>(std::count_if(servers_.begin(), servers_.end(), is_up));
    const bool can_lead = !quorum_lost_ && up * 2 > servers_.size();
    if (can_lead && leader_ && is_up(servers_[*leader_])) return;
    if (std::exchange(leader_, std::nullopt)) on_leader_lost();
    if (!can_lead) return;
    for (std::size_t server = 0; server < servers_.size(); ++server) {
        if (is_up(servers_[server])) leader_ = server;
    }
    if (servers_.size() > 1) { // all servers learn everything before the next epoch
        for (std::size_t server = 0; server < servers_.size(); ++server) set_lagging(server, false);
        truth_.begin_epoch(++epoch_);
    }
    for (auto& [id, session] : sessions_) session.expires = std::max(session.expires, expiry(session.timeout, now));
}

void MemoryEnsemble::set_lagging(std::size_t server, bool lagging) {
    Server& changed = servers_.at(server);
    if (changed.behind.has_value() == lagging) return;
    if (lagging) {
        changed.behind = truth_;
    } else {
        catch_up(server);
        changed.behind.reset();
    }
}

const detail::NodeTree& MemoryEnsemble::seen_by(std::size_t server) const {
    const Server& asked = servers_.at(server);
    return asked.behind ? *asked.behind : truth_;
}

void MemoryEnsemble::publish(const std::vector<detail::TreeTxn>& txns, const std::vector<detail::TreeChange>& changes) {
    for (std::size_t server = 0; server < servers_.size(); ++server) {
        if (servers_[server].behind) {
            servers_[server].unlearned.push_back(txns);
        } else {
            for (const auto& change : changes) on_change(server, change);
        }
    }
}

void MemoryEnsemble::commit(const detail::TreeTxn& txn) {
    const auto changes = truth_.apply(txn);
    publish({txn}, changes);
}

void MemoryEnsemble::catch_up(std::size_t server) {
    Server& learner = servers_.at(server);
    while (!learner.unlearned.empty()) {
        const auto txns = std::move(learner.unlearned.front());
        learner.unlearned.pop_front();
        for (std::size_t i = 0; i < txns.size(); ++i) {
            for (const auto& change : learner.behind->apply(txns[i], i > 0)) on_change(server, change);
        }
    }
}

// ---- sessions

MemoryEnsemble::Time MemoryEnsemble::limited(Time wanted) const {
    const Time longest = options_.max_session_timeout > Time{0} ? options_.max_session_timeout : 20 * options_.tick_time;
    return std::min(std::max(wanted, 2 * options_.tick_time), longest);
}

/// As in ZooKeeper: at the end of a tick.
MemoryEnsemble::Time MemoryEnsemble::expiry(Time timeout, Time now) const {
    return ((now + timeout) / options_.tick_time + 1) * options_.tick_time;
}

/// The server answers after it has committed the new session. So it has learned all earlier commits.
const MemorySession& MemoryEnsemble::open_session(std::size_t server, Time wanted, Time now) {
    catch_up(server);
    const std::int64_t id = static_cast<std::int64_t>(server + 1) << 56U | next_session_++;
    const Time timeout = limited(wanted);
    return sessions_[id] = {id, random_password(), timeout, expiry(timeout, now)};
}

const MemorySession* MemoryEnsemble::renew_session(std::int64_t id, const std::string& password, Time wanted, Time now) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end() || found->second.password != password) return nullptr;
    found->second.timeout = limited(wanted);
    touch(id, now);
    return &found->second;
}

void MemoryEnsemble::touch(std::int64_t id, Time now) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return;
    found->second.expires = std::max(found->second.expires, expiry(found->second.timeout, now));
}

void MemoryEnsemble::extend_sessions(Time by) {
    for (auto& [id, session] : sessions_) session.expires += by;
}

bool MemoryEnsemble::end_session(std::int64_t id) {
    if (sessions_.erase(id) == 0) return false;
    commit(detail::TreeEndSession{id});
    on_session_end(id);
    return true;
}

// ---- requests

zk::Reply MemoryEnsemble::read(std::size_t server, const zk::Request& request,
                               const std::vector<detail::Identity>& identities) const {
    const auto exists_needs = options_.exists_needs_read ? detail::ExistsNeeds::read : detail::ExistsNeeds::nothing;
    return detail::read(seen_by(server), request, exists_needs, identities);
}

zk::Reply MemoryEnsemble::write(std::size_t server, std::int64_t session, const std::vector<detail::Identity>& identities,
                                const zk::Request& request, Time now) {
    if (!is_alive(session)) return {.ec = server_error::session_expired};
    const detail::Caller caller{.session = session,
                                .identities = identities,
                                .time = start_time_ + now.count(),
                                .checked = true,
                                .extended_types = options_.extended_types};
    auto written = detail::write(truth_, caller, request);
    if (!written.txns.empty()) publish(written.txns, written.changes);
    catch_up(server); // a server learns all earlier commits before it replies
    return std::move(written.reply);
}

// ---- time

void MemoryEnsemble::tick(Time now) {
    if (!has_quorum()) return;
    std::vector<std::int64_t> expired;
    for (const auto& [id, session] : sessions_) {
        if (session.expires <= now) expired.push_back(id);
    }
    for (const std::int64_t id : expired) end_session(id);
    if (now < next_cleanup_) return;
    next_cleanup_ = now + options_.cleanup_interval;
    clean_up(now);
}

MemoryEnsemble::Time MemoryEnsemble::next_due() const {
    if (!has_quorum()) return Time::max();
    Time due = next_cleanup_;
    for (const auto& [id, session] : sessions_) due = std::min(due, session.expires);
    return due;
}

void MemoryEnsemble::clean_up(Time now) {
    const std::int64_t time = start_time_ + now.count();
    for (const auto& path : truth_.empty_containers()) commit(detail::TreeRemove{path});
    for (const auto& path : truth_.outlived_nodes(time)) commit(detail::TreeRemove{path});
}

} // namespace docent::testing
