// SPDX-License-Identifier: Apache-2.0

#include "client/operations/create_operation.hpp"
#include "base/protection.hpp"
#include "base/time_over.hpp"
#include "client/core/parents/parents.hpp"
#include "zk/request_check.hpp"

#include <docent/path.hpp>

#include <utility>

namespace docent::detail {

CreateMachine::CreateMachine(Plan plan, RetryBudget budget, NewGuid new_guid)
    : plan_(std::move(plan)), budget_(budget), new_guid_(std::move(new_guid)) {}

CreateActions CreateMachine::start(Session session) {
    session_ = session;
    budget_.leaves_session(session.epoch); // the first try
    if (plan_.is_protected) guid_ = new_guid_();
    return send(false);
}

CreateActions CreateMachine::on_created(error_code ec, std::string path, const Stat& stat, steady_clock::time_point now,
                                        std::uint64_t random) {
    if (!ec) return {FinishCreate{{}, std::move(path), stat}};
    if (ec == server_error::no_node && parents_made_ < plan_.parent_attempts) {
        ++parents_made_;
        return send(true);
    }
    if (ec == error::not_connected) return again(ec, in_doubt_ && plan_.is_protected ? Next::find : Next::create, now, random);
    if (is_lost(ec)) {
        in_doubt_ = in_doubt_ || ec == condition::outcome_unknown;
        if (plan_.is_protected) return again(ec, Next::find, now, random);
        const bool node_gone = ec == server_error::session_expired && is_ephemeral(plan_.mode);
        if (node_gone || is_sequential(plan_.mode)) return finish(ec);
        return again(ec, Next::create, now, random);
    }
    // An earlier create of this call, with a lost reply, may have made the node. An ephemeral node shows this by its owner.
    if (ec == server_error::node_exists && in_doubt_ && is_ephemeral(plan_.mode)) {
        found_ = node_path();
        last_error_ = ec;
        return {ReadCreated{found_}};
    }
    return finish(ec);
}

CreateActions CreateMachine::on_found(error_code ec, const std::vector<std::string>& children, steady_clock::time_point now,
                                      std::uint64_t random) {
    if (is_lost(ec)) return again(ec, Next::find, now, random);
    if (ec && ec != server_error::no_node) return finish(ec);
    in_doubt_ = false; // the list after the sync shows the outcome
    const auto found = ec ? std::vector<std::string>() : find_protected(children, guid_);
    if (found.empty()) return send(false);
    found_ = join_path(parent(), found.front());
    return {ReadCreated{found_}};
}

CreateActions CreateMachine::on_read(error_code ec, const Stat& stat, steady_clock::time_point now, std::uint64_t random,
                                     bool is_anothers) {
    if (is_lost(ec)) return again(ec, Next::read, now, random);
    if (ec == server_error::no_auth) return on_unreadable();
    const bool ours = !ec && (!is_ephemeral(plan_.mode) || (stat.ephemeral_owner == session_.id && !is_anothers));
    if (ours) return {FinishCreate{{}, found_, stat}};
    if (!guid_.empty()) return ec == server_error::no_node ? send(false) : finish(ec ? ec : server_error::session_expired);
    return finish(ec && ec != server_error::no_node ? ec : last_error_);
}

/// The node exists, but its owner may not be read. A GUID belongs to this call and this session only (see on_connected()).
CreateActions CreateMachine::on_unreadable() {
    if (guid_.empty()) return finish(server_error::connection_loss); // this call's own create may have made it
    Stat stat;
    if (is_ephemeral(plan_.mode)) stat.ephemeral_owner = session_.id;
    return {FinishCreate{{}, found_, stat}};
}

CreateActions CreateMachine::on_connected(Session session) {
    const bool new_session = std::exchange(session_, session).epoch != session.epoch;
    if (new_session && is_ephemeral(plan_.mode)) {
        in_doubt_ = false; // the earlier create belongs to the earlier session (CURATOR-498)
        if (guid_.empty()) return send(false);
        CreateActions actions{AbandonCreated{parent(), std::exchange(guid_, new_guid_())}}; // creates under another name
        for (CreateAction& action : send(false)) actions.push_back(std::move(action));
        return actions;
    }
    switch (next_) {
    case Next::create: return send(false);
    case Next::find: return {FindCreated{parent()}};
    case Next::read: return {ReadCreated{found_}};
    }
    return {};
}

CreateActions CreateMachine::on_abandoned(error_code ec) {
    // A create may still be under way.
    if (!guid_.empty()) return {AbandonCreated{parent(), guid_}, FinishCreate{ec}};
    return {FinishCreate{ec}};
}

CreateActions CreateMachine::send(bool with_parents) {
    next_ = Next::create;
    found_.clear();
    return {SendCreate{node_path(), with_parents}};
}

CreateActions CreateMachine::again(error_code ec, Next next, steady_clock::time_point now, std::uint64_t random) {
    next_ = next;
    last_error_ = ec;
    // A create that was not sent does not count as a try. The wait for a connection has its own limit.
    if (ec == error::not_connected) return {PauseCreate{}};
    if (ec == server_error::auth_failed) return finish(ec);
    const auto pause = budget_.next(ec, now, random);
    if (!pause) return finish(ec);
    return {PauseCreate{*pause}};
}

CreateActions CreateMachine::finish(error_code ec) {
    ec = with_doubt(ec, in_doubt_);
    if (in_doubt_ && !guid_.empty()) return {AbandonCreated{parent(), guid_}, FinishCreate{ec}};
    return {FinishCreate{ec}};
}

std::string CreateMachine::node_path() const {
    return guid_.empty() ? plan_.path : protected_path(plan_.path, guid_);
}

std::string CreateMachine::parent() const {
    return std::string(parent_path(plan_.path));
}

namespace {

// The limit of attempts to create the parents. A server may remove an empty parent before the node's create arrives.
constexpr int parent_attempts = 10;

} // namespace

CreateOperation::CreateOperation(std::shared_ptr<ClientView> view, zk::CreateRequest request, CreateOptions options,
                                 Done<Created> done, std::optional<RetryBudget> budget)
    : ConnectedOperation(std::move(view), std::move(done)), request_(std::move(request)), options_(std::move(options)),
      budget_(budget) {}

void CreateOperation::begin() {
    when_connected([this] {
        // A protected node may have a valid path although the caller's is invalid: `//b` would be in the root.
        if (const error_code ec = zk::check_paths(request_)) return finish(ec, {});
        // The client creates a missing prefix in any case.
        const int attempts = options_.parents != Parents::fail ? parent_attempts : view_->has_prefix() ? 1 : 0;
        machine_.emplace(
            CreateMachine::Plan{request_.path, request_.mode, options_.protection == Protection::protected_, attempts},
            budget_.value_or(RetryBudget(view_->retry_policy(), view_->now())), [view = view_] { return view->new_guid(); });
        const bool has_own_name = options_.protection == Protection::protected_ || is_sequential(request_.mode);
        if (is_ephemeral(request_.mode) && !has_own_name) registration_.emplace(*view_, request_.path);
        perform(machine_->start(session()));
    });
}

void CreateOperation::abort(error_code ec) {
    if (!is_open()) return;
    perform(machine_ && sent_ ? machine_->on_abandoned(ec) : CreateActions{FinishCreate{ec}});
}

void CreateOperation::perform(CreateActions actions) {
    for (CreateAction& action : actions) {
        std::visit([this](auto& a) { act(std::move(a)); }, action);
    }
}

void CreateOperation::act(SendCreate action) {
    SharedParentAnswers parents;
    if (action.with_parents) parents = submit_parents(*view_, action.path, options_.parents, options_.parents_acl);
    zk::CreateRequest request = request_;
    request.path = std::move(action.path);
    ask_for_change(std::move(request), [this, parents](zk::Reply&& reply) {
        const error_code ec = error_of_create(*view_, reply.ec, parents);
        if (ec != reply.ec) refused_parent_ = parents->refusal()->path;
        perform(machine_->on_created(ec, std::move(reply.path), reply.stat, view_->now(), view_->random()));
    });
}

void CreateOperation::act(FindCreated action) {
    ask_synced(zk::ChildrenRequest{action.parent}, [this](const zk::Reply& reply) {
        perform(machine_->on_found(reply.ec, reply.children, view_->now(), view_->random()));
    });
}

void CreateOperation::act(ReadCreated action) {
    // Since 3.8.4 and 3.9.2, `exists` needs READ. A client with ADMIN only may read the ACL, and the Stat with it.
    ask(zk::ExistsRequest{action.path}, [this, path = action.path](const zk::Reply& reply) {
        if (reply.ec != server_error::no_auth) return on_read(reply);
        ask(zk::GetAclRequest{path}, [this](const zk::Reply& by_admin) { on_read(by_admin); });
    });
}

void CreateOperation::on_read(const zk::Reply& reply) {
    const bool is_anothers = !reply.ec && registration_ && registration_->is_anothers(reply.stat);
    perform(machine_->on_read(reply.ec, reply.stat, view_->now(), view_->random(), is_anothers));
}

void CreateOperation::act(PauseCreate action) {
    after_pause(action.length, [this] {
        if (machine_->leaves_session(session().epoch)) return abort(server_error::session_expired);
        perform(machine_->on_connected(session()));
    });
}

void CreateOperation::act(AbandonCreated action) {
    view_->remove_in_background({std::move(action.parent), std::move(action.guid)});
}

void CreateOperation::act(FinishCreate action) {
    if (!action.ec && registration_) registration_->claim(action.stat);
    finish(action.ec, Created{action.ec ? refused_parent_ : std::move(action.path), action.stat});
}

CreateMachine::Session CreateOperation::session() const {
    const SessionEvent event = view_->session();
    return {event.epoch, event.session_id};
}

namespace {

// The limit of creates. Another client may remove the existing node after the create found it and before it is read.
constexpr int most_rounds = 10;

} // namespace

CreateOrOperation::CreateOrOperation(std::shared_ptr<ClientView> view, zk::CreateRequest request, CreateOptions options,
                                     Done<Created> done)
    : RequestSequence(std::move(view), std::move(done)), request_(std::move(request)), options_(std::move(options)) {}

std::shared_ptr<Operation> CreateOrOperation::create() {
    creating_ = std::make_shared<CreateOperation>(
        view_, request_, options_,
        [self = self<CreateOrOperation>()](error_code ec, Created created) { self->on_created(ec, std::move(created)); },
        budget_);
    return creating_;
}

void CreateOrOperation::on_created(error_code ec, Created created) {
    const auto creating = std::exchange(creating_, nullptr);
    if (const CreateMachine* machine = creating ? creating->machine() : nullptr) {
        budget_ = machine->budget();
        in_doubt_ = in_doubt_ || machine->in_doubt();
    }
    if (ec != server_error::node_exists || ++rounds_ > most_rounds)
        return finish(with_doubt(ec, in_doubt_), std::move(created));
    look_at_existing();
}

void CreateOrOperation::look_at_existing() {
    zk::Request look = zk::ExistsRequest{request_.path};
    if (options_.if_exists == IfExists::accept_same) look = zk::GetRequest{request_.path};
    if (options_.if_exists == IfExists::set_data) {
        look = zk::SetRequest{request_.path, request_.data, options_.set_version};
    }
    continue_with(request(std::move(look), [this](error_code ec, const zk::Reply& reply) { on_existing(ec, reply); }));
}

void CreateOrOperation::on_existing(error_code ec, const zk::Reply& reply) {
    if (ec == server_error::no_node) return continue_with(create());
    // A server checks that a node exists before it checks the ACL. So the node exists, and may not be read.
    if (ec == server_error::no_auth && options_.if_exists == IfExists::accept) ec = {};
    if (!ec && options_.if_exists == IfExists::accept_same && !is_same(reply)) ec = server_error::node_exists;
    finish(with_doubt(ec, in_doubt_), ec ? Created{} : Created{request_.path, reply.stat});
}

bool CreateOrOperation::is_same(const zk::Reply& reply) const {
    const std::int64_t owner = is_ephemeral(request_.mode) ? view_->session().session_id : 0;
    return reply.stat.version == 0 && reply.data == request_.data && reply.stat.ephemeral_owner == owner;
}

} // namespace docent::detail
