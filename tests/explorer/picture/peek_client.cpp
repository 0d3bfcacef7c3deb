// SPDX-License-Identifier: Apache-2.0

// Describes a client and its connection. Compiled without access control, as peek.cpp is.

#include "picture/peek.hpp"

#include "observers/text_builder.hpp"
#include "queue/acquire_driver.hpp"
#include "queue/path_waiters.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <tuple>
#include <typeinfo>

namespace docent::explorer {

using detail::TextBuilder;

namespace {

/// Returns true if the machine may still use the shared knowledge of the queue, before it has listed the queue.
bool may_ask(const detail::AcquireMachine& machine) {
    using Step = detail::AcquireMachine::Step;
    return machine.step_ == Step::verifying ||
           (machine.step_ == Step::watching && machine.ahead_.deletion == detail::Deletion::list_again);
}

/// Writes the known nodes up to the waiter's own, and whether these are all, as far as is known.
void write(TextBuilder& out, const detail::QueueSnapshot& known, const detail::PathWaiters::Registered& seat) {
    const auto& machine = static_cast<const detail::AcquireDriver&>(seat.member_).machine_;
    if (!may_ask(machine) || !machine.claim_) return;
    const auto self = known.find(machine.claim_->name());
    if (!self) return;
    out << "known";
    for (auto each = known.begin(); each <= *self; ++each) out << ' ' << each->contender.name;
    out << ' ' << (*self)->ahead << '\n';
}

void write(TextBuilder& out, const detail::PathWaiters& waiters, bool all) {
    const auto& known = *waiters.known_;
    if (!all) {
        for (const auto& seat : waiters.registered_) write(out, known, seat);
        return;
    }
    out << "known to " << waiters.size();
    for (auto each = known.begin(); each != known.queue_.end(); ++each)
        out << ' ' << each->contender.name << ' ' << each->ahead;
    out << '\n';
}

} // namespace

/// Leaves out the last value. Only a transaction in doubt needs it, and looks for it itself.
void write_marker(TextBuilder& out, const detail::TransactionMarker& marker) {
    out << "marker " << marker.path_ << ' ' << marker.made_ << marker.asked_for << " version " << marker.version_ << ' '
        << static_cast<int>(marker.last_id_) << ' ' << marker.written_ << " epoch " << marker.epoch << '\n';
}

void write_owed(TextBuilder& out, const detail::FakeClient& client, bool all_known) {
    for (const auto& entry : client.removals_.orders_) {
        out << entry.under_way << (entry.done != nullptr) << ' ' << entry.order.path;
        if (!entry.order.guid.empty()) out << " _c_" << entry.order.guid;
        out << '\n';
    }
    for (const auto& path : client.orphaned_nodes_.suspects_) out << "suspect " << path << '\n';
    for (const auto& path : client.orphaned_nodes_.unseen_) out << "unseen " << path << '\n';
    for (const auto& [type, kept] : client.kept_) {
        if (type != typeid(detail::MarkerPool)) continue;
        for (const auto& idle : static_cast<const detail::MarkerPool*>(kept.get())->idle_) {
            out << "keeps ";
            write_marker(out, idle.marker);
        }
    }
    for (const auto& [type, kept] : client.kept_) { // without creating it
        if (type != typeid(detail::AllPathWaiters)) continue;
        for (const auto& [key, weak] : static_cast<const detail::AllPathWaiters*>(kept.get())->all) {
            const auto waiters = weak.lock();
            if (waiters && waiters->known_) write(out, *waiters, all_known);
        }
    }
}

namespace {

bool is_arriving(const detail::FakeClient& client, const std::string& name) {
    if (!client.link_) return false;
    const auto& items = client.link_->arriving;
    return std::any_of(items.begin(), items.end(), [&](const auto& item) {
        const auto& listed = item.reply.children;
        return std::any_of(listed.begin(), listed.end(), [&](const auto& child) { return child.starts_with(name); });
    });
}

} // namespace

/// Knowledge of an older session does not matter: the client drops it with its next session. Doubt does not matter either,
/// because two nodes never have the same guid.
void write_known(TextBuilder& out, const detail::FakeClient& client, std::size_t length_of_trees, bool all) {
    const std::string trees(out.text().substr(0, length_of_trees)); // writing may move the text
    for (const auto& [guid, known] : client.orphaned_nodes_.known_) {
        const auto name = "_c_" + guid;
        const auto is_shown = [&](const std::string& each) {
            return trees.find(each) != std::string::npos || is_arriving(client, each);
        };
        const bool shown_is_gone = std::any_of(known.gone.begin(), known.gone.end(), is_shown); // counts as unknown
        if (!all && known.under_way == 0 && (!is_shown(name) || shown_is_gone)) continue;
        out << known.under_way;
        if (all) out << known.may_exist << known.in_doubt;
        out << ' ' << name;
        for (const auto& gone : known.gone) {
            if (all || is_shown(gone)) out << ' ' << gone;
        }
        out << '\n';
    }
}

void let_guids_be_of_one_length(detail::FakeClient& client) {
    client.guids_ = 100;
}

std::int64_t last_zxid(const detail::FakeClient& client) {
    return client.last_zxid_;
}

std::uint64_t requests_so_far(const detail::FakeClient& client) {
    return client.requests_sent_;
}

std::optional<std::uint64_t> oldest_request(const detail::FakeClient& client, std::optional<std::size_t> owner) {
    std::optional<std::uint64_t> oldest;
    const auto consider = [&](const detail::FakeClient::Call& call) {
        if ((!owner || call.owner == *owner) && (!oldest || call.number < *oldest)) oldest = call.number;
    };
    if (!client.link_) return oldest;
    for (const auto& call : client.link_->requests) consider(call);
    for (const auto& item : client.link_->arriving) {
        if (item.call) consider(*item.call);
    }
    return oldest;
}

std::optional<Asked> next_answered(const detail::FakeClient& client) {
    if (!hears_reply_next(client)) return std::nullopt;
    const auto& call = *client.link_->arriving.front().call;
    const bool is_kept =
        std::holds_alternative<zk::CreateRequest>(call.request) || std::holds_alternative<zk::SyncRequest>(call.request);
    if (!is_kept) return std::nullopt;
    return Asked{call.number, zk::path_of(call.request), call.owner};
}

std::vector<Asked> all_asked(const detail::FakeClient& client, std::optional<std::size_t> owner) {
    std::vector<Asked> all;
    const auto add = [&](const detail::FakeClient::Call& call) {
        if (!owner || call.owner == *owner) all.push_back({call.number, zk::path_of(call.request), call.owner});
    };
    if (!client.link_) return all;
    for (const auto& call : client.link_->requests) add(call);
    for (const auto& item : client.link_->arriving) {
        if (item.call) add(*item.call);
    }
    return all;
}

bool has_unheard_news(const detail::FakeClient& client) {
    using Client = detail::FakeClient;
    if (!client.can_deliver() || !client.link_->arriving.front().event) return false;
    const auto& event = *client.link_->arriving.front().event;
    return std::none_of(client.sinks_.begin(), client.sinks_.end(), [&](const auto& entry) {
        const auto& [key, sinks] = entry;
        const bool concerned = key.first == event.path && Client::concerns(event.type, key.second);
        return concerned && std::any_of(sinks.begin(), sinks.end(), [](const auto& each) { return !each.weak.expired(); });
    });
}

bool hears_reply_next(const detail::FakeClient& client) {
    return client.can_deliver() && client.link_->arriving.front().call.has_value();
}

bool hears_end_next(const detail::FakeClient& client) {
    return client.can_deliver() && !client.link_->arriving.front().call && !client.link_->arriving.front().event;
}

const zk::Request* next_request(const detail::FakeClient& client) {
    return client.has_requests() ? &client.link_->requests.front().request : nullptr;
}

std::vector<std::string> watched_paths(const detail::FakeClient& client) {
    std::vector<std::string> paths;
    if (!client.link_) return paths;
    for (const auto& [path, kind] : client.link_->watches) {
        if (client.is_heeded(path)) paths.push_back(path);
    }
    return paths;
}

bool asks_about(const detail::FakeClient& client, const std::string& path) {
    const auto& sinks = client.sinks_;
    const bool is_watched =
        std::any_of(sinks.begin(), sinks.end(), [&](const auto& entry) { return entry.first.first == path; });
    if (is_watched && (!client.is_of_claim(path) || client.has_live_sink(path))) return true;
    if (!client.link_) return false;
    const auto is_about = [&](const detail::FakeClient::Call& call) {
        return !zk::passes_leader(call.request) && zk::path_of(call.request) == path;
    };
    for (const auto& call : client.link_->requests) {
        if (is_about(call)) return true;
        if (zk::passes_leader(call.request)) break; // the follower is up to date before it handles the requests behind
    }
    const auto& arriving = client.link_->arriving; // a reply sets a watch
    return std::any_of(arriving.begin(), arriving.end(), [&](const auto& item) { return item.call && is_about(*item.call); });
}

bool is_own(const detail::FakeClient& client, const std::string& path) {
    return !client.own_guid(node_name(path)).empty();
}

std::set<const void*> watches_ahead(const detail::FakeClient& client) {
    std::set<const void*> watches;
    for (const auto& [type, kept] : client.kept_) {
        if (type != typeid(detail::AllPathWaiters)) continue;
        for (const auto& [key, weak] : static_cast<const detail::AllPathWaiters*>(kept.get())->all) {
            const auto waiters = weak.lock();
            if (!waiters) continue;
            for (const auto& seat : waiters->registered_) {
                watches.insert(static_cast<const detail::AcquireDriver&>(seat.member_).ahead_watch_.get());
            }
        }
    }
    return watches;
}

bool only_removes(const detail::FakeClient& client) {
    const auto& orders = client.removals_.orders_;
    const auto& requests = client.link_->requests;
    return client.link_->arriving.empty() && client.orphaned_nodes_.suspects_.empty() &&
           client.orphaned_nodes_.unseen_.empty() &&
           std::all_of(orders.begin(), orders.end(), [](const auto& entry) { return entry.order.guid.empty(); }) &&
           std::all_of(requests.begin(), requests.end(),
                       [](const auto& call) { return std::holds_alternative<zk::RemoveRequest>(call.request); });
}

bool watches_others(const detail::FakeClient& client) {
    const auto& watches = client.link_->watches;
    return !std::all_of(watches.begin(), watches.end(), [&](const auto& watch) {
        return client.has_node(watch.first) || (client.is_of_claim(watch.first) && !client.is_heeded(watch.first));
    });
}

bool watches_list(const detail::FakeClient& client, const std::string& path) {
    const auto& sinks = client.sinks_;
    if (std::any_of(sinks.begin(), sinks.end(), [&](const auto& entry) { return entry.first.first == path; })) return true;
    if (!client.link_) return false;
    const auto will = [&](const detail::FakeClient::Call& call) {
        const auto* const list = std::get_if<zk::ChildrenRequest>(&call.request);
        return list && list->watch && list->path == path;
    };
    const auto& [requests, arriving] = std::tie(client.link_->requests, client.link_->arriving);
    return std::any_of(requests.begin(), requests.end(), will) ||
           std::any_of(arriving.begin(), arriving.end(), [&](const auto& item) { return item.call && will(*item.call); });
}

std::size_t arrivals(const detail::FakeClient& client) {
    if (!client.link_) return 0;
    const auto& items = client.link_->arriving;
    return static_cast<std::size_t>(
        std::count_if(items.begin(), items.end(), [&](const auto& item) { return client.is_heeded(item); }));
}

void write_behind(TextBuilder& out, const detail::FakeClient& client, const detail::FakeTree* follower,
                  const std::function<std::size_t(std::int64_t)>& behind, bool hears_nothing, bool whole) {
    out << "behind " << (follower ? behind(client.last_zxid_) : 0);
    if (client.link_ && !hears_nothing) {
        for (const auto& item : client.link_->arriving) {
            if (item.call) out << ' ' << (follower ? behind(item.zxid) : 0);
        }
    }
    const auto& ensemble = client.world_.ensemble;
    if (!ensemble.alive(client.session_id_)) return; // watches are not set again
    const auto missed = [&](const auto& key, const detail::FakeTree& tree) {
        return client.missed_by(key, tree, client.last_zxid_).has_value();
    };
    const auto will_be_there = [&](const std::string& path) { // before the follower accepts the client
        bool is_made = false;
        ensemble.for_each_unseen_by(1, [&](std::int64_t zxid, const detail::FakeTxn& change) {
            const auto* const made = std::get_if<detail::FakeCreate>(&change);
            is_made = is_made || (made && made->path == path && zxid <= client.last_zxid_);
        });
        return is_made;
    };
    for (const auto& [key, sinks] : client.sinks_) {
        if (!whole && client.is_of_claim(key.first) && !client.has_live_sink(key.first)) continue;
        out << ' ' << key.first << ' ' << key.second << missed(key, client.world_.ensemble.truth());
        const bool is_of_node = key.second != detail::FakeClient::WatchKind::absent;
        if (follower) out << (missed(key, *follower) && !(is_of_node && will_be_there(key.first)));
    }
}

} // namespace docent::explorer
