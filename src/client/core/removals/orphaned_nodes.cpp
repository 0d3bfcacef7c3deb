// SPDX-License-Identifier: Apache-2.0
#include "client/core/removals/orphaned_nodes.hpp"

#include "base/time_over.hpp"
#include "base/while_alive.hpp"

#include <docent/path.hpp>

#include <bit>
#include <iterator>
#include <utility>

namespace docent::detail {
namespace {

constexpr int most_beats = 32; // heartbeats; two session timeouts or more

/// False for nodes that are not sequential, and for the path in a create request.
bool ends_with_number(std::string_view path) {
    return path.back() >= '0' && path.back() <= '9';
}

} // namespace

// ---- requests and replies

/// Calls `function` with the reply, then `handler`.
template <typename Function> zk::ReplyHandler OrphanedNodes::before(Function function, zk::ReplyHandler handler) {
    return [weak = std::weak_ptr(alive_), function = std::move(function), handler = std::move(handler)](zk::Reply&& reply) {
        if (weak.lock()) function(reply);
        handler(std::move(reply));
    };
}

zk::ReplyHandler OrphanedNodes::observed(const zk::Request& request, zk::ReplyHandler handler) {
    if (const auto* multi = std::get_if<zk::MultiRequest>(&request)) return observed_multi(*multi, std::move(handler));
    if (const auto* list = std::get_if<zk::ChildrenRequest>(&request)) {
        auto scan = [this, path = list->path](const zk::Reply& reply) { on_listed(path, reply.children); };
        return before(std::move(scan), std::move(handler));
    }
    if (const auto* create = std::get_if<zk::CreateRequest>(&request)) {
        const std::string_view guid = own_guid_in(create->path);
        if (guid.empty()) return handler;
        on_sent(create->path);
        auto learn = [this, guid = std::string(guid)](const zk::Reply& reply) { on_create_answered(guid, reply.ec); };
        return before(std::move(learn), std::move(handler));
    }
    if (const auto* remove = std::get_if<zk::RemoveRequest>(&request)) {
        if (own_guid_in(remove->path).empty()) return handler;
        auto learn = [this, path = remove->path](const zk::Reply& reply) { on_remove_answered(path, reply.ec); };
        return before(std::move(learn), std::move(handler));
    }
    return handler;
}

zk::ReplyHandler OrphanedNodes::observed_multi(const zk::MultiRequest& request, zk::ReplyHandler handler) {
    std::vector<std::string> made;
    std::vector<std::string> removed;
    for (const zk::MultiOperation& operation : request.operations) {
        const auto* create = std::get_if<zk::CreateRequest>(&operation);
        const auto* remove = std::get_if<zk::RemoveRequest>(&operation);
        if (create && !own_guid_in(create->path).empty()) made.push_back(create->path);
        if (remove && !own_guid_in(remove->path).empty()) removed.push_back(remove->path);
    }
    if (made.empty() && removed.empty()) return handler;
    for (const std::string& path : made) on_sent(path);
    auto learn = [this, made = std::move(made), removed = std::move(removed)](const zk::Reply& reply) {
        for (const std::string& path : made) on_create_answered(own_guid_in(path), reply.ec);
        if (reply.ec) return; // nothing was applied, or that is not known
        for (const std::string& path : removed) on_gone(path);
    };
    return before(std::move(learn), std::move(handler));
}

void OrphanedNodes::on_sent(const std::string& path) {
    Known& known = known_[std::string(own_guid_in(path))];
    known.epoch = session_.epoch;
    ++known.under_way;
}

void OrphanedNodes::on_create_answered(std::string_view guid, const error_code& ec) {
    const auto found = known_.find(guid);
    if (found == known_.end()) return;
    Known& known = found->second;
    --known.under_way;
    const bool lost = ec == condition::outcome_unknown || ec == condition::session_ended;
    known.in_doubt = known.in_doubt || lost;
    // If the node exists, an earlier create with a lost reply has made it.
    known.may_exist = known.may_exist || !ec || lost || ec == server_error::node_exists;
    if (known.under_way == 0 && !known.may_exist) known_.erase(found);
}

void OrphanedNodes::on_remove_answered(const std::string& path, const error_code& ec) {
    if (!is_gone(ec)) return; // a node that the client may not remove stays in suspects_: no new look
    suspects_.erase(path);
    on_gone(path);
}

void OrphanedNodes::on_gone(std::string_view path) {
    remember_place(parent_path(path));
    const auto found = known_.find(own_guid_in(path));
    if (found == known_.end()) return;
    Known& known = found->second;
    const bool may_be_one_of_two = known.in_doubt && ends_with_number(path);
    if (!may_be_one_of_two && known.under_way == 0) known_.erase(found);
    else known.gone.emplace(node_name(path));
}

void OrphanedNodes::remember_place(std::string_view parent) {
    if (const auto found = place_of_.find(parent); found != place_of_.end()) {
        return places_.splice(places_.begin(), places_, found->second);
    }
    if (places_.size() == most_places) {
        place_of_.erase(places_.back());
        places_.pop_back();
    }
    places_.emplace_front(parent);
    place_of_.emplace(places_.front(), places_.begin());
}

void OrphanedNodes::on_guid_gone(std::string_view path, std::string_view guid) {
    remember_place(path); // the node may have been created, and removed by another client
    late_.insert_or_assign(std::string(path), 0);
    const auto found = known_.find(guid);
    if (found != known_.end() && found->second.under_way == 0) known_.erase(found);
}

// ---- orphaned nodes

void OrphanedNodes::on_connected(const SessionEvent& event) {
    const bool same_session = event.epoch == session_.epoch;
    session_ = event;
    if (same_session) return;
    place_of_.clear();
    places_.clear();
    suspects_.clear();
    unseen_.clear();
    late_.clear();
    std::erase_if(known_, [&](const auto& entry) { return entry.second.epoch < event.epoch && entry.second.under_way == 0; });
}

void OrphanedNodes::look() {
    unseen_ = {places_.begin(), places_.end()};
    on_heartbeat();
}

void OrphanedNodes::on_heartbeat() {
    for (const std::string& place : std::exchange(unseen_, {})) look_at(place);
}

void OrphanedNodes::look_late() {
    std::vector<std::string> due;
    for (auto late = late_.begin(); late != late_.end();) {
        const int beats = ++late->second;
        if (std::has_single_bit(static_cast<unsigned>(beats))) due.push_back(late->first);
        late = beats == most_beats ? late_.erase(late) : std::next(late);
    }
    for (const std::string& place : due) look_at(place);
}

void OrphanedNodes::look_at(const std::string& place) {
    const auto on_reply = [this, place](const zk::Reply& reply) {
        if (is_lost(reply.ec)) unseen_.insert(place);
    };
    client_.submit(zk::ChildrenRequest{place}, while_alive(std::weak_ptr(alive_), on_reply));
}

void OrphanedNodes::on_listed(const std::string& path, const std::vector<std::string>& children) {
    for (const std::string& child : children) {
        if (client_.own_guid(child).empty()) continue;
        std::string suspect = join_path(path, child);
        if (is_known(suspect) || !suspects_.insert(suspect).second) continue;
        const auto on_reply = [this, suspect](const zk::Reply& reply) { on_looked(suspect, reply); };
        client_.submit(zk::ExistsRequest{suspect}, while_alive(std::weak_ptr(alive_), on_reply));
    }
}

void OrphanedNodes::on_looked(const std::string& path, const zk::Reply& reply) {
    // If the node may not be read, the mark in its name is enough: no client needs a node with this client's mark that this
    // client does not know.
    const bool unreadable = reply.ec == server_error::no_auth;
    const bool of_session = !reply.ec && reply.stat.ephemeral_owner == session_.session_id;
    const bool is_ours = (of_session || unreadable) && !is_known(path);
    if (is_ours && suspects_.contains(path)) client_.remove(path);
    else suspects_.erase(path);
    if (is_lost(reply.ec)) unseen_.insert(std::string(parent_path(path)));
}

bool OrphanedNodes::is_known(std::string_view path) const {
    const auto found = known_.find(own_guid_in(path));
    return found != known_.end() && !found->second.gone.contains(node_name(path));
}

std::string_view OrphanedNodes::own_guid_in(std::string_view path) const {
    return client_.own_guid(node_name(path));
}

} // namespace docent::detail
