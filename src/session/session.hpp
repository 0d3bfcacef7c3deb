// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/certainty.hpp"
#include "session/connect_string.hpp"
#include "session/failed_servers.hpp"
#include "session/probe.hpp"
#include "session/resolver.hpp"
#include "session/session_clock.hpp"
#include "session/session_machine.hpp"
#include "zk/handle.hpp"

#include <docent/ensemble_provider.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent::session {

struct SessionOptions {
    std::vector<HostPort> servers;
    std::chrono::milliseconds timeout{10'000};
    std::vector<AuthInfo> auth = {};
    std::shared_ptr<EnsembleProvider> provider = nullptr;
    std::shared_ptr<Lookups> lookups = Lookups::of_process();
};

class SessionListener {
public:
    virtual ~SessionListener() = default;
    virtual void on_session_event(const SessionEvent& event) = 0;
    /// A heartbeat has just been sent.
    virtual void on_heartbeat() = 0;
    /// Why no server could be reached last time, in words; empty after a success.
    virtual void on_connect_error(const std::string& text) = 0;
};

/// A session that is renewed for ever: owns one C client handle after the other, keeps the validity bound, and tells its
/// listener what happens. All members are called on the loop's strand.
class Session : public zk::HandleObserver, public std::enable_shared_from_this<Session> {
public:
    Session(std::shared_ptr<zk::EventLoop> loop, SessionOptions options, SessionListener& listener,
            zk::CClient& c_client = zk::real_c_client());

    void start();

    /// Refuses what is new, waits for the answers that are due (a second at most: a connection that is closed over unread
    /// answers takes the end of the session with it), then ends everything; that blocks as zk::Handle::close does. `done` is
    /// called at the end.
    void close(std::function<void()> done);

    /// Ends everything at once, without waiting for answers.
    void close_now();

    /// Sends a request once: see zk::Handle::submit.
    void submit(zk::Request request, zk::ReplyHandler handler);

    void forget_watch(const std::string& path, zk::WatchKind kind);

    /// Closes the session as if it had expired, and begins another.
    void renew();

    /// Uses these servers when the next connection is made. If none of them answers, it goes back to the configured ones.
    void use_servers(std::vector<HostPort> servers);

    /// Heartbeats every T/16 instead of every T/6: for as long as leases are held.
    void set_frequent_heartbeats(bool frequent);

    const SessionEvent& last_event() const { return machine_.last(); }
    const std::shared_ptr<SessionClock>& clock() const { return clock_; }
    std::chrono::milliseconds timeout() const { return timeout_; }
    /// That the server keeps.
    std::size_t watches() const { return handle_ ? handle_->watches() : 0; }

private:
    void on_handle_connected(const Connected& connected) override;
    void on_handle_disconnected() override;
    void on_handle_expired() override;
    void on_handle_auth_failed() override;
    void on_handle_answer(BootClock::time_point sent, bool by_leader) override;
    void on_handle_attempt_failed(const zk::FailedAttempt& attempt) override;
    void on_handle_fault(error_code ec) override;

    void make_bound_alarm();
    void probe_if_refused();
    void on_probe(Probe::Finding finding);
    void end_probe();
    void finish_close();
    void resolve();
    void resolve_later();
    void ask_provider();
    void apply_servers();
    void on_resolved(const Resolver::Result& result);
    void use_what_is_resolved();
    void open_handle();
    void replace_handle(std::chrono::milliseconds pause);
    void emit(const SessionMachine::Events& events);
    void set_error(std::string text);
    void tell_error();
    void extend(BootClock::time_point until);
    void arm_bound();
    void check_bound();
    void schedule_heartbeat();
    void beat();
    std::chrono::milliseconds heartbeat_interval() const;
    void after(zk::EventLoop::Timer& timer, std::chrono::milliseconds delay, void (Session::*member)());

    std::shared_ptr<zk::EventLoop> loop_;
    zk::CClient* c_client_;
    SessionOptions options_;
    SessionListener* listener_;
    std::chrono::milliseconds timeout_;
    SessionMachine machine_;
    Certainty certainty_;
    std::shared_ptr<SessionClock> clock_;
    std::shared_ptr<zk::Handle> handle_;
    std::shared_ptr<Probe> probe_;       // while no server takes us
    BootClock::time_point next_probe_{}; // not before
    std::size_t round_ = 0;              // attempts that go to each server once
    std::size_t beside_probe_ = 0;       // attempts that have failed while a server served the probe
    bool refused_beside_probe_ = false;  // one of them was refused
    std::shared_ptr<Resolver> resolver_;
    std::unique_ptr<zk::EventLoop::Alarm> bound_alarm_; // absent while there is no descriptor for it
    bool bound_armed_ = false;
    std::unique_ptr<zk::EventLoop::Timer> bound_timer_; // until there is
    std::unique_ptr<zk::EventLoop::Timer> heartbeat_timer_;
    std::unique_ptr<zk::EventLoop::Timer> resolve_timer_;
    std::unique_ptr<zk::EventLoop::Timer> names_timer_; // until names have had their time, and what is there is used
    std::unique_ptr<zk::EventLoop::Timer> replace_timer_;
    std::unique_ptr<zk::EventLoop::Timer> drain_timer_;
    std::string server_list_;
    std::string applied_list_; // the one that the handle has
    bool tracks_ = false;      // the servers are not the configured ones
    int failed_attempts_ = 0;  // since the last connection
    FailedServers failed_;     // since the last connection
    std::string error_;        // why there is no connection
    std::string name_fault_;   // which names have no address, and why
    std::string last_error_;   // both, as told to the listener
    bool names_had_time_ = false;
    bool frequent_ = false;
    bool closed_ = false;        // or about to be
    bool handle_closed_ = false; // for good
    std::vector<std::function<void()>> when_closed_;
    std::chrono::steady_clock::time_point last_beat_{};
    std::chrono::steady_clock::time_point last_answer_{};
    int unanswered_beats_ = 0;
};

} // namespace docent::session
