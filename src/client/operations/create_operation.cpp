// SPDX-License-Identifier: Apache-2.0
#include "client/operations/create_operation.hpp"

#include "client/core/parents/submit_parents.hpp"

#include <utility>

namespace docent::detail {
namespace {

// The limit of attempts because servers have removed an empty container in between. More are not expected.
constexpr int parent_attempts = 10;

} // namespace

CreateOperation::CreateOperation(std::shared_ptr<ClientView> view, zk::CreateRequest request, CreateOptions options,
                                 Done<Created> done, std::optional<RetryBudget> budget)
    : ConnectedOperation(std::move(view), std::move(done)), request_(std::move(request)), options_(std::move(options)),
      budget_(budget) {}

void CreateOperation::begin() {
    when_connected([this] {
        // The client creates a missing prefix in any case.
        const int attempts = options_.parents != Parents::fail ? parent_attempts : view_->has_prefix() ? 1 : 0;
        machine_.emplace(
            CreateMachine::Plan{request_.path, request_.mode, options_.protection == Protection::protected_, attempts},
            budget_.value_or(RetryBudget(view_->retry_policy(), view_->now())), [view = view_] { return view->new_guid(); });
        const bool has_own_name = options_.protection == Protection::protected_ || is_sequential(request_.mode);
        if (is_ephemeral(request_.mode) && !has_own_name) seat_.emplace(*view_, request_.path);
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
    sent_ = true;
    zk::CreateRequest request = request_;
    request.path = std::move(action.path);
    ask(std::move(request), [this, parents](zk::Reply&& reply) {
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
    const bool is_anothers = !reply.ec && seat_ && seat_->is_anothers(reply.stat);
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
    if (!action.ec && seat_) seat_->claim(action.stat);
    finish(action.ec, Created{action.ec ? refused_parent_ : std::move(action.path), action.stat});
}

CreateMachine::Session CreateOperation::session() const {
    const SessionEvent event = view_->session();
    return {event.epoch, event.session_id};
}

} // namespace docent::detail
