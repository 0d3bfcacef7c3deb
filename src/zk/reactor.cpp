// SPDX-License-Identifier: Apache-2.0
#include "zk/reactor.hpp"

#include "base/while_alive.hpp"
#include "zk/input/input_detour.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace docent::zk {

using std::chrono::milliseconds;

namespace {

// The number of frames that one turn reads, so that other work on the executor gets its turn.
constexpr int frames_per_turn = 64;

// After this time without a request, the socket holds nothing back, so that a ping of the C client leaves at once.
constexpr milliseconds idle_from{20};

// The pause between two looks at the socket while it cannot wake the reactor: no descriptor is left to wait with, or the socket
// cannot signal the end of a frame (FrameGuard::Next::later).
constexpr milliseconds look_again{20};

// How long closing sends requests through TLS, and then waits for the server's answer: as long as the C client does without
// TLS.
constexpr milliseconds longest_flush{3'000};
constexpr milliseconds longest_goodbye{1'500};

// The pause after the C client could not make a socket.
constexpr milliseconds after_fault{100};

/// The time in which an address must accept the connection. The C client's own limit for a dead address is two thirds of the
/// session timeout, which would leave no time for the next address.
///
/// The first attempt after a loss gets less time, because the validity bound may pass soon. If the network drops its SYN, the
/// kernel sends it again only after a second, but another attempt sends one at once. If this server is down, the
/// next one may be up. Later attempts get the whole time, for servers that are far away.
milliseconds connect_limit(milliseconds session_timeout, bool first_after_loss) {
    return first_after_loss ? std::max(session_timeout / 24, milliseconds{100})
                            : std::max(session_timeout / 6, milliseconds{300});
}

/// The time in which a server must accept the session, from the start of the attempt: with connecting and TLS.
milliseconds handshake_limit(milliseconds session_timeout) {
    return std::max(session_timeout / 3, milliseconds{1'000});
}

milliseconds to_milliseconds(const timeval& time) {
    return std::chrono::seconds{time.tv_sec} +
           std::chrono::duration_cast<milliseconds>(std::chrono::microseconds{time.tv_usec});
}

} // namespace

Reactor::Reactor(std::shared_ptr<EventLoop> loop, CClient& client, Owner& owner)
    : loop_(std::move(loop)), client_(&client), owner_(&owner), timer_(loop_->make_timer()) {}

error_code Reactor::open(const std::string& servers, milliseconds session_timeout, const ConnectPause& pause,
                         std::shared_ptr<TlsContext> tls, watcher_fn watcher, void* context) {
    if (!is_here()) return error::other_process;
    tls_ = std::move(tls);
    session_timeout_ = session_timeout;
    pause_ = pause;
    pause_.on_open(loop_->boot_now());
    errno = 0;
    zh_ = client_->init(servers.c_str(), watcher, static_cast<int>(session_timeout.count()), context);
    if (zh_ != nullptr) return {};
    return errno != 0 ? error_code{errno, boost::system::system_category()} : make_error_code(server_error::system_error);
}

void Reactor::forget_socket() {
    hold_back_no_more(); // the last bytes of the C client leave at once
    watched_ = {};
    frame_guard_.begin_socket();
    look_again_ = false;
}

void Reactor::close() {
    // zookeeper_close() would end the parent's session.
    if (!is_here()) return posix::keep_for_ever({std::exchange(zh_, nullptr), [](zhandle_t*) {}});
    forget_socket();
    timer_->cancel();
    timer_deadline_.reset();
    // The strand stands still while the C client closes, so the C client must wait neither for room in the tunnel nor for an
    // answer through it.
    const auto tunnel = client_->state(zh_) == ZOO_CONNECTED_STATE ? std::exchange(tunnel_, nullptr) : nullptr;
    if (tunnel) {
        do client_->process(zh_, ZOOKEEPER_WRITE);
        while (tunnel->take());
        tunnel->end_answers();
    }
    client_->close(std::exchange(zh_, nullptr));
    if (tunnel) tunnel->finish(longest_flush, longest_goodbye);
    drop_tunnel();
}

/// Holds sent bytes back until the end of the turn. The C client sends the length of each request separately: without this,
/// each request takes two packets, and the server wakes for four bytes.
void Reactor::hold_back() {
    if (!is_here() || !watched_.socket || std::exchange(watched_.sent, true)) return;
    if (!std::exchange(watched_.holds_back, true)) watched_.socket->hold_back(true);
    schedule_pump();
}

/// Sends the bytes that were held back. The socket stays corked, so a turn with requests needs one system call and not two.
void Reactor::let_go(BootClock::time_point now) {
    if (std::exchange(watched_.sent, false)) {
        watched_.socket->let_go();
        watched_.let_go_at = now;
    } else if (now - watched_.let_go_at > idle_from) {
        hold_back_no_more();
    }
}

void Reactor::hold_back_no_more() {
    if (std::exchange(watched_.holds_back, false)) watched_.socket->hold_back(false);
}

void Reactor::pump() {
    if (!is_here()) return;
    const auto now = loop_->boot_now();
    let_go(now);
    if (zh_ == nullptr) return;
    if (now - std::exchange(last_pump_, now) > session_timeout_ / 10) drain_if_readable();
    if (zh_ == nullptr) return;
    if (client_->unrecoverable(zh_)) return forget_socket();
    if (attempting_ && watched_.socket && left_of_attempt(now) <= milliseconds{0}) shut_socket();
    if (end_attempt_if_over(now)) {
        owner_->run_ready(); // the owner may have other servers for the next attempt
        if (zh_ == nullptr) return;
        if (client_->unrecoverable(zh_)) return forget_socket();
    }
    if (const auto left = pause_.left(now); left > milliseconds{0}) {
        owner_->run_ready();
        if (zh_ != nullptr) arm_timer(left);
        return;
    }

    int fd = -1;
    int interest = 0;
    timeval wait{};
    errno = 0;
    const int rc = client_->interest(zh_, &fd, &interest, &wait);
    const int fault = errno;
    c_descriptor_ = fd;
    if (waits_for_tls()) interest &= ~ZOOKEEPER_WRITE; // the near end of the tunnel can always be written to
    milliseconds delay = to_milliseconds(wait);
    note_attempt(now);
    if (is_exposed()) {
        tls_fault_ = {"connected before TLS could begin, as under proxychains or torsocks", true};
        shut_socket();
        return schedule_pump();
    }
    if (rc != ZOK || fd < 0 || interest == 0) {
        forget_socket();
        delay = std::max(delay, rc == ZSYSTEMERROR ? after_fault : milliseconds{1});
        if (rc == ZSYSTEMERROR && fault != 0) owner_->on_local_fault({fault, boost::system::system_category()});
        if (rc == ZOK && fd < 0) { // the C client has tried all servers, and pauses for T/60
            pause_.on_round_over(now);
            delay = pause_.left(now);
        }
    } else if (!wait_on(fd, interest)) {
        delay = std::min(delay, look_again);
        if (look_at(fd, interest)) return schedule_pump();
    }
    if (look_again_) delay = std::min(delay, look_again);
    // Timers do not count the time in which the machine is suspended, so the reactor looks at the clock in between.
    if (attempting_) delay = std::min(delay, milliseconds{50});
    if (attempting_ && watched_.socket) delay = std::min(delay, left_of_attempt(now));
    owner_->run_ready();
    if (zh_ != nullptr && !client_->unrecoverable(zh_)) arm_timer(std::max(delay, milliseconds{1}));
}

/// Checks the state of the C client. Returns whether an attempt to connect has failed.
bool Reactor::end_attempt_if_over(BootClock::time_point now) {
    const int state = client_->state(zh_);
    if (state != 0 && state != ZOO_NOTCONNECTED_STATE) return false;
    forget_socket();
    if (std::exchange(was_connected_, false)) {
        pause_.on_lost(now);
        first_after_loss_ = true;
    }
    const bool failed = std::exchange(attempting_, false);
    if (failed) first_after_loss_ = false;
    // The server may refuse the client after the client's part of the handshake.
    if (failed && tls_fault_.text.empty() && tunnel_) tls_fault_ = tunnel_->fault();
    if (failed) owner_->on_attempt_failed({attempt_end(), attempted_server_, tls_fault_});
    drop_tunnel();
    return failed;
}

/// Ends the tunnel of a connection that the C client has given up. The server may never end it.
void Reactor::drop_tunnel() {
    if (const auto tunnel = std::exchange(tunnel_, nullptr)) tunnel->abandon();
}

/// Why the attempt ended. A server that refuses the session closes the connection at once.
AttemptEnd Reactor::attempt_end() const {
    if (unsound_) return AttemptEnd::not_zookeeper;
    if (!tls_fault_.text.empty()) return AttemptEnd::no_tls;
    if (!handshaking_ && tunnel_) return AttemptEnd::silent;
    if (!handshaking_) return no_listener_ ? AttemptEnd::no_listener : AttemptEnd::unreachable;
    const auto refusal_limit = std::min(handshake_limit(session_timeout_), session_timeout_ / 2);
    return loop_->boot_now() - attempt_started_ < refusal_limit ? AttemptEnd::refused : AttemptEnd::silent;
}

void Reactor::note_attempt(BootClock::time_point now) {
    const int state = client_->state(zh_);
    if (state != ZOO_CONNECTING_STATE && state != ZOO_ASSOCIATING_STATE) return;
    if (!std::exchange(attempting_, true)) {
        attempt_started_ = now;
        attempted_server_ = client_->current_server(zh_); // after a failure, the C client may name the next server
        no_listener_ = unsound_ = false;
        tls_fault_ = {};
        drop_tunnel();
        pause_.on_attempt();
    }
    handshaking_ = state == ZOO_ASSOCIATING_STATE;
}

/// Called with errno after a read or a write. The kernel tells only the first of them why connect() has failed.
void Reactor::note_fault(int fault) {
    no_listener_ = no_listener_ || (attempting_ && fault == ECONNREFUSED);
}

void Reactor::schedule_pump() {
    if (std::exchange(pump_scheduled_, true)) return;
    loop_->post(detail::while_alive(owner_->life(), [this] {
        pump_scheduled_ = false;
        owner_->run_ready();
        pump();
    }));
}

void Reactor::drop_connection() {
    const auto alive = owner_->life().lock();
    if (!may_drive() || !watched_.socket) return;
    pause_.on_left();
    shut_socket();
    owner_->run_ready();
    pump();
}

/// Lets the C client read only frames that the guard has checked (input/frame_guard.hpp). `descriptor`: where the guard looks;
/// negative without a socket, as in tests: then nothing is checked.
void Reactor::drain(int descriptor) {
    frame_guard_.begin_turn();
    look_again_ = false;
    for (int i = 0; i < frames_per_turn && zh_ != nullptr; ++i) {
        errno = 0;
        const auto next = descriptor < 0 ? FrameGuard::Next::frame : frame_guard_.next(descriptor, frame_due());
        if (next == FrameGuard::Next::ended) note_fault(errno);
        if (next == FrameGuard::Next::kept && feed(frame_guard_.take_kept(), descriptor)) continue;
        if (next == FrameGuard::Next::refused) unsound_ = true;
        if (next == FrameGuard::Next::kept || next == FrameGuard::Next::refused) {
            shut_socket();
            break;
        }
        look_again_ = next == FrameGuard::Next::later;
        if (next != FrameGuard::Next::frame && next != FrameGuard::Next::ended) break;
        if (client_->process(zh_, ZOOKEEPER_READ) != ZOK) break;
    }
    owner_->run_ready();
}

FrameDue Reactor::frame_due() {
    const int state = client_->state(zh_);
    if (state == ZOO_CONNECTED_STATE) return owner_->reply_due();
    if (state == ZOO_ASSOCIATING_STATE) return HandshakeDue{.had_session = client_->session_id(zh_) != 0};
    return SilenceDue{};
}

/// Lets the C client read a frame that was taken out of its socket. Returns false if its descriptor cannot be replaced, for
/// example because no descriptors are left: then the frame is lost, and the connection must end.
bool Reactor::feed(std::string_view frame, int descriptor) {
    auto detour = InputDetour::begin(c_descriptor_, descriptor);
    if (!detour) return false;
    int rc = ZNOTHING;
    for (bool ends = false; rc == ZNOTHING && !ends && client_->state(zh_) == ZOO_CONNECTED_STATE;) {
        ends = frame.empty();
        frame.remove_prefix(detour->write(frame));
        rc = client_->process(zh_, ZOOKEEPER_READ); // also after the last bytes: they may still be in the pair of sockets
    }
    return true;
}

/// Reads answers before zookeeper_interest(), which only looks at the clock. After a pause of this process it would drop the
/// connection, although answers wait in the socket.
void Reactor::drain_if_readable() {
    if (tunnel_) tunnel_->carry_on();
    if (watched_.socket && watched_.socket->readable()) drain();
}

/// Puts TLS between the C client and the server that it has just reached. Returns true if the C client
/// must not write now: the handshake of TLS is under way, or the attempt has failed.
bool Reactor::begin_tls() {
    if (!tls_ || client_->state(zh_) != ZOO_CONNECTING_STATE || (tunnel_ && tunnel_->is_at(c_descriptor_))) return false;
    drop_tunnel();
    auto engine = tls_->connect(client_->current_server(zh_), tls_fault_.text);
    if (!engine) {
        tls_fault_.lasting = true;
        shut_socket();
        return true;
    }
    error_code ec;
    tunnel_ = loop_->make_tunnel(c_descriptor_, std::move(engine),
                                 detail::while_alive(owner_->life(), [this] { on_tls_handshake(); }), ec);
    if (tunnel_) {
        forget_socket(); // it belongs to the tunnel now
        return true;
    }
    if (ec == asio::error::not_connected) return false; // nothing can be sent any more, and the C client finds out why
    tls_fault_.text = ec.message();
    shut_socket();
    return true;
}

/// Whether the C client is past the start of its handshake with a server, and speaks without TLS, although TLS is wanted. If
/// connect() succeeds at once, zookeeper_interest() itself sends the handshake.
bool Reactor::is_exposed() const {
    if (!tls_ || c_descriptor_ < 0 || (tunnel_ && tunnel_->is_at(c_descriptor_))) return false;
    const int state = client_->state(zh_);
    return state == ZOO_ASSOCIATING_STATE || state == ZOO_CONNECTED_STATE;
}

void Reactor::on_tls_handshake() {
    if (!may_drive() || !tunnel_) return;
    tls_fault_ = tunnel_->fault();
    if (tunnel_->open()) write();
    pump();
}

void Reactor::write() {
    if (begin_tls() || waits_for_tls()) return;
    watched_.sent = watched_.holds_back;
    errno = 0;
    client_->process(zh_, ZOOKEEPER_WRITE);
    note_fault(errno);
    owner_->run_ready();
}

EventLoop::Handler Reactor::then_pump(bool Watched::*waiting, void (Reactor::*act)()) {
    return detail::while_alive(owner_->life(), [this, waiting, act] {
        if (!may_drive()) return;
        watched_.*waiting = false;
        (this->*act)();
        pump();
    });
}

/// Returns false if no descriptor is left to wait with.
bool Reactor::wait_on(int fd, int interest) {
    if (!watched_.socket || client_->state(zh_) != ZOO_CONNECTED_STATE) {
        // The descriptor's number may stand for another socket now.
        forget_socket();
        error_code ec;
        watched_.socket = loop_->make_socket(fd, ec);
        if (!watched_.socket) {
            if (client_->state(zh_) != ZOO_CONNECTED_STATE) owner_->on_local_fault(ec);
            return false;
        }
    }
    if (!look_again_ && !std::exchange(watched_.reading, true)) {
        watched_.socket->on_readable(then_pump(&Watched::reading, &Reactor::drain));
    }
    if ((interest & ZOOKEEPER_WRITE) != 0 && !std::exchange(watched_.writing, true)) {
        watched_.socket->on_writable(then_pump(&Watched::writing, &Reactor::write));
    }
    return true;
}

/// Returns whether the socket was ready.
bool Reactor::look_at(int fd, int interest) {
    const int ready = loop_->ready_for(fd, interest);
    if ((ready & ZOOKEEPER_READ) != 0) drain(loop_->real_descriptor(fd));
    if (zh_ != nullptr && (ready & ZOOKEEPER_WRITE) != 0) write();
    return ready != 0;
}

void Reactor::shut_socket() {
    if (watched_.socket) watched_.socket->shut();
    else loop_->shut(c_descriptor_);
    client_->process(zh_, ZOOKEEPER_READ | ZOOKEEPER_WRITE);
}

/// The time until the present attempt has taken too long.
milliseconds Reactor::left_of_attempt(BootClock::time_point now) const {
    const bool accepted = client_->state(zh_) == ZOO_ASSOCIATING_STATE || tunnel_;
    const auto limit = accepted ? handshake_limit(session_timeout_) : connect_limit(session_timeout_, first_after_loss_);
    return std::chrono::ceil<milliseconds>(attempt_started_ + limit - now);
}

void Reactor::arm_timer(milliseconds delay) {
    const auto deadline = loop_->steady_now() + delay;
    if (timer_deadline_ && *timer_deadline_ <= deadline) return;
    timer_deadline_ = deadline;
    const auto on_time = [this] {
        if (!is_here()) return;
        timer_deadline_.reset();
        drain_if_readable();
        pump();
    };
    timer_->start(delay, detail::while_alive(owner_->life(), on_time));
}

} // namespace docent::zk
