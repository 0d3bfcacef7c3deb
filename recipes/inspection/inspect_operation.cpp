// SPDX-License-Identifier: Apache-2.0

#include "inspection/inspect_operation.hpp"
#include "client/data/data_codec.hpp"
#include "names/node_name.hpp"
#include "queue/contender.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace docent::detail {
namespace {

struct RecipeNames {
    RecipeKind recipe;
    QueueNames names;
};

/// Whether the names at this path belong to a read/write lock.
bool has_readers_and_writers(const QueueNames& all, const std::vector<std::string>& children) {
    return std::any_of(children.begin(), children.end(), [&](const std::string& child) {
        const auto name = parse_node_name(all, child);
        return name && (name->token.kind == ContenderKind::shared || name->token == write_token);
    });
}

/// The recipes of a path. Other libraries' nodes count for the recipe whose queue they are in.
std::vector<RecipeNames> recipes_at(ChildrenOf which, const std::vector<std::string>& children, const OtherNamesPtr& others) {
    switch (which) {
    case ChildrenOf::path: {
        const QueueNames shared = read_write_names().beside(others);
        const bool in_shared = has_readers_and_writers(shared, children);
        return {{RecipeKind::mutex, in_shared ? mutex_names() : mutex_names().beside(others)},
                {RecipeKind::read_write_lock, in_shared ? shared : read_write_names()},
                {RecipeKind::leader_latch, latch_names()}};
    }
    case ChildrenOf::gate: return {{RecipeKind::semaphore, mutex_names()}};
    case ChildrenOf::leases: return {{RecipeKind::semaphore, lease_names()}};
    }
    return {};
}

ParticipantKind kind_of(RecipeKind recipe, ChildrenOf which, const Contender& contender) {
    if (which == ChildrenOf::leases) return ParticipantKind::lease;
    if (recipe == RecipeKind::leader_latch) return ParticipantKind::latch;
    if (recipe != RecipeKind::read_write_lock) return ParticipantKind::lock;
    return contender.kind == ContenderKind::shared ? ParticipantKind::read : ParticipantKind::write;
}

bool belongs_to(const std::vector<RecipeNames>& recipes, const std::string& child) {
    return std::any_of(recipes.begin(), recipes.end(),
                       [&](const auto& recipe) { return parse_node_name(recipe.names, child).has_value(); });
}

} // namespace

Classified classify(const std::string& path, ChildrenOf which, const std::vector<std::string>& children,
                    const OtherNamesPtr& others) {
    Classified result;
    const auto recipes = recipes_at(which, children, others);
    for (const auto& [recipe, names] : recipes) {
        bool writer_ahead = false;
        std::size_t position = 0;
        for (const Contender& contender : sorted_queue(names, children)) {
            const bool shares = contender.kind == ContenderKind::shared;
            const bool holds = which != ChildrenOf::gate && (position == 0 || (shares && !writer_ahead));
            result.participants.push_back({.recipe = recipe,
                                           .kind = kind_of(recipe, which, contender),
                                           .node_path = join_path(path, contender.name),
                                           .position = position++,
                                           .holds = holds,
                                           .data = {},
                                           .session_id = 0,
                                           .fencing_token = 0,
                                           .created = 0,
                                           .owner = {}});
            writer_ahead = writer_ahead || !shares;
        }
    }
    for (const std::string& child : children) {
        const bool part_of_semaphore = which == ChildrenOf::path && (child == gate_name || child == leases_name);
        result.is_semaphore = result.is_semaphore || part_of_semaphore;
        if (!part_of_semaphore && !belongs_to(recipes, child)) result.strangers.push_back(child);
    }
    std::sort(result.strangers.begin(), result.strangers.end());
    return result;
}

void InspectOperation::begin() {
    ask({zk::ChildrenRequest{path_}}, &InspectOperation::on_path, &InspectOperation::list_semaphore);
}

void InspectOperation::abort(error_code ec) {
    const auto under_way = std::exchange(under_way_, {});
    finish(ec);
    for (const auto& request : under_way) request->abort(ec);
}

void InspectOperation::ask(std::vector<zk::Request> requests, OnReply on_reply, void (InspectOperation::*then)()) {
    under_way_.clear();
    open_ = requests.size();
    if (requests.empty()) return (this->*then)();
    for (std::size_t i = 0; i < requests.size(); ++i) {
        under_way_.push_back(std::make_shared<RequestOperation>(
            view_, std::move(requests[i]),
            [self = shared_from_this(), this, i, on_reply, then](error_code ec, zk::Reply reply) {
                if (!done_) return;
                const bool unreadable = ec == server_error::no_auth && on_reply != &InspectOperation::on_path &&
                                        on_reply != &InspectOperation::on_semaphore;
                if (ec && ec != server_error::no_node && !unreadable) return abort(ec);
                reply.ec = ec;
                if (ec != server_error::no_node) (this->*on_reply)(i, reply);
                if (--open_ == 0) (this->*then)();
            }));
    }
    for (const auto& request : std::vector(under_way_)) request->begin();
}

void InspectOperation::on_path(std::size_t, zk::Reply& reply) {
    exists_ = true;
    add(classify(path_, ChildrenOf::path, reply.children, others_), {});
}

void InspectOperation::list_semaphore() {
    if (!exists_) return finish(server_error::no_node);
    if (!is_semaphore_) return read_nodes();
    ask({zk::ChildrenRequest{join_path(path_, leases_name)}, zk::ChildrenRequest{join_path(path_, gate_name)}},
        &InspectOperation::on_semaphore, &InspectOperation::read_nodes);
}

void InspectOperation::on_semaphore(std::size_t index, zk::Reply& reply) {
    const std::string below = index == 0 ? leases_name : gate_name;
    add(classify(join_path(path_, below), index == 0 ? ChildrenOf::leases : ChildrenOf::gate, reply.children), below + "/");
}

void InspectOperation::add(Classified found, const std::string& below) {
    is_semaphore_ = is_semaphore_ || found.is_semaphore;
    std::move(found.participants.begin(), found.participants.end(), std::back_inserter(found_.participants));
    for (const std::string& name : found.strangers) found_.strangers.push_back(below + name);
}

void InspectOperation::read_nodes() {
    std::vector<zk::Request> requests;
    for (const Participant& participant : found_.participants) requests.emplace_back(zk::GetRequest{participant.node_path});
    gone_.assign(requests.size(), true);
    ask(std::move(requests), &InspectOperation::on_node, &InspectOperation::look_at_unreadable);
}

void InspectOperation::on_node(std::size_t index, zk::Reply& reply) {
    Participant& participant = found_.participants[index];
    if (reply.ec) {
        participant.readable = false;
        return unreadable_.push_back(index);
    }
    gone_[index] = false;
    participant.data = std::move(reply.data);
    // Data that cannot be decompressed is shown unchanged.
    static_cast<void>(decode_data(view_->config(), participant.node_path, Compression::client_default, participant.data));
    OwnedData owned = split_owner(std::move(participant.data));
    participant.data = std::move(owned.data);
    participant.owner = std::move(owned.owner);
    set_stat(participant, reply.stat);
}

void InspectOperation::look_at_unreadable() {
    std::vector<zk::Request> requests;
    for (const std::size_t index : unreadable_) requests.emplace_back(zk::ExistsRequest{found_.participants[index].node_path});
    ask(std::move(requests), &InspectOperation::on_unreadable, &InspectOperation::complete);
}

void InspectOperation::on_unreadable(std::size_t index, zk::Reply& reply) {
    gone_[unreadable_[index]] = false;
    if (!reply.ec) set_stat(found_.participants[unreadable_[index]], reply.stat);
}

void InspectOperation::set_stat(Participant& participant, const Stat& stat) {
    participant.session_id = stat.ephemeral_owner;
    participant.fencing_token = stat.czxid;
    participant.created = stat.ctime;
}

void InspectOperation::complete() {
    Inspection result{{}, std::move(found_.strangers)};
    for (std::size_t i = 0; i < gone_.size(); ++i) {
        if (!gone_[i]) result.participants.push_back(std::move(found_.participants[i]));
    }
    finish({}, std::move(result));
}

void InspectOperation::finish(error_code ec, Inspection inspection) {
    if (done_) std::exchange(done_, nullptr)(ec, std::move(inspection));
}

} // namespace docent::detail
