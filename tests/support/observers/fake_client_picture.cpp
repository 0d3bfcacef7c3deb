// SPDX-License-Identifier: Apache-2.0

// Describes a fake client: for the stories that people read, and to tell states of a world apart.

#include "fake_client.hpp"
#include "names/node_name.hpp"
#include "observers/text_builder.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <tuple>
#include <type_traits>

namespace docent::detail {
namespace {

template <typename Each> constexpr const char* verb = "ask about ";
template <> constexpr const char* verb<zk::CreateRequest> = "create ";
template <> constexpr const char* verb<zk::RemoveRequest> = "remove ";
template <> constexpr const char* verb<zk::SetRequest> = "set ";
template <> constexpr const char* verb<zk::GetRequest> = "read ";
template <> constexpr const char* verb<zk::ExistsRequest> = "look for ";
template <> constexpr const char* verb<zk::ChildrenRequest> = "list ";
template <> constexpr const char* verb<zk::SyncRequest> = "sync ";
template <> constexpr const char* verb<zk::CheckRequest> = "check ";

template <typename Each> void put(TextBuilder& out, const Each& request) {
    if constexpr (std::is_same_v<Each, zk::MultiRequest>) {
        out << "all of:";
        for (const auto& one : request.operations) {
            out << " ";
            std::visit([&](const auto& each) { put(out, each); }, one);
        }
    } else {
        out << verb<Each>;
        if constexpr (requires { request.path; }) out << request.path;
        if constexpr (requires { request.watch; }) out << (request.watch ? " with a watch" : "");
        if constexpr (requires { request.version; }) {
            if (request.version != -1) out << " if its version is " << request.version;
        }
    }
}

void put(TextBuilder& out, const zk::Request& request) {
    std::visit([&](const auto& each) { put(out, each); }, request);
}

void put(TextBuilder& out, const zk::Reply& reply) {
    out << (reply.ec ? reply.ec.message() : "done");
    if (!reply.path.empty()) out << ", " << reply.path;
    if (reply.stat.czxid != 0) out << ", czxid " << reply.stat.czxid << ", of session " << reply.stat.ephemeral_owner;
    if (reply.stat.version != 0) out << ", version " << reply.stat.version;
    if (!reply.data.empty()) out << ", \"" << reply.data << '"';
    for (const auto& child : reply.children) out << ", " << child;
    for (const auto& result : reply.results) {
        out << ", " << (result.ec ? result.ec.message() : "done");
        if (result.stat) out << " (czxid " << result.stat->czxid << ")";
    }
}

const char* text_of(WatchEventType type) {
    switch (type) {
    case WatchEventType::created: return "created";
    case WatchEventType::deleted: return "deleted";
    case WatchEventType::data_changed: return "changed";
    case WatchEventType::children_changed: return "other children";
    default: return "watch ended";
    }
}

} // namespace

void FakeClient::write(TextBuilder& out, const Arriving& item) {
    if (item.event) {
        out << "event: " << item.event->path << ": " << detail::text_of(item.event->type);
    } else if (item.call) {
        out << "reply to ";
        put(out, item.call->request);
        out << ": ";
        put(out, item.reply);
    } else {
        out << "the server hangs up";
    }
}

std::string FakeClient::next_request() const {
    TextBuilder out;
    if (has_requests()) put(out, link_->requests.front().request);
    return out.take();
}

std::string FakeClient::next_arrival() const {
    TextBuilder out;
    if (link_ && !link_->arriving.empty()) write(out, link_->arriving.front());
    return out.take();
}

std::optional<std::chrono::nanoseconds> FakeClient::next_timer() {
    while (!timers_.empty() && timers_.begin()->second.expired()) timers_.erase(timers_.begin());
    if (timers_.empty()) return std::nullopt;
    return std::max(timers_.begin()->first - own_now(), std::chrono::nanoseconds{0});
}

std::size_t FakeClient::live_sinks() const {
    std::size_t count = 0;
    for (const auto* map : {&sinks_, &unwatched_}) {
        for (const auto& [key, sinks] : *map) {
            count += static_cast<std::size_t>(
                std::count_if(sinks.begin(), sinks.end(), [](const auto& each) { return !each.weak.expired(); }));
        }
    }
    return count;
}

namespace {

// All pauses of a client without a connection take less time together.
constexpr auto longer_than_pauses = std::chrono::seconds{1};

} // namespace

bool FakeClient::has_live_sink(const std::string& path) const {
    return any_awaited([&](const WatchKey& key, const auto& sinks) { return key.first == path && is_any_live(sinks); });
}

/// An event tells these sinks, too, if another sink has a watch on the node.
bool FakeClient::has_unwatched_sink(const std::string& path) const {
    return std::any_of(unwatched_.begin(), unwatched_.end(),
                       [&](const auto& entry) { return entry.first.first == path && is_any_live(entry.second); });
}

/// A contender's node is removed, and never comes again. So a watch on it without a listener has no effect.
bool FakeClient::is_of_claim(const std::string& path) {
    return path.find("/_c_") != std::string::npos;
}

bool FakeClient::has_listener(const std::string& path) const {
    if (has_live_sink(path)) return true;
    return link_ && std::any_of(link_->arriving.begin(), link_->arriving.end(), [&](const Arriving& item) {
               const auto watch = item.call ? watch_of(item.call->request, item.reply.ec) : std::nullopt;
               return watch && watch->first.first == path;
           });
}

/// Returns true if a listener is told of events of the node, now or after a reply.
bool FakeClient::is_heeded(const std::string& path) const {
    return !is_of_claim(path) || has_listener(path);
}

void FakeClient::forget_unheeded_watches() {
    std::erase_if(link_->watches, [&](const WatchKey& key) { return !has_listener(key.first); });
    std::erase_if(sinks_, [&](const auto& entry) { return !has_live_sink(entry.first.first); });
}

bool FakeClient::has_node(const std::string& path) const {
    if (own_guid(node_name(path)).empty()) return false;
    const TreeNode* const node = world_.ensemble.truth().find(path);
    return node && node->stat.ephemeral_owner == session_id_;
}

/// Leaves out the names behind the client's last node.
zk::Reply FakeClient::without_names_behind(zk::Reply list) const {
    std::string last; // a copy, because the names move
    for (const auto& name : list.children) {
        if (!own_guid(name).empty() && number_text(name) > last) last = number_text(name);
    }
    std::erase_if(list.children, [&](const auto& name) { return number_text(name) > last; });
    return list;
}

void FakeClient::write_link(TextBuilder& out, const PictureTerms& terms) const {
    const bool whole = terms.whole;
    out << link_->server << link_->hung_up << '\n';
    // A late reply does not extend the bound.
    const auto age = [&](const Call& call) { return boot_now() - call.sent > longer_than_pauses ? " old: " : ": "; };
    for (const auto& call : link_->requests) {
        out << call.owner << age(call);
        put(out, call.request);
        out << '\n';
    }
    for (const auto& item : link_->arriving) {
        if (!whole && !is_heeded(item)) continue;
        if (item.call) out << item.call->owner << age(*item.call);
        const auto* const list = item.call ? std::get_if<zk::ChildrenRequest>(&item.call->request) : nullptr;
        const bool goes_by_place =
            list && !list->watch && std::find(terms.lines.begin(), terms.lines.end(), list->path) != terms.lines.end();
        if (goes_by_place) write(out, {.call = item.call, .reply = without_names_behind(item.reply), .event = {}});
        else write(out, item);
        out << '\n';
    }
    for (const auto& [path, kind] : link_->watches) {
        if (terms.keeps_nodes && has_node(path) && !has_unwatched_sink(path)) continue;
        if (whole || is_heeded(path)) out << path << ' ' << kind << '\n';
    }
}

/// If all pauses are shorter than the pauses to come, only their order matters.
void FakeClient::write_timers(TextBuilder& out, bool whole) const {
    constexpr auto longest_pause = std::chrono::seconds{10};
    constexpr auto shortest_pause = std::chrono::milliseconds{20};
    const auto is_long = [&](const auto& entry) {
        const auto left = entry.first - own_now();
        return left > shortest_pause && left <= longest_pause && !entry.second.expired();
    };
    const bool exactly = whole || std::any_of(timers_.begin(), timers_.end(), is_long);
    for (const auto& [when, weak] : timers_) {
        const auto timer = weak.lock();
        if (!timer) continue;
        out << "\ntimer " << timer->owner << " in ";
        if (when - own_now() > longest_pause) out << "more"; // no pause is so long: it bounds an operation that ends before
        else if (!exactly) out << "a while";
        else out << (when - own_now()).count() << "ns";
    }
    out << '\n';
}

/// All its requests fail, in order. Before that, the server may still do those with an effect.
void FakeClient::write_doomed_link(TextBuilder& out) const {
    out << link_->server << '\n';
    for (const auto& item : link_->arriving) {
        if (!item.call) continue;
        out << item.call->owner << ": ";
        put(out, item.call->request);
        out << '\n';
    }
    for (const auto& call : link_->requests) {
        out << call.owner << ": ";
        put(out, call.request);
        if (is_effective(call)) out << (link_->hung_up ? " refused" : " to be done");
        out << '\n';
    }
    if (event_.state == SessionState::lost) out << (link_->arriving.empty() && link_->requests.empty() ? "quiet\n" : "");
}

void FakeClient::write_picture(TextBuilder& out, const PictureTerms& terms) const {
    const bool whole = terms.whole;
    out << event_.state << ' ' << event_.reason.value() << " epoch " << event_.epoch << " session " << session_id_ << " _c_"
        << name_ << guids_ + 1 << ' ' << awake() << (clock_ && clock_->valid_at(boot_now())) << closed_ << ' ' << posted_.size()
        << ' ' << removals_.pending() << '\n';
    // The end of the bound, in the client's time.
    const bool lives = link_ && world_.ensemble.alive(session_id_); // it will be certain again
    if (clock_ && !lives && event_.state != SessionState::lost) {
        const std::chrono::nanoseconds certain = clock_->valid_until() - boot_now();
        if (certain <= longer_than_pauses) out << "valid for " << certain.count() << "ns\n";
    }
    if (link_ && event_.state == SessionState::lost) {
        const auto left = std::max(next_beat_ - own_now(), std::chrono::nanoseconds{0}).count();
        out << "beat in " << (whole || left == 0 ? left : 1) << "ns\n"; // pauses are shorter
    }
    if (link_ && terms.hears_nothing) write_doomed_link(out);
    else if (link_) write_link(out, terms);
    for (const auto& [key, sinks] : sinks_) {
        const bool is_kept = terms.keeps_nodes && has_node(key.first);
        for (const auto& each : sinks) {
            const auto sink = each.weak.lock();
            if (!sink || (is_kept && !terms.awaiting.contains(sink.get()))) continue;
            out << key.first << ' ' << key.second << " told " << each.owner << '!';
        }
        // A reconnect sets the watch again, though it has no listener.
        const bool is_set_again = !has_live_sink(key.first) && (whole || !is_of_claim(key.first));
        if (is_set_again || has_unwatched_sink(key.first)) out << key.first << ' ' << key.second << '!';
    }
    for (const auto& [key, sinks] : unwatched_) {
        for (const auto& each : sinks) {
            if (each.weak.expired()) continue;
            out << "\nunwatched " << key.first << ' ' << key.second << known_.at(key.first).state.presence << " told "
                << each.owner << '!';
        }
    }
    for (const auto& [path, known] : known_) {
        const auto has = [&path = path](const NodeTree* tree) { return tree->find(path) != nullptr; };
        if (std::any_of(terms.hiding.begin(), terms.hiding.end(), has))
            out << "\nknown " << path << ' ' << known.state.presence;
    }
    if (event_lost_) out << "\nlost" << lost_since_look_;
    for (const auto& [path, known] : known_) {
        if (!event_lost_) break;
        const TreeNode* const node = world_.ensemble.truth().find(path);
        const auto now = node ? zk::told_by({}, node->stat) : zk::told_by(server_error::no_node, {});
        out << "\nlost " << path << (zk::known_after(known.state, now) == known.state);
    }
    const auto write_owners = [&](const char* what, const auto& registered) {
        out << what;
        for (const auto& each : registered) {
            if (!each.weak.expired()) out << ' ' << each.owner;
        }
    };
    write_owners("\nlistening", listeners_);
    write_owners("\nkept alive", kept_alive_);
    write_timers(out, whole);
}

// ---- facts that decide what matters to the client

void FakeClient::for_each_open_request(std::optional<Owner> owner, const auto& function) const {
    if (!link_) return;
    const auto consider = [&](const Call& call) {
        if (!owner || call.owner == *owner) function(call);
    };
    for (const auto& call : link_->requests) consider(call);
    for (const auto& item : link_->arriving) {
        if (item.call) consider(*item.call);
    }
}

std::optional<std::uint64_t> FakeClient::oldest_request(std::optional<Owner> owner) const {
    std::optional<std::uint64_t> oldest;
    for_each_open_request(owner, [&](const Call& call) { oldest = std::min(oldest.value_or(call.number), call.number); });
    return oldest;
}

std::optional<FakeClient::Asked> FakeClient::next_answered() const {
    if (!hears_reply_next()) return std::nullopt;
    const auto& call = *link_->arriving.front().call;
    const bool is_kept =
        std::holds_alternative<zk::CreateRequest>(call.request) || std::holds_alternative<zk::SyncRequest>(call.request);
    if (!is_kept) return std::nullopt;
    return Asked{call.number, zk::path_of(call.request), call.owner};
}

std::vector<FakeClient::Asked> FakeClient::all_asked(std::optional<Owner> owner) const {
    std::vector<Asked> all;
    for_each_open_request(owner, [&](const Call& call) {
        all.push_back({call.number, zk::path_of(call.request), call.owner});
    });
    return all;
}

bool FakeClient::has_unheard_news() const {
    if (!can_deliver() || !link_->arriving.front().event) return false;
    const auto& event = *link_->arriving.front().event;
    return !any_awaited([&](const WatchKey& key, const auto& sinks) {
        return key.first == event.path && concerns(event.type, key.second) && is_any_live(sinks);
    });
}

bool FakeClient::hears_reply_next() const {
    return can_deliver() && link_->arriving.front().call.has_value();
}

bool FakeClient::hears_end_next() const {
    return can_deliver() && !link_->arriving.front().call && !link_->arriving.front().event;
}

const zk::Request* FakeClient::request_to_serve() const {
    return has_requests() ? &link_->requests.front().request : nullptr;
}

std::vector<std::string> FakeClient::watched_paths() const {
    std::vector<std::string> paths;
    if (!link_) return paths;
    for (const auto& [path, kind] : link_->watches) {
        if (is_heeded(path)) paths.push_back(path);
    }
    for (const auto& [key, sinks] : unwatched_) {
        if (is_any_live(sinks)) paths.push_back(key.first);
    }
    return paths;
}

bool FakeClient::has_sink(const std::string& path) const {
    return any_awaited([&](const WatchKey& key, const auto&) { return key.first == path; });
}

bool FakeClient::asks_about(const std::string& path) const {
    if (has_sink(path) && (!is_of_claim(path) || has_live_sink(path))) return true;
    if (!link_) return false;
    const auto is_about = [&](const Call& call) {
        return !zk::passes_leader(call.request) && zk::path_of(call.request) == path;
    };
    for (const auto& call : link_->requests) {
        if (is_about(call)) return true;
        if (zk::passes_leader(call.request)) break; // the follower is up to date before it handles the requests behind
    }
    const auto& arriving = link_->arriving; // a reply sets a watch
    return std::any_of(arriving.begin(), arriving.end(), [&](const auto& item) { return item.call && is_about(*item.call); });
}

bool FakeClient::is_own(const std::string& path) const {
    return !own_guid(node_name(path)).empty();
}

bool FakeClient::watches_others() const {
    const auto& watches = link_->watches;
    return !std::all_of(watches.begin(), watches.end(), [&](const auto& watch) {
        return has_node(watch.first) || (is_of_claim(watch.first) && !is_heeded(watch.first));
    });
}

bool FakeClient::watches_list(const std::string& path) const {
    if (has_sink(path)) return true;
    if (!link_) return false;
    const auto will = [&](const Call& call) {
        const auto* const list = std::get_if<zk::ChildrenRequest>(&call.request);
        return list && list->watch && list->path == path;
    };
    const auto& [requests, arriving] = std::tie(link_->requests, link_->arriving);
    return std::any_of(requests.begin(), requests.end(), will) ||
           std::any_of(arriving.begin(), arriving.end(), [&](const auto& item) { return item.call && will(*item.call); });
}

std::size_t FakeClient::arrivals() const {
    if (!link_) return 0;
    const auto& items = link_->arriving;
    return static_cast<std::size_t>(
        std::count_if(items.begin(), items.end(), [&](const auto& item) { return is_heeded(item); }));
}

void FakeClient::write_behind(TextBuilder& out, const NodeTree* follower,
                              const std::function<std::size_t(std::int64_t)>& behind, bool hears_nothing, bool whole) const {
    out << "behind " << (follower ? behind(last_zxid_) : 0);
    if (link_ && !hears_nothing) {
        for (const auto& item : link_->arriving) {
            if (item.call) out << ' ' << (follower ? behind(item.zxid) : 0);
        }
    }
    const auto& ensemble = world_.ensemble;
    if (!ensemble.alive(session_id_)) return; // watches are not set again
    const auto missed = [&](const auto& key, const NodeTree& tree) { return missed_by(key, tree, last_zxid_).has_value(); };
    const auto will_be_there = [&](const std::string& path) { // before the follower accepts the client
        bool is_made = false;
        ensemble.for_each_unseen_create_by(1, [&](std::int64_t zxid, const TreeCreate& made) {
            is_made = is_made || (made.path == path && zxid <= last_zxid_);
        });
        return is_made;
    };
    for (const auto& [key, sinks] : sinks_) {
        if (!whole && is_of_claim(key.first) && !has_live_sink(key.first)) continue;
        out << ' ' << key.first << ' ' << key.second << missed(key, world_.ensemble.truth());
        const bool is_of_node = key.second != WatchKind::absent;
        if (follower) out << (missed(key, *follower) && !(is_of_node && will_be_there(key.first)));
    }
}

} // namespace docent::detail
