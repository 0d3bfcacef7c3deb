// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/inspection.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"
#include "inspection/inspection.hpp"
#include "names/node_name.hpp"
#include "queue/contender.hpp"

#include <docent/client.hpp>
#include <docent/path.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace docent {
namespace detail {
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

namespace {

void append_found(Inspection& all, Classified found, const std::string& below) {
    std::move(found.participants.begin(), found.participants.end(), std::back_inserter(all.participants));
    for (const std::string& name : found.strangers) all.strangers.push_back(below + name);
}

/// Lists a recipe's path (of a semaphore, also its gate and leases), and then reads all nodes at once.
class InspectOperation final : public SequenceOperation<Inspection> {
public:
    InspectOperation(std::shared_ptr<ClientView> view, std::string path, OtherNamesPtr others, Done<Inspection> done)
        : SequenceOperation(std::move(done)), view_(std::move(view)), path_(std::move(path)), others_(std::move(others)) {}

private:
    using Replies = RequestsOperation::Replies;

    std::shared_ptr<Operation> first() override {
        return std::make_shared<RequestOperation>(
            view_, zk::ChildrenRequest{path_},
            [self = self<InspectOperation>()](error_code ec, const zk::Reply& reply) { self->on_listed(ec, reply); });
    }
    void on_listed(error_code ec, const zk::Reply& reply) {
        if (ec) return finish(ec, {});
        Classified found = classify(path_, ChildrenOf::path, reply.children, others_);
        const bool is_semaphore = found.is_semaphore;
        append_found(found_, std::move(found), {});
        is_semaphore ? list_semaphore() : read_nodes();
    }

    void list_semaphore() {
        ask({zk::ChildrenRequest{join_path(path_, leases_name)}, zk::ChildrenRequest{join_path(path_, gate_name)}},
            {server_error::no_node}, &InspectOperation::on_semaphore);
    }
    void on_semaphore(Replies replies) {
        for (const ChildrenOf which : {ChildrenOf::leases, ChildrenOf::gate}) {
            const std::string below = which == ChildrenOf::leases ? leases_name : gate_name;
            const zk::Reply& reply = replies[which == ChildrenOf::leases ? 0 : 1];
            if (!reply.ec) append_found(found_, classify(join_path(path_, below), which, reply.children), below + "/");
        }
        read_nodes();
    }

    void read_nodes() {
        std::vector<zk::Request> requests;
        for (const Participant& participant : found_.participants) requests.emplace_back(zk::GetRequest{participant.node_path});
        ask(std::move(requests), {server_error::no_node, server_error::no_auth}, &InspectOperation::on_read);
    }
    void on_read(Replies replies) {
        std::vector<zk::Request> unreadable; // servers before 3.8.4 and 3.9.2 return the Stat without the READ permission
        for (std::size_t i = 0; i < replies.size(); ++i) {
            Participant& each = found_.participants[i];
            each.readable = !replies[i].ec;
            if (each.readable) set_data(each, std::move(replies[i]));
            else if (replies[i].ec == server_error::no_node) each.node_path.clear(); // marks a node that is gone
            else unreadable.emplace_back(zk::ExistsRequest{each.node_path});
        }
        ask(std::move(unreadable), {server_error::no_node, server_error::no_auth}, &InspectOperation::on_unreadable);
    }
    void on_unreadable(Replies replies) {
        auto reply = replies.begin();
        for (Participant& each : found_.participants) {
            if (each.readable || each.node_path.empty()) continue;
            if (reply->ec == server_error::no_node) each.node_path.clear();
            else if (!reply->ec) set_stat(each, reply->stat);
            ++reply;
        }
        std::erase_if(found_.participants, [](const Participant& each) { return each.node_path.empty(); });
        finish({}, std::move(found_));
    }
    void set_data(Participant& participant, zk::Reply reply) {
        // Data that cannot be decompressed is shown unchanged.
        static_cast<void>(decode_data(view_->config(), participant.node_path, Compression::client_default, reply.data));
        OwnedData owned = split_owner(std::move(reply.data));
        participant.data = std::move(owned.data);
        participant.owner = std::move(owned.owner);
        set_stat(participant, reply.stat);
    }
    static void set_stat(Participant& participant, const Stat& stat) {
        participant.session_id = stat.ephemeral_owner;
        participant.fencing_token = stat.czxid;
        participant.created = stat.ctime;
    }

    void ask(std::vector<zk::Request> requests, std::vector<error_code> accepted, void (InspectOperation::*next)(Replies)) {
        continue_with(
            std::make_shared<RequestsOperation>(view_, std::move(requests), std::move(accepted),
                                                [self = self<InspectOperation>(), next](error_code ec, Replies replies) {
                                                    ec ? self->finish(ec, {}) : (*self.*next)(std::move(replies));
                                                }));
    }

    const std::shared_ptr<ClientView> view_;
    const std::string path_;
    const OtherNamesPtr others_;
    Inspection found_;
};

} // namespace

std::shared_ptr<Operation> make_inspection(std::shared_ptr<ClientView> view, std::string path, OtherNamesPtr others,
                                           Done<Inspection> done) {
    return std::make_shared<InspectOperation>(std::move(view), std::move(path), std::move(others), std::move(done));
}

const std::shared_ptr<ClientView>& view_of(Client& client) {
    return Access::view(client);
}

void initiate_inspect(const std::shared_ptr<ClientView>& view, std::string path, InspectOptions options, CallOptions call,
                      Handler<Inspection> handler) {
    const auto make = [&](const std::shared_ptr<ClientView>& observed, Done<Inspection> done) -> std::shared_ptr<Operation> {
        try {
            auto others = make_other_names(std::move(options.others), path);
            return make_inspection(observed, path, std::move(others), std::move(done));
        } catch (const Error& refused) {
            return std::make_shared<Refusal>([done = std::move(done), ec = refused.code()] { done(ec, {}); });
        }
    };
    launch<Inspection>(view, {"inspect", path}, std::move(call), std::move(handler), make);
}

} // namespace detail

std::string_view to_string(RecipeKind kind) noexcept {
    switch (kind) {
    case RecipeKind::mutex: return "mutex";
    case RecipeKind::read_write_lock: return "read_write_lock";
    case RecipeKind::semaphore: return "semaphore";
    case RecipeKind::leader_latch: return "leader_latch";
    }
    return "unknown";
}

std::string_view to_string(ParticipantKind kind) noexcept {
    switch (kind) {
    case ParticipantKind::lock: return "lock";
    case ParticipantKind::read: return "read";
    case ParticipantKind::write: return "write";
    case ParticipantKind::lease: return "lease";
    case ParticipantKind::latch: return "latch";
    }
    return "unknown";
}

Inspection inspect_names(std::string_view path, const RecipeChildren& names, InspectOptions options) {
    const std::string at(path);
    Inspection result;
    detail::append_found(
        result,
        detail::classify(at, detail::ChildrenOf::path, names.children, detail::make_other_names(std::move(options.others), at)),
        {});
    const auto part = [&](std::string_view name, detail::ChildrenOf which, const std::vector<std::string>& children) {
        if (children.empty()) return;
        detail::append_found(result, detail::classify(join_path(at, name), which, children), std::string(name) + "/");
    };
    part(detail::leases_name, detail::ChildrenOf::leases, names.leases);
    part(detail::gate_name, detail::ChildrenOf::gate, names.gate);
    return result;
}

Inspection inspect(Client& client, std::string_view path, InspectOptions options, error_code& ec, CallOptions call) {
    return detail::block<Inspection>(detail::view_of(client), std::move(call), ec, detail::initiate_inspect,
                                     detail::view_of(client), std::string(path), options);
}

Inspection inspect(Client& client, std::string_view path, InspectOptions options, CallOptions call) {
    return detail::throwing_at("inspect", path,
                               [&](error_code& ec) { return inspect(client, path, std::move(options), ec, std::move(call)); });
}

Inspection inspect(Client& client, std::string_view path, error_code& ec, CallOptions call) {
    return inspect(client, path, InspectOptions{}, ec, std::move(call));
}

Inspection inspect(Client& client, std::string_view path, CallOptions call) {
    return inspect(client, path, InspectOptions{}, std::move(call));
}

} // namespace docent
