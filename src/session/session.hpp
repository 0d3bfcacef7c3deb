// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/probe.hpp"
#include "session/server_list.hpp"
#include "session/session_machine.hpp"
#include "session/validity_bound.hpp"
#include "zk/handle.hpp"

#include <docent/heartbeats.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace docent::session {

struct SessionOptions {
    std::vector<HostPort> servers;
    std::chrono::milliseconds timeout{10'000};
    std::vector<AuthInfo> auth = {};
    std::shared_ptr<EnsembleProvider> provider = nullptr;
    std::shared_ptr<Lookups> lookups = Lookups::of_process();
    std::shared_ptr<zk::TlsContext> tls = nullptr; // null: without TLS
    Heartbeats heartbeats = Heartbeats::frequent;
    std::uint64_t random_seed = 0; // different for each client
};

class SessionListener {
public:
    virtual ~SessionListener() = default;
    virtual void on_session_event(const SessionEvent& event) = 0;
    /// A heartbeat has just been sent.
    virtual void on_heartbeat() = 0;
    /// Why the last attempt to connect failed, as a text for users; empty after a success.
    virtual void on_connect_error(const std::string& text) = 0;
};

/// The client's sessions, one after the other. Owns the handle of the C client, keeps the validity bound, and reports events to
/// its listener. All members are called on the loop's strand.
class Session : public zk::HandleObserver, public ServerListUser, public std::enable_shared_from_this<Session> {
public:
    Session(std::shared_ptr<zk::EventLoop> loop, SessionOptions options, SessionListener& listener,
            zk::CClient& c_client = zk::real_c_client());

    void start();

    /// Refuses new requests, waits for outstanding answers for a second at most, and closes the session. If a socket is closed
    /// with unread answers, the request that ends the session is lost with it. Blocks as zk::Handle::close does. Calls `done`
    /// at the end.
    void close(std::function<void()> done);

    /// Closes the session at once, without waiting for answers.
    void close_now();

    /// Sends a request once: see zk::Handle::submit.
    void submit(zk::Request request, zk::ReplyHandler handler);

    void forget_watch(const std::string& path, zk::WatchKind kind);

    /// Closes the session as if it had expired, and begins a new one.
    void renew();

    /// Uses these servers for the next connection. While no server answers, the session tries these servers and the configured
    /// servers by turns.
    void use_servers(std::vector<HostPort> servers) { servers_.use(std::move(servers)); }

    /// Sends heartbeats every T/16 instead of every T/6, while leases are held. Has no effect with Heartbeats::relaxed.
    void set_frequent_heartbeats(bool frequent);

    const SessionEvent& last_event() const { return machine_.last(); }
    const std::shared_ptr<ValidityClock>& clock() const { return clock_; }
    std::chrono::milliseconds timeout() const { return timeout_; }
    /// The number of watches that the server keeps.
    std::size_t watches() const { return handle_ ? handle_->watches() : 0; }

private:
    void on_handle_connected(const Connected& connected) override;
    void on_handle_disconnected() override;
    void on_handle_expired() override;
    void on_handle_auth_failed() override;
    void on_handle_answer(BootClock::time_point sent, bool by_leader) override;
    void on_handle_attempt_failed(const zk::FailedAttempt& attempt) override;
    void on_handle_fault(error_code ec) override;

    void on_servers() override;
    void on_name_fault() override { tell_error(); }
    void on_provider_fault(const std::string& fault) override { set_error("ensemble provider: " + fault); }
    bool needs_servers() const override { return !handle_ || !handle_->connected(); }

    void make_bound_alarm();
    void on_no_tls();
    void probe_if_refused();
    void on_probe(Probe::Finding finding);
    void end_probe();
    void finish_close();
    void apply_servers();
    void open_handle();
    std::uint64_t next_seed();
    void replace_handle(std::chrono::milliseconds pause);
    void emit(const SessionMachine::Events& events);
    void set_error(std::string text);
    void tell_error();
    void extend(BootClock::time_point until);
    void arm_bound();
    void check_bound();
    void schedule_heartbeat();
    void beat();
    std::chrono::milliseconds usual_silence() const;
    std::chrono::steady_clock::time_point silent_from() const;
    void leave_silent_server();
    void look_for_silence();
    std::chrono::milliseconds heartbeat_interval() const;
    void after(zk::EventLoop::Timer& timer, std::chrono::milliseconds delay, void (Session::*member)());

    std::shared_ptr<zk::EventLoop> loop_;
    zk::CClient* c_client_;
    SessionOptions options_;
    SessionListener* listener_;
    std::chrono::milliseconds timeout_;
    SessionMachine machine_;
    ValidityBound validity_bound_;
    std::shared_ptr<ValidityClock> clock_;
    std::shared_ptr<zk::Handle> handle_;
    std::uint64_t handles_ = 0;          // the number of handles so far, with handles of probes
    std::shared_ptr<Probe> probe_;       // while no server accepts the session
    BootClock::time_point next_probe_{}; // earliest time of the next probe
    std::size_t round_ = 0;              // the number of attempts that reach each server once
    std::size_t beside_probe_ = 0;       // attempts that have failed while a server served the probe
    bool refused_beside_probe_ = false;  // one of these attempts was refused
    ServerList servers_;
    std::unique_ptr<zk::EventLoop::Alarm> bound_alarm_; // null while no descriptor is left for it
    bool bound_armed_ = false;
    std::unique_ptr<zk::EventLoop::Timer> bound_timer_; // tries again to make bound_alarm_
    std::unique_ptr<zk::EventLoop::Timer> heartbeat_timer_;
    std::unique_ptr<zk::EventLoop::Timer> silence_timer_; // of a relaxed client, between two heartbeats
    std::unique_ptr<zk::EventLoop::Timer> replace_timer_;
    std::unique_ptr<zk::EventLoop::Timer> drain_timer_;
    std::string applied_list_; // the server list of the handle
    FailedServers failed_;     // since the last connection
    std::string error_;        // why there is no connection
    std::string last_error_;   // the same and the fault of the names, as last reported to the listener
    bool frequent_ = false;
    bool closed_ = false;        // close() was called
    bool handle_closed_ = false; // close() has finished
    std::vector<std::function<void()>> when_closed_;
    std::chrono::steady_clock::time_point last_beat_{};
    std::chrono::steady_clock::time_point last_answer_{};
    std::chrono::steady_clock::time_point unanswered_since_{};
    int beats_ = 0; // since the last connect
    int unanswered_beats_ = 0;
    int left_in_a_row_ = 0; // silent connections that were left since a heartbeat was answered in time; counts to 2
};

} // namespace docent::session
