// SPDX-License-Identifier: Apache-2.0
#include "fake_client.hpp"

#include "zk/request_check.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <utility>

namespace docent::detail {
namespace {

constexpr auto session_timeout = FakeEnsemble::session_timeout;

zk::WatchSink sink_in(const zk::Request& request) {
    return std::visit(
        [](const auto& each) -> zk::WatchSink {
            if constexpr (requires { each.watch; }) return each.watch;
            else return nullptr;
        },
        request);
}

} // namespace

FakeClient::FakeClient(FakeSurroundings& world, int number)
    : world_(world), name_(std::string(1, static_cast<char>('a' + number))),
      removals_([this](zk::Request request, zk::ReplyHandler handler) { submit(std::move(request), std::move(handler)); },
                [this](const std::string& path, const std::string& guid) { orphaned_nodes_.on_guid_gone(path, guid); }),
      orphaned_nodes_(
          {.own_guid = [this](std::string_view name) { return own_guid(name); },
           .submit = [this](zk::Request request, zk::ReplyHandler handler) { submit(std::move(request), std::move(handler)); },
           .remove = [this](std::string path) { remove_in_background({std::move(path)}, nullptr); }}) {}

/// Returns "a2" for "_c_a2-lock-0000000004".
std::string_view FakeClient::own_guid(std::string_view name) const {
    const std::string prefix = "_c_" + name_;
    const bool is_own = name.starts_with(prefix) && name.find_first_of("0123456789") == prefix.size();
    return is_own ? name.substr(3, name.find('-') - 3) : std::string_view();
}

template <typename T> void FakeClient::tell_live(std::vector<Owned<T>>& registered, const auto& function) {
    std::erase_if(registered, [](const auto& each) { return each.weak.expired(); });
    for (const auto& each : std::vector(registered)) {
        if (const auto live = each.weak.lock()) work_for(each.owner, [&] { function(*live); });
    }
}

void FakeClient::tell_sinks(const std::vector<Sink>& sinks, const WatchEvent& event) {
    for (const auto& each : sinks) {
        if (const auto sink = each.weak.lock()) work_for(each.owner, [&] { (*sink)(event); });
    }
}

// ---- ClientView

void FakeClient::submit(zk::Request request, zk::ReplyHandler handler) {
    request = with_open_acls(std::move(request));
    handler = orphaned_nodes_.observed(request, std::move(handler));
    error_code ec = closed_ ? error_code(error::closed) : zk::check_request(request);
    if (!ec && !link_) ec = error::not_connected;
    if (ec) return post([handler = std::move(handler), ec] { handler({.ec = ec}); });
    ++requests_sent_;
    link_->requests.push_back({std::move(request), std::move(handler), boot_now(), acting_, requests_sent_});
}

/// A listener belongs to all owners, because one owner may listen for the others.
Registration FakeClient::listen(std::function<void(const SessionEvent&)> listener) {
    auto registration = std::make_shared<Listener>(std::move(listener));
    listeners_.push_back({for_all, registration});
    return registration;
}

Registration FakeClient::call_at(steady_clock::time_point when, std::function<void()> function) {
    auto timer = std::make_shared<Timer>(Timer{acting_, std::move(function)});
    timers_.emplace(when.time_since_epoch(), timer);
    return timer;
}

void FakeClient::remove_in_background(RemovalOrder order, Removed done) {
    if (closed_) {
        if (done) post([done = std::move(done)] { done({}); });
        return;
    }
    Removed done_later;
    if (done) {
        done_later = [this, done = std::move(done), owner = acting_](error_code ec) {
            posted_.push_back({owner, [done, ec] { done(ec); }});
        };
    }
    removals_.add(std::move(order), event_.state == SessionState::connected, std::move(done_later));
}

void FakeClient::keep_alive(std::weak_ptr<KeptAlive> object) {
    kept_alive_.push_back({acting_, std::move(object)});
    next_beat_ = std::min(next_beat_, own_now() + beat_interval());
}

// ---- steps

void FakeClient::run_posted() {
    const auto posted = std::move(posted_.front());
    posted_.pop_front();
    work_for(posted.owner, posted.function);
}

void FakeClient::arrive(Arriving item) {
    item.zxid = world_.ensemble.seen_by(link_->server).zxid();
    link_->arriving.push_back(std::move(item));
}

void FakeClient::hang_up() {
    if (!std::exchange(link_->hung_up, true)) arrive({.call = {}, .reply = {}, .event = {}});
}

void FakeClient::serve() {
    Call call = std::move(link_->requests.front());
    link_->requests.pop_front();
    if (std::exchange(throttle_next, false)) {
        ++requests_throttled_;
        return arrive({.call = std::move(call), .reply = {.ec = server_error::throttled}, .event = {}});
    }
    auto reply = world_.ensemble.answer(link_->server, session_id_, call.request, boot_now());
    if (reply.ec == server_error::session_expired) { // the server does not reply
        link_->requests.push_front(std::move(call));
        return hang_up();
    }
    if (const auto watch = watch_of(call.request, reply.ec)) link_->watches.insert(on_server(watch->first));
    arrive({.call = std::move(call), .reply = std::move(reply), .event = {}});
}

void FakeClient::deliver() {
    Arriving item = std::move(link_->arriving.front());
    link_->arriving.pop_front();
    if (item.event) return fire(*item.event);
    if (!item.call) return break_link();
    last_zxid_ = std::max(last_zxid_, item.zxid);
    if (can_pass_bound()) pass_bound();
    const bool by_leader = zk::passes_leader(item.call->request) &&
                           item.reply.ec != server_error::throttled; // a throttled request gets no further than its server
    clock_->extend(certain_until(item.call->sent, by_leader));
    if (by_leader && event_.state == SessionState::lost && clock_->valid_at(boot_now())) emit(SessionState::connected);
    const auto awaited = awaited_by(item.call->request);
    if (awaited) on_told(awaited->first, item.reply);
    if (const auto watch = watch_of(item.call->request, item.reply.ec))
        sinks_[watch->first].push_back({item.call->owner, watch->second});
    else if (awaited && item.reply.ec == server_error::no_auth)
        unwatched_[*awaited].push_back({item.call->owner, sink_in(item.call->request)});
    answer(*item.call, std::move(item.reply));
}

/// In an explorer's world, time stands still. So one heartbeat counts as all the heartbeats that are needed.
FakeClient::Time FakeClient::certain_until(Time sent, bool by_leader) {
    const auto certain = validity_bound_.on_answer(sent, boot_now(), by_leader);
    return world_.choose && by_leader ? std::max(certain, sent + session_timeout * 7 / 12) : certain;
}

void FakeClient::fire(const WatchEvent& event) {
    std::vector<Sink> told;
    for (const WatchKind kind : all_kinds) {
        if (!concerns(event.type, kind)) continue;
        const auto sinks = take_sinks({event.path, kind});
        told.insert(told.end(), sinks.begin(), sinks.end());
    }
    tell_sinks(told, event);
}

std::vector<FakeClient::Sink> FakeClient::take_sinks(const WatchKey& key) {
    std::vector<Sink> taken;
    for (auto* map : {&sinks_, &unwatched_}) {
        const auto sinks = map->extract(key);
        if (!sinks.empty()) taken.insert(taken.end(), sinks.mapped().begin(), sinks.mapped().end());
    }
    return taken;
}

/// Returns the watch of a read that asks for one, whatever the reply is.
std::optional<FakeClient::WatchKey> FakeClient::awaited_by(const zk::Request& request) {
    if (!sink_in(request)) return std::nullopt;
    const std::string& path = zk::path_of(request);
    if (std::holds_alternative<zk::ChildrenRequest>(request)) return {{path, WatchKind::children}};
    return {{path, std::holds_alternative<zk::GetRequest>(request) ? WatchKind::data : WatchKind::exists}};
}

/// As in zk::WatchTable: tells the events of changes that no event has told.
void FakeClient::on_told(const std::string& path, const zk::Reply& reply) {
    const zk::NodeState now = zk::told_by(reply.ec, reply.stat);
    if (now.presence == zk::NodeState::Presence::unknown) return;
    Known& known = known_[path];
    const zk::NodeState before = std::exchange(known.state, zk::known_after(known.state, now));
    const auto due = zk::next_look(steady_clock::time_point{own_now()}, look_interval(), random());
    known.look_at = due.time_since_epoch();
    for (const WatchKind kind : all_kinds) {
        const auto type = zk::missed_event(as_asked(kind), before, now);
        if (type) tell_sinks(take_sinks({path, kind}), {*type, path});
    }
}

void FakeClient::look_again(Looks looks) {
    const auto awaited = [this](const std::string& path) {
        return std::any_of(all_kinds.begin(), all_kinds.end(), [&](WatchKind kind) {
            return sinks_.contains({path, kind}) || unwatched_.contains({path, kind});
        });
    };
    std::erase_if(known_, [&](const auto& each) { return !awaited(each.first); });
    if (known_.empty()) event_lost_ = false;
    lost_since_look_ = false;
    for (auto& [path, known] : known_) {
        if (looks == Looks::due && own_now() < known.look_at) continue;
        known.look_at = own_now() + look_interval();
        const bool last = path == known_.rbegin()->first;
        submit(zk::ExistsRequest{path}, [this, path = path, last](const zk::Reply& reply) {
            on_told(path, reply);
            if (!last || zk::told_by(reply.ec, reply.stat).presence == zk::NodeState::Presence::unknown) return;
            event_lost_ = lost_since_look_;
        });
    }
}

void FakeClient::lose_event() {
    link_->arriving.pop_front();
    event_lost_ = lost_since_look_ = true;
}

std::set<std::string> FakeClient::missed_paths() const {
    std::set<std::string> missed;
    if (!link_) return missed;
    for (const auto& [key, sinks] : unwatched_) {
        if (!is_any_live(sinks)) continue;
        const auto& tree = world_.ensemble.seen_by(link_->server);
        const auto reply = detail::read(tree, zk::ExistsRequest{key.first}, world_.ensemble.exists_needs);
        const auto now = zk::told_by(reply.ec, reply.stat);
        if (zk::missed_event(as_asked(key.second), known_.at(key.first).state, now)) missed.insert(key.first);
    }
    return missed;
}

void FakeClient::look_at_missed() {
    for (const auto& path : missed_paths()) {
        submit(zk::ExistsRequest{path}, [this, path](const zk::Reply& reply) { on_told(path, reply); });
    }
}

/// Returns the watch that a read with this result sets.
std::optional<std::pair<FakeClient::WatchKey, zk::WatchSink>> FakeClient::watch_of(const zk::Request& request,
                                                                                   const error_code& ec) {
    if (!leaves_watch(request, ec)) return std::nullopt;
    if (const auto* get = std::get_if<zk::GetRequest>(&request)) return {{{get->path, WatchKind::data}, get->watch}};
    if (const auto* exists = std::get_if<zk::ExistsRequest>(&request)) {
        return {{{exists->path, ec ? WatchKind::absent : WatchKind::exists}, exists->watch}};
    }
    if (const auto* list = std::get_if<zk::ChildrenRequest>(&request)) {
        return {{{list->path, WatchKind::children}, list->watch}};
    }
    return std::nullopt;
}

/// A server knows two kinds of watches.
FakeClient::WatchKey FakeClient::on_server(const WatchKey& key) {
    return {key.first, key.second == WatchKind::children ? WatchKind::children : WatchKind::data};
}

bool FakeClient::can_fire_timer() const {
    return awake() && !timers_.empty() && timers_.begin()->first <= own_now();
}

void FakeClient::fire_timer() {
    const auto timer = timers_.begin()->second.lock();
    timers_.erase(timers_.begin());
    if (!timer) return;
    const auto function = std::move(timer->function);
    work_for(timer->owner, function);
}

std::chrono::milliseconds FakeClient::beat_interval() const {
    const bool frequent =
        std::any_of(kept_alive_.begin(), kept_alive_.end(), [](const auto& each) { return !each.weak.expired(); });
    if (config_.heartbeats == Heartbeats::relaxed) return session::relaxed_heartbeats(session_timeout, beats_);
    return frequent || event_.state == SessionState::lost ? session::frequent_heartbeats(session_timeout)
                                                          : session::idle_heartbeats(session_timeout);
}

std::chrono::milliseconds FakeClient::look_interval() const {
    return zk::look_interval(session_timeout, config_.heartbeats);
}

void FakeClient::beat() {
    ++beats_;
    next_beat_ = own_now() + beat_interval();
    submit(zk::SyncRequest{"/"}, [](const zk::Reply&) {});
    removals_.retry();
    orphaned_nodes_.on_heartbeat();
    if (!world_.choose) orphaned_nodes_.look_late(); // an explorer's world ends before
    if (!world_.choose) look_again(Looks::due);      // time stands still in an explorer's world: see lose_event()
    tell_live(kept_alive_, [](KeptAlive& object) { object.on_heartbeat(); });
}

bool FakeClient::can_pass_bound() const {
    return awake() && session_id_ != 0 && clock_ && event_.state != SessionState::lost && boot_now() >= clock_->valid_until();
}

void FakeClient::pass_bound() {
    emit(SessionState::lost, error::not_connected);
}

void FakeClient::connect() {
    if (session_id_ != 0 && !world_.ensemble.alive(session_id_)) return lose_session();
    connect(world_.below(FakeEnsemble::server_count));
}

void FakeClient::connect(std::size_t server) {
    auto& ensemble = world_.ensemble;
    if (session_id_ != 0 && !ensemble.alive(session_id_)) return lose_session();
    while (ensemble.seen_by(server).zxid() < last_zxid_) ensemble.learn_one(server); // or it would refuse the client
    leave_strays();
    if (can_pass_bound()) pass_bound();
    const bool fresh = session_id_ == 0;
    if (fresh) {
        session_id_ = ensemble.open_session(boot_now());
        ++event_.epoch;
        event_.session_id = session_id_;
        clock_ = std::make_shared<session::ValidityClock>(event_.epoch);
    } else {
        ensemble.touch(session_id_, boot_now());
    }
    clock_->extend(fresh ? validity_bound_.on_new_session(boot_now(), boot_now(), session_timeout)
                         : validity_bound_.on_return(boot_now(), boot_now(), session_timeout));
    link_ = Link{};
    link_->server = server;
    beats_ = 0;
    next_beat_ = own_now() + beat_interval();
    if (!fresh) resume(server);
    emit(SessionState::connected);
}

// The client sets its watches again. Events that they missed come in any order, before all replies.
void FakeClient::resume(std::size_t server) {
    std::vector<WatchEvent> missed;
    for (const auto& [key, sinks] : sinks_) {
        if (const auto type = missed_by(key, world_.ensemble.seen_by(server), last_zxid_)) missed.push_back({*type, key.first});
        else link_->watches.insert(on_server(key));
    }
    for (std::size_t n = missed.size(); n > 1; --n) std::swap(missed[n - 1], missed[world_.below(n)]);
    for (auto& event : missed) arrive({.call = {}, .reply = {}, .event = std::move(event)});
}

/// Returns the event that a server sends when a watch is set again.
std::optional<WatchEventType> FakeClient::missed_by(const WatchKey& key, const NodeTree& tree, std::int64_t seen) {
    const TreeNode* node = tree.find(key.first);
    if (key.second == WatchKind::absent) return node ? std::optional(WatchEventType::created) : std::nullopt;
    if (!node) return WatchEventType::deleted;
    if (key.second == WatchKind::children) {
        return node->stat.pzxid > seen ? std::optional(WatchEventType::children_changed) : std::nullopt;
    }
    return node->stat.mzxid > seen ? std::optional(WatchEventType::data_changed) : std::nullopt;
}

void FakeClient::lose_session() {
    strays_.clear();
    session_id_ = 0;
    clock_->end();
    const bool is_all_the_same = world_.choose && live_sinks() == 0; // no listener sees the order
    const bool told_first = is_all_the_same || world_.chance(0.5);
    if (told_first) emit(SessionState::lost, server_error::session_expired);
    known_.clear();
    event_lost_ = false;
    auto all = std::exchange(sinks_, {});
    for (auto& [key, sinks] : std::exchange(unwatched_, {})) all[key].insert(all[key].end(), sinks.begin(), sinks.end());
    for (const auto& [key, sinks] : all) tell_sinks(sinks, {WatchEventType::session_lost, key.first});
    if (!told_first) emit(SessionState::lost, server_error::session_expired);
}

void FakeClient::emit(SessionState state, error_code reason) {
    event_.state = state;
    event_.reason = reason;
    if (clock_) clock_->set_suspended(state == SessionState::suspended);
    const auto event = event_;
    work_for(0, [&] {
        if (state == SessionState::connected) orphaned_nodes_.on_connected(event);
        if (state == SessionState::connected) removals_.retry();
        if (state == SessionState::closed) removals_.on_closed();
        tell_live(kept_alive_, [&event](KeptAlive& object) { object.on_session_event(event); });
        tell_live(listeners_, [&event](const Listener& listener) { listener(event); });
        if (state == SessionState::connected && !world_.choose) orphaned_nodes_.look(); // an explorer's world never goes back
    });
}

std::optional<std::chrono::nanoseconds> FakeClient::next_time() const {
    if (!awake()) return frozen_until_;
    std::optional<std::chrono::nanoseconds> next;
    const auto consider = [&](std::chrono::nanoseconds time) {
        if (time > own_now() && (!next || time < *next)) next = time;
    };
    if (!timers_.empty()) consider(timers_.begin()->first);
    if (link_) consider(next_beat_);
    if (link_ && link_->cut) consider(*link_->cut);
    if (clock_ && session_id_ != 0) consider(clock_->valid_until().time_since_epoch());
    return next;
}

bool FakeClient::idle() const {
    const bool quiet = !link_ || (link_->requests.empty() && link_->arriving.empty());
    return quiet && posted_.empty() && removals_.pending() == 0;
}

// ---- faults

void FakeClient::cut_link() {
    if (link_ && !link_->cut) link_->cut = own_now() + session_timeout * 2 / 3;
}

FakeClient::Breakage FakeClient::any_breakage() {
    if (world_.choose) return {.told_first = (awaits_replies() || has_requests()) && world_.chance(0.5)};
    const auto reached = world_.below(link_->requests.size() + 1);
    const bool told_first = world_.chance(0.5);
    return {told_first, world_.chance(0.5) ? server_error::connection_loss : server_error::operation_timeout, reached};
}

void FakeClient::break_link() {
    break_link(any_breakage());
}

void FakeClient::break_link(const Breakage& breakage) {
    const auto& [told_first, ec, reached] = breakage;
    Link broken = std::move(*link_);
    link_.reset();
    // Requests that have arrived at the server may still reach the leader, in order.
    for (std::size_t n = 0; n < reached; ++n) {
        if (!broken.cut && zk::passes_leader(broken.requests[n].request)) strays_.push_back(broken.requests[n].request);
    }
    const auto tell = [&] {
        if (event_.state == SessionState::connected) emit(SessionState::suspended);
    };
    if (told_first) tell();
    for (auto& item : broken.arriving) {
        if (item.call) answer(*item.call, {.ec = ec});
    }
    for (auto& call : broken.requests) answer(call, {.ec = ec});
    if (!told_first) tell();
}

void FakeClient::close() {
    if (std::exchange(closed_, true)) return;
    auto broken = std::exchange(link_, std::nullopt);
    if (session_id_ != 0) world_.ensemble.end_session(std::exchange(session_id_, 0));
    if (clock_) clock_->end();
    if (broken) {
        for (auto& item : broken->arriving) {
            if (item.call) answer(*item.call, {.ec = error::closed});
        }
        for (auto& call : broken->requests) answer(call, {.ec = error::closed});
    }
    emit(SessionState::closed);
}

void FakeClient::abandon() {
    closed_ = true;
    const auto link = std::exchange(link_, std::nullopt);
    const auto sinks = std::exchange(sinks_, {});
    const auto others = std::exchange(unwatched_, {});
    removals_.on_closed();
    while (!posted_.empty()) posted_.pop_front(); // the destruction of one may post another
    timers_.clear();
}

// ---- requests that servers received on connections that have broken, and carry out later

/// The session has moved, so its requests at the old server are refused. Exception: the session returns to a server that stood
/// still with requests that it has not passed on. Only creates of recipes are safe then (docs/proof.md).
void FakeClient::leave_strays() {
    const auto is_recipes = [this](const zk::Request& request) {
        return std::holds_alternative<zk::CreateRequest>(request) && !own_guid(node_name(zk::path_of(request))).empty();
    };
    std::erase_if(strays_, [&](const zk::Request& request) { return !is_recipes(request); });
    if (world_.choose || strays_.empty() || world_.chance(0.5)) strays_.clear();
}

void FakeClient::apply_stray() {
    world_.ensemble.apply(session_id_, strays_.front());
    strays_.pop_front();
}

// ---- what the server sees

bool FakeClient::concerns(WatchEventType type, WatchKind kind) {
    return type == WatchEventType::deleted || (type == WatchEventType::children_changed) == (kind == WatchKind::children);
}

void FakeClient::on_change(std::size_t server, const TreeChange& change) {
    if (!link_ || link_->server != server || link_->cut) return;
    std::size_t watches = 0;
    for (const WatchKind kind : {WatchKind::data, WatchKind::children}) {
        if (concerns(change.type, kind)) watches += link_->watches.erase({change.path, kind});
    }
    if (watches == 0) return;
    if (change.hidden || std::exchange(lose_next_event, false)) {
        if (has_listener(change.path)) event_lost_ = lost_since_look_ = true;
        return;
    }
    arrive({.call = {}, .reply = {}, .event = WatchEvent{change.type, change.path}});
}

void FakeClient::on_no_quorum() {
    strays_.clear();
    if (link_ && !link_->cut) hang_up();
}

void FakeClient::on_session_end(std::size_t server, std::int64_t session) {
    if (!link_ || link_->server != server || session != session_id_ || link_->cut) return;
    hang_up();
}

} // namespace docent::detail
