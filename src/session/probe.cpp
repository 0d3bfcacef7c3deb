// SPDX-License-Identifier: Apache-2.0

#include "session/probe.hpp"

#include "base/while_alive.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::session {
namespace {

std::string_view reason(const zk::FailedAttempt& attempt, bool with_tls) {
    switch (attempt.end) {
    case zk::AttemptEnd::no_listener: return "connection refused";
    case zk::AttemptEnd::unreachable: return "no connection";
    case zk::AttemptEnd::silent: return "connected, but silent";
    case zk::AttemptEnd::refused:
        return with_tls ? "hung up: no quorum, or too many connections"
                        : "hung up: no quorum, too many connections, or a port for TLS";
    case zk::AttemptEnd::not_zookeeper: return "not ZooKeeper";
    case zk::AttemptEnd::no_tls: return attempt.tls_fault.text;
    }
    return "";
}

/// The servers of the list, each once: a list may have a server twice.
std::vector<std::string_view> servers_in(std::string_view server_list) {
    std::vector<std::string_view> servers;
    while (!server_list.empty()) {
        const auto end = std::min(server_list.find(','), server_list.size());
        const std::string_view server = server_list.substr(0, end);
        server_list.remove_prefix(std::min(end + 1, server_list.size()));
        if (std::find(servers.begin(), servers.end(), server) == servers.end()) servers.push_back(server);
    }
    return servers;
}

/// The server as the C client reports it: without the zone in `fe80::1%eth0:2181`.
std::string as_told(std::string_view server) {
    const auto port = std::min(server.rfind(':'), server.size());
    return std::string(server.substr(0, std::min(server.find('%'), port))) + std::string(server.substr(port));
}

} // namespace

void FailedServers::add(const zk::FailedAttempt& attempt) {
    attempts_[attempt.server] = attempt;
    of_round_.insert(attempt.server);
}

std::string FailedServers::text(std::string_view server_list, bool with_tls) const {
    std::string text;
    for (const std::string_view server : servers_in(server_list)) {
        auto found = attempts_.find(as_told(server));
        if (found == attempts_.end()) found = attempts_.find(""); // the C client did not name the server
        text += (text.empty() ? "no answer from " : ", ") + std::string(server) + " (" +
                std::string(found == attempts_.end() ? "not tried yet" : reason(found->second, with_tls)) + ")";
    }
    return text;
}

bool FailedServers::tls_fails_with_all(std::string_view server_list) const {
    const auto servers = servers_in(server_list);
    return !servers.empty() && std::all_of(servers.begin(), servers.end(), [this](std::string_view server) {
        const auto found = attempts_.find(as_told(server));
        return found != attempts_.end() && found->second.tls_fault.lasting && of_round_.contains(found->first);
    });
}

Probe::Probe(std::shared_ptr<zk::EventLoop> loop, zk::CClient& c_client, zk::HandleOptions options, std::size_t round,
             std::function<void(Finding)> done)
    : loop_(std::move(loop)), c_client_(&c_client), options_(std::move(options)), attempts_left_(round), done_(std::move(done)),
      timer_(loop_->make_timer()) {}

void Probe::start() {
    handle_ = std::make_shared<zk::Handle>(loop_, options_, static_cast<zk::HandleObserver&>(*this), *c_client_);
    if (handle_->open()) finish(Finding::no_quorum);
}

void Probe::on_handle_connected(const Connected& connected) {
    timeout_ = connected.timeout;
    // A silent session ends after its timeout, rounded up to a tick. A timeout has at least two ticks.
    look_after(timeout_ * 3 / 2);
}

void Probe::look_again() {
    finished_ = false;
    look_after(timeout_ / 4);
}

void Probe::look_after(std::chrono::milliseconds delay) {
    timer_->start(delay, [this] { ask(); });
}

/// Asks the leader. A follower that is cut off from its leader would still keep this connection.
void Probe::ask() {
    const auto on_reply = [this](const zk::Reply& reply) { finish(reply.ec ? Finding::no_quorum : Finding::quorum); };
    handle_->submit(zk::SyncRequest{"/"}, detail::while_alive(weak_from_this(), on_reply));
    timer_->start(timeout_ / 3, [this] { finish(Finding::no_quorum); });
}

void Probe::on_handle_attempt_failed(const zk::FailedAttempt&) {
    if (attempts_left_-- <= 1) finish(Finding::no_quorum);
}

void Probe::finish(Finding finding) {
    if (std::exchange(finished_, true) || ended_) return;
    timer_->cancel();
    loop_->post([self = shared_from_this(), finding] {
        if (!self->ended_) self->done_(finding);
    });
}

void Probe::end() {
    ended_ = true;
    if (!served()) return close();
    handle_->submit(zk::SyncRequest{"/"},
                    [self = shared_from_this()](const zk::Reply&) { self->loop_->post([self] { self->close(); }); });
    timer_->start(timeout_ / 3, detail::while_alive(weak_from_this(), [this] {
                      if (handle_) handle_->drop_connection(); // its session ends by itself
                      close();
                  }));
}

void Probe::close() {
    ended_ = true;
    timer_->cancel();
    if (handle_) std::exchange(handle_, nullptr)->close(error::closed);
}

} // namespace docent::session
