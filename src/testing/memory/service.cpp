// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/service.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace docent::testing {
namespace {

constexpr std::int32_t event_xid = -1;
constexpr std::int32_t connected_state = 3;

std::int32_t number_of(WatchEventType type) {
    switch (type) {
    case WatchEventType::created: return 1;
    case WatchEventType::deleted: return 2;
    case WatchEventType::data_changed: return 3;
    default: return 4; // the children have changed
    }
}

} // namespace

MemoryService::MemoryService(const MemoryOptions& options, std::function<Time()> now, std::int64_t start_time,
                             const std::string& config)
    : now_(std::move(now)), ensemble_(options, start_time, config), watches_(ensemble_.size()), traffic_(ensemble_.size()),
      paused_in_(ensemble_.size()) {
    ensemble_.on_change = [this](std::size_t server, const detail::TreeChange& change) { on_change(server, change); };
    ensemble_.on_session_end = [this](std::int64_t session) { end_connections(session); };
    ensemble_.on_leader_lost = [this] { close_without_leader(); };
}

// ---- connections

template <typename Choose> std::vector<Peer*> MemoryService::chosen(const Choose& choose) const {
    std::vector<Peer*> all;
    std::copy_if(peers_.begin(), peers_.end(), std::back_inserter(all),
                 [&](const Peer* peer) { return !peer->closed && choose(*peer); });
    return all;
}

void MemoryService::add(Peer& peer) {
    counters_.add_connection();
    peers_.push_back(&peer);
}

void MemoryService::forget(Peer& peer) {
    peers_.remove(&peer);
    traffic_.at(peer.server).received += peer.received;
    traffic_.at(peer.server).sent += peer.sent;
    watches_.at(peer.server).forget(peer);
}

void MemoryService::on_frame(Peer& peer, std::string frame) {
    if (peer.closed) return;
    peer.waiting_bytes += frame.size();
    peer.waiting.push_back(std::move(frame));
    handle_waiting_frames(peer);
}

void MemoryService::handle_waiting_frames(Peer& peer) {
    while (!peer.closed && !holds(peer) && peer.has_room() && !peer.waiting.empty()) {
        const std::string frame = std::move(peer.waiting.front());
        peer.waiting.pop_front();
        peer.waiting_bytes -= frame.size();
        handle(peer, frame);
    }
}

void MemoryService::handle(Peer& peer, const std::string& frame) {
    ++peer.received;
    if (!ensemble_.serves(peer.server)) return peer.cut();
    if (peer.session == 0) return connect(peer, frame);
    JuteReader reader(frame);
    const std::int32_t xid = reader.number();
    const std::int32_t opcode = reader.number();
    if (!reader.ok()) return peer.cut();
    counters_.add_request(opcode);
    const MemoryFaults::Action fault = rules_.next_request(opcode);
    if (fault.loss == MemoryFaults::Loss::request) {
        peer.cut();
        return counters_.add_faults(fault.rules);
    }
    ensemble_.touch(peer.session, now_());
    if (fault.loss == MemoryFaults::Loss::reply) {
        peer.closed = true; // nothing is sent any more
        answer(peer, xid, opcode, reader);
        peer.cut();
        return counters_.add_faults(fault.rules);
    }
    answer(peer, xid, opcode, reader);
}

/// As in ZooKeeper, a server whose data is older than what the client has seen refuses the client.
void MemoryService::connect(Peer& peer, std::string_view frame) {
    JuteReader reader(frame);
    reader.number(); // version of the protocol
    const std::int64_t seen = reader.long_number();
    const Time timeout{reader.number()};
    const std::int64_t id = reader.long_number();
    const std::string password = reader.text();
    const bool knows_read_only = !reader.at_end(); // clients before 3.4 do not send it
    if (!reader.ok() || seen > ensemble_.seen_by(peer.server).zxid()) return peer.cut();
    const MemorySession* const session = id == 0 ? &ensemble_.open_session(peer.server, timeout, now_())
                                                 : ensemble_.renew_session(id, password, timeout, now_());
    JuteWriter writer;
    writer.number(0);
    if (session == nullptr) {
        writer.number(0).long_number(0).text(std::string(16, '\0'));
    } else {
        for (Peer* const former : chosen([&](const Peer& each) { return each.session == session->id; })) former->cut();
        peer.session = session->id;
        writer.number(static_cast<std::int32_t>(session->timeout.count())).long_number(session->id).text(session->password);
    }
    if (knows_read_only) writer.flag(false);
    peer.send(writer.take());
    if (session == nullptr) peer.cut();
}

void MemoryService::reply(Peer& peer, std::int32_t xid, const error_code& ec, std::string body) {
    JuteWriter writer;
    writer.number(xid).long_number(ensemble_.seen_by(peer.server).zxid()).number(ec.value());
    if (!ec) writer.raw(body);
    peer.send(writer.take());
}

/// The client that asked for the end gets its reply first. A client that is held up does not learn of the end yet, and receives
/// no events of later changes.
void MemoryService::end_connections(std::int64_t session) {
    for (Peer* const peer : chosen([&](const Peer& each) { return each.session == session && &each != closing_; })) {
        if (holds(*peer)) watches_.at(peer->server).forget(*peer);
        else peer->cut();
    }
}

// ---- events

void MemoryService::on_change(std::size_t server, const detail::TreeChange& change) {
    for (Peer* const peer : watches_.at(server).fire(change.path, change.type)) {
        if (detail::allows(change.acl, Permission::read, peer->identities)) send_event(*peer, change.path, change.type);
    }
}

void MemoryService::send_event(Peer& peer, const std::string& path, WatchEventType type) {
    if (peer.closed) return;
    if (const std::size_t rules = rules_.next_event(); rules > 0) return counters_.add_faults(rules);
    JuteWriter writer;
    writer.number(event_xid).long_number(-1).number(0);
    writer.number(number_of(type)).number(connected_state).text(path);
    peer.send(writer.take());
}

// ---- faults

/// As in ZooKeeper, all servers close their connections when they lose their leader. A paused server does so when it resumes.
void MemoryService::close_without_leader() {
    for (Peer* const peer : chosen([&](const Peer& each) { return !ensemble_.is_paused(each.server); })) peer->cut();
}

void MemoryService::cut_server(std::size_t server) {
    for (Peer* const peer : chosen([&](const Peer& each) { return each.server == server; })) peer->cut();
}

/// The connections close first, so that the clients receive nothing that was held up.
void MemoryService::stop(std::size_t server) {
    cut_server(server);
    ensemble_.set_running(server, false, now_());
}

void MemoryService::pause(std::size_t server) {
    if (!ensemble_.is_paused(server)) paused_in_.at(server) = ensemble_.epoch();
    ensemble_.set_paused(server, true, now_());
}

/// If there was an election during the pause, or if there is no quorum, a server of an ensemble has lost its leader or its
/// followers. Then it closes all its connections. Otherwise it closes only those whose sessions have ended.
void MemoryService::resume(std::size_t server) {
    const bool was_left = ensemble_.epoch() != paused_in_.at(server) || !ensemble_.has_quorum();
    if (ensemble_.is_paused(server) && ensemble_.size() > 1 && was_left) cut_server(server);
    ensemble_.set_paused(server, false, now_());
    for (Peer* const peer : chosen([&](const Peer& each) { return each.server == server; })) go_on(*peer);
}

bool MemoryService::set_stalled(std::int64_t session, bool stalled) {
    const auto peers = chosen([&](const Peer& each) { return each.session != 0 && each.session == session; });
    for (Peer* const peer : peers) {
        peer->stalled = stalled;
        if (!stalled) go_on(*peer);
    }
    return !peers.empty();
}

/// Ends the connection if its session has ended meanwhile.
void MemoryService::go_on(Peer& peer) {
    if (holds(peer)) return;
    if (peer.session != 0 && !ensemble_.is_alive(peer.session)) return peer.cut();
    handle_waiting_frames(peer);
    if (!peer.closed) peer.flush();
}

void MemoryService::cut() {
    for (Peer* const peer : chosen([](const Peer&) { return true; })) peer->cut();
}

bool MemoryService::cut(std::int64_t session) {
    const auto peers = chosen([&](const Peer& each) { return each.session != 0 && each.session == session; });
    for (Peer* const peer : peers) peer->cut();
    return !peers.empty();
}

void MemoryService::heal() {
    rules_.clear();
    ensemble_.set_quorum_lost(false, now_());
    for (std::size_t server = 0; server < ensemble_.size(); ++server) ensemble_.set_lagging(server, false);
    for (Peer* const peer : chosen([](const Peer& each) { return each.stalled; })) {
        peer->stalled = false;
        go_on(*peer);
    }
}

// ---- time

void MemoryService::pass(Time now) {
    for (const Peer* const peer : peers_) {
        if (!peer->closed && peer->session != 0 && !holds(*peer)) ensemble_.touch(peer->session, now);
    }
    ensemble_.tick(now);
}

} // namespace docent::testing
