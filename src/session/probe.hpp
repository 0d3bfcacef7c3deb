// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/handle.hpp"
#include "zk/reactor.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace docent::session {

/// Remembers how the last attempt at each server failed, for a message. Pure.
class FailedServers {
public:
    void add(const zk::FailedAttempt& attempt);

    /// `no answer from 1.2.3.4:2181 (connection refused), 1.2.3.5:2181 (not tried yet)`, for a server list of the C client.
    /// `with_tls`: the client speaks TLS.
    std::string text(std::string_view server_list, bool with_tls) const;

    /// Whether TLS has failed with each server of the list in this round of attempts, and waiting does not help.
    bool tls_fails_with_all(std::string_view server_list) const;
    void begin_round() { of_round_.clear(); }

private:
    std::map<std::string, zk::FailedAttempt, std::less<>> attempts_;
    std::set<std::string, std::less<>> of_round_; // the servers that were tried since begin_round()
};

/// Finds out whether servers that refuse the client's session accept a new session. Servers without a quorum refuse every
/// session, and the client's session lives on in them. Servers that were restored from older data refuse the client's session
/// only.
///
/// If a quorum serves the probe for longer than a session lives without a connection, the client's session is over. The probe
/// has one session at a time, and closes it.
class Probe : private zk::HandleObserver, public std::enable_shared_from_this<Probe> {
public:
    enum class Finding {
        no_quorum, // no server accepted the probe, or its connection broke: nothing is proved
        quorum     // a connection to a quorum has lasted for longer than a session lives without a connection
    };

    /// `round`: the number of attempts that reach each server once.
    Probe(std::shared_ptr<zk::EventLoop> loop, zk::CClient& c_client, zk::HandleOptions options, std::size_t round,
          std::function<void(Finding)> done);
    ~Probe() override { close(); }
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;

    /// Calls `done` once, later, unless end() or close() comes first.
    void start();
    /// Call it after Finding::quorum. Asks the leader again after a quarter of the session timeout, and calls `done` again.
    void look_again();

    /// Ends the probe and closes its session. Blocks for one round trip to a server that has just answered, at most.
    void end();

    /// Ends the probe at once. Blocks as zk::Handle::close does.
    void close();

    /// Whether a server serves the probe now.
    bool served() const { return handle_ && handle_->connected(); }

private:
    void on_handle_connected(const Connected& connected) override;
    void on_handle_disconnected() override { finish(Finding::no_quorum); }
    void on_handle_expired() override { finish(Finding::no_quorum); }
    void on_handle_auth_failed() override { finish(Finding::no_quorum); }
    void on_handle_answer(zk::BootClock::time_point, bool) override {}
    void on_handle_attempt_failed(const zk::FailedAttempt& attempt) override;
    void on_handle_fault(error_code) override { finish(Finding::no_quorum); }

    void look_after(std::chrono::milliseconds delay);
    void ask();
    void finish(Finding finding);

    std::shared_ptr<zk::EventLoop> loop_;
    zk::CClient* c_client_;
    zk::HandleOptions options_;
    std::size_t attempts_left_;
    std::function<void(Finding)> done_;
    std::shared_ptr<zk::Handle> handle_;
    std::unique_ptr<zk::EventLoop::Timer> timer_;
    std::chrono::milliseconds timeout_{};
    bool finished_ = false;
    bool ended_ = false;
};

} // namespace docent::session
