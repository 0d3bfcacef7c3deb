// SPDX-License-Identifier: Apache-2.0
#include "session/session.hpp"

#include "base/while_alive.hpp"
#include "zk/request_check.hpp"

#include <algorithm>
#include <utility>

namespace docent::session {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds try_again{1'000};
constexpr milliseconds longest_drain{1'000};

} // namespace

Session::Session(std::shared_ptr<zk::EventLoop> loop, SessionOptions options, SessionListener& listener, zk::CClient& c_client)
    : loop_(std::move(loop)), c_client_(&c_client), options_(std::move(options)), listener_(&listener),
      timeout_(options_.timeout),
      servers_(loop_, {options_.servers, options_.provider, options_.lookups, options_.tls != nullptr}, *this),
      bound_timer_(loop_->make_timer()), heartbeat_timer_(loop_->make_timer()), silence_timer_(loop_->make_timer()),
      replace_timer_(loop_->make_timer()), drain_timer_(loop_->make_timer()) {}

void Session::start() {
    make_bound_alarm();
    servers_.start(weak_from_this());
}

/// Makes the alarm that fires when the validity bound passes. Without this alarm, the session opens no connection.
void Session::make_bound_alarm() {
    error_code ec;
    const auto on_alarm = [this] {
        if (closed_) return;
        bound_armed_ = false;
        check_bound();
        // If the session is not lost, the bound has moved since the alarm was armed. Otherwise the next answer arms the alarm.
        if (machine_.last().state != SessionState::lost) arm_bound();
    };
    bound_alarm_ = loop_->make_alarm(detail::while_alive(weak_from_this(), on_alarm), ec);
    if (bound_alarm_) return open_handle();
    set_error("cannot make a timer: " + ec.message() + "; trying again");
    after(*bound_timer_, try_again, &Session::make_bound_alarm);
}

void Session::close(std::function<void()> done) {
    if (handle_closed_) return done();
    when_closed_.push_back(std::move(done));
    if (std::exchange(closed_, true)) return;
    servers_.close();
    bound_alarm_.reset();
    bound_timer_->cancel();
    heartbeat_timer_->cancel();
    silence_timer_->cancel();
    replace_timer_->cancel();
    if (clock_) clock_->end();
    if (!handle_ || !handle_->connected() || handle_->outstanding() == 0) return finish_close();
    drain_timer_->start(longest_drain, detail::while_alive(weak_from_this(), [this] { finish_close(); }));
}

void Session::close_now() {
    close([] {});
    finish_close();
}

void Session::finish_close() {
    if (std::exchange(handle_closed_, true)) return;
    drain_timer_->cancel();
    const auto events = machine_.on_closed();
    if (probe_) std::exchange(probe_, nullptr)->close();
    if (handle_) std::exchange(handle_, nullptr)->close(error::closed);
    emit(events);
    for (const auto& done : std::exchange(when_closed_, {})) done();
}

void Session::submit(zk::Request request, zk::ReplyHandler handler) {
    if (handle_ && !closed_) return handle_->submit(std::move(request), std::move(handler));
    error_code ec = error::closed;
    if (!closed_) ec = zk::check_request(request);
    if (!ec) ec = error::not_connected;
    loop_->post([ec, handler = std::move(handler)] { handler({.ec = ec}); });
}

void Session::forget_watch(const std::string& path, zk::WatchKind kind) {
    if (handle_ && !closed_) handle_->forget_watch(path, kind);
}

void Session::renew() {
    if (!closed_ && handle_ && machine_.has_session()) on_handle_expired();
}

void Session::set_frequent_heartbeats(bool frequent) {
    if (std::exchange(frequent_, frequent) == frequent || !frequent) return;
    schedule_heartbeat();
}

void Session::on_servers() {
    if (options_.tls) options_.tls->add_hosts(servers_.hosts());
    if (!handle_ && !machine_.has_session()) open_handle();
    else apply_servers();
}

/// Gives the C client other servers. set_servers() refuses during a connection or an attempt. Otherwise the C client could
/// close a connection on which a server is creating the session.
void Session::apply_servers() {
    if (!handle_ || servers_.list().empty() || servers_.list() == applied_list_ || !handle_->set_servers(servers_.list()))
        return;
    applied_list_ = servers_.list();
}

void Session::open_handle() {
    if (closed_ || handle_ || servers_.list().empty() || !bound_alarm_) return;
    applied_list_ = servers_.list();
    const zk::HandleOptions options{.servers = applied_list_,
                                    .session_timeout = options_.timeout,
                                    .auth = options_.auth,
                                    .tls = options_.tls,
                                    .heartbeats = options_.heartbeats,
                                    .random_seed = next_seed()};
    handle_ = std::make_shared<zk::Handle>(loop_, options, *this, *c_client_);
    if (const error_code ec = handle_->open()) {
        set_error(ec.message());
        if (ec == server_error::auth_failed) emit(machine_.on_ended(ec));
        replace_handle(try_again);
    }
}

/// Returns a different seed for each handle, also for the handles of probes. Otherwise a handle would repeat the pauses of the
/// handle before it.
std::uint64_t Session::next_seed() {
    constexpr std::uint64_t golden_ratio = 0x9E37'79B9'7F4A'7C15; // odd, so all its multiples are different
    return options_.random_seed + golden_ratio * handles_++;
}

void Session::replace_handle(milliseconds pause) {
    end_probe();
    if (handle_) std::exchange(handle_, nullptr)->close(server_error::session_expired);
    timeout_ = options_.timeout;
    if (closed_) return;
    servers_.on_disconnected();
    after(*replace_timer_, pause, &Session::open_handle);
}

void Session::emit(const SessionMachine::Events& events) {
    for (const SessionEvent& event : events) {
        if (clock_) {
            const bool over = event.state == SessionState::lost && event.reason != error::not_connected;
            if (over && clock_->epoch() == event.epoch) clock_->end();
            clock_->set_suspended(event.state == SessionState::suspended);
        }
        listener_->on_session_event(event);
    }
}

void Session::on_handle_connected(const Connected& connected) {
    end_probe();
    check_bound();
    servers_.on_connected();
    failed_ = {};
    set_error({});
    timeout_ = connected.timeout;
    const auto events = machine_.on_connected(connected.session_id);
    const std::uint64_t epoch = machine_.last().epoch;
    std::shared_ptr<ValidityClock> previous = clock_;
    const bool is_new = !clock_ || clock_->epoch() != epoch;
    if (is_new) {
        if (previous) previous->end();
        clock_ = std::make_shared<ValidityClock>(epoch);
    }
    const auto now = loop_->boot_now();
    extend(is_new ? validity_bound_.on_new_session(connected.attempt_started, now, timeout_)
                  : validity_bound_.on_return(connected.attempt_started, now, timeout_));
    last_answer_ = last_beat_ = loop_->steady_now();
    beats_ = unanswered_beats_ = 0;
    schedule_heartbeat();
    emit(events);
}

void Session::on_handle_disconnected() {
    if (closed_) return finish_close();
    heartbeat_timer_->cancel();
    emit(machine_.on_disconnected());
    apply_servers();
    servers_.on_disconnected();
}

void Session::on_handle_expired() {
    if (closed_) return finish_close();
    heartbeat_timer_->cancel();
    emit(machine_.on_ended(server_error::session_expired));
    replace_handle(milliseconds{0});
}

void Session::on_handle_auth_failed() {
    if (closed_) return finish_close();
    heartbeat_timer_->cancel();
    set_error(make_error_code(server_error::auth_failed).message());
    emit(machine_.on_ended(server_error::auth_failed));
    replace_handle(try_again);
}

void Session::on_handle_answer(BootClock::time_point sent, bool by_leader) {
    last_answer_ = loop_->steady_now();
    if (closed_) {
        if (handle_ && handle_->outstanding() > 0) return;
        return loop_->post([self = shared_from_this()] { self->finish_close(); }); // after this answer's handler
    }
    if (!clock_) return;
    check_bound();
    const auto now = loop_->boot_now();
    extend(validity_bound_.on_answer(sent, now, by_leader));
    if (by_leader && clock_->valid_at(now)) emit(machine_.on_answer());
}

void Session::on_handle_attempt_failed(const zk::FailedAttempt& attempt) {
    const zk::AttemptEnd end = attempt.end;
    failed_.add(attempt);
    set_error(failed_.text(servers_.list(), options_.tls != nullptr));
    const bool has_names = servers_.name_fault().empty();
    if (machine_.last().epoch == 0 && has_names && failed_.tls_fails_with_all(servers_.list())) return on_no_tls();
    if (end == zk::AttemptEnd::refused) probe_if_refused();
    if (probe_ && probe_->served()) {
        ++beside_probe_;
        refused_beside_probe_ = refused_beside_probe_ || end == zk::AttemptEnd::refused;
        if (end == zk::AttemptEnd::silent) end_probe(); // the silent server may have renewed the session
    }
    apply_servers();
    servers_.on_attempt_failed();
}

/// Called if TLS fails with all servers before the first connection. Ends the waits for a connection, and tries all servers
/// again after a pause. Not called after a first connection: somebody may be replacing certificates at this moment.
void Session::on_no_tls() {
    failed_.begin_round();
    emit(machine_.on_ended(error::tls_failed));
    replace_handle(try_again);
}

/// Starts a probe if a server closes the connection without an answer. Either the server has no quorum: then the session lives.
/// Or the server was restored from older data: then it never accepts a client that has seen newer data. The probe starts when
/// the session would have ended in a quorum.
void Session::probe_if_refused() {
    const auto now = loop_->boot_now();
    if (probe_ || !machine_.has_session() || now < clock_->valid_until() + timeout_ * 3 / 8 || now < next_probe_) return;
    round_ = static_cast<std::size_t>(std::count(applied_list_.begin(), applied_list_.end(), ',')) + 1;
    beside_probe_ = 0;
    refused_beside_probe_ = false;
    const zk::HandleOptions options{
        .servers = applied_list_, .session_timeout = timeout_, .auth = {}, .tls = options_.tls, .random_seed = next_seed()};
    probe_ =
        std::make_shared<Probe>(loop_, *c_client_, options, round_,
                                detail::while_alive(weak_from_this(), [this](Probe::Finding finding) { on_probe(finding); }));
    probe_->start();
}

/// Finding::quorum: a quorum has served the probe for longer than a session lives without a connection. If all servers were
/// tried in that time and one of them refused the session, no server will ever accept the session again.
void Session::on_probe(Probe::Finding finding) {
    const bool proven = finding == Probe::Finding::quorum;
    if (proven && beside_probe_ < round_) return probe_->look_again();
    const bool ours_is_over = proven && refused_beside_probe_;
    end_probe();
    if (ours_is_over) on_handle_expired();
}

void Session::end_probe() {
    if (!probe_) return;
    next_probe_ = loop_->boot_now() + timeout_;
    std::exchange(probe_, nullptr)->end();
}

void Session::on_handle_fault(error_code ec) {
    set_error("cannot connect: " + ec.message());
}

void Session::set_error(std::string text) {
    error_ = std::move(text);
    tell_error();
}

void Session::tell_error() {
    std::string text = error_;
    if (!servers_.name_fault().empty()) text += (text.empty() ? "" : "; ") + servers_.name_fault();
    if (std::exchange(last_error_, text) != text) listener_->on_connect_error(text);
}

void Session::extend(BootClock::time_point until) {
    clock_->extend(until);
    if (!bound_armed_) arm_bound();
}

void Session::arm_bound() {
    if (!bound_alarm_) return;
    bound_armed_ = true;
    bound_alarm_->arm(clock_->valid_until());
}

/// Reports the loss if the bound has passed, also if an answer arrives before the alarm: a holder may already have seen its
/// lease as lost.
void Session::check_bound() {
    if (clock_ && !clock_->ended() && loop_->boot_now() >= clock_->valid_until()) emit(machine_.on_bound_passed());
}

/// Heartbeats are also frequent after a presumed loss, so that the session comes back soon. Those of a relaxed client are not:
/// a fleet that an overloaded server answers too late must not send more.
milliseconds Session::heartbeat_interval() const {
    const bool frequent = frequent_ || machine_.last().state == SessionState::lost;
    const auto interval = options_.heartbeats == Heartbeats::relaxed ? relaxed_heartbeats(timeout_, beats_)
                          : frequent                                 ? frequent_heartbeats(timeout_)
                                                                     : idle_heartbeats(timeout_);
    return std::max(interval, milliseconds{1});
}

void Session::schedule_heartbeat() {
    if (closed_ || !handle_ || !handle_->connected()) return;
    const auto due = last_beat_ + heartbeat_interval();
    const auto delay = std::chrono::ceil<milliseconds>(due - loop_->steady_now());
    after(*heartbeat_timer_, std::max(delay, milliseconds{0}), &Session::beat);
}

/// How long a server may usually be silent. With relaxed heartbeats it is less, because the bound passes sooner.
milliseconds Session::usual_silence() const {
    return options_.heartbeats == Heartbeats::relaxed ? timeout_ / 8 : timeout_ / 4;
}

/// When the server counts as silent unless it answers before: T/4 after its last answer. With relaxed heartbeats T/8 after the
/// first unanswered heartbeat, or after a later answer.
///
/// After each connection in a row that was left, the time is twice as long, but T/2 at most. The servers may only be slow. Then
/// a fleet that left them again and again would add its new connections to their load.
std::chrono::steady_clock::time_point Session::silent_from() const {
    const auto longest = std::min(usual_silence() * (1 << left_in_a_row_), timeout_ / 2);
    return (options_.heartbeats == Heartbeats::relaxed ? std::max(last_answer_, unanswered_since_) : last_answer_) + longest;
}

/// Drops the connection if a heartbeat waits and the server is silent: another server may still accept the session before the
/// bound passes.
void Session::leave_silent_server() {
    const auto waits = [this] { return handle_ && handle_->connected() && unanswered_beats_ > 0; };
    const auto silent = [this, waits] { return waits() && loop_->steady_now() >= silent_from(); };
    if (silent()) handle_->read_available(); // this process may have been paused, and the answers be in the socket
    if (silent()) {
        left_in_a_row_ = std::min(left_in_a_row_ + 1, 2);
        return handle_->drop_connection();
    }
    if (waits()) look_for_silence();
}

/// Sets a timer of a relaxed client for silent_from(). Its next heartbeat is too late to leave a silent server before the bound
/// passes.
void Session::look_for_silence() {
    if (options_.heartbeats != Heartbeats::relaxed) return;
    const auto left = std::chrono::ceil<milliseconds>(silent_from() - loop_->steady_now());
    after(*silence_timer_, std::max(left, milliseconds{1}), &Session::leave_silent_server);
}

void Session::beat() {
    leave_silent_server();
    if (!handle_ || !handle_->connected()) return; // still connected if no descriptor is left to drop the connection
    last_beat_ = loop_->steady_now();
    ++beats_;
    if (unanswered_beats_++ == 0) unanswered_since_ = last_beat_;
    const auto on_reply = [this, sent = last_beat_](const zk::Reply& reply) {
        if (reply.ec) return;
        unanswered_beats_ = 0;
        if (loop_->steady_now() - sent < usual_silence()) left_in_a_row_ = 0;
    };
    handle_->submit(zk::SyncRequest{"/"}, detail::while_alive(weak_from_this(), on_reply));
    const auto looks = static_cast<std::int64_t>(zk::most_looks) * heartbeat_interval() / timeout_;
    handle_->look_again(static_cast<std::size_t>(std::max<std::int64_t>(looks, 1)));
    look_for_silence();
    listener_->on_heartbeat();
    schedule_heartbeat();
}

void Session::after(zk::EventLoop::Timer& timer, milliseconds delay, void (Session::*member)()) {
    const auto on_time = [this, member] {
        if (!closed_) (this->*member)();
    };
    timer.start(delay, detail::while_alive(weak_from_this(), on_time));
}

} // namespace docent::session
