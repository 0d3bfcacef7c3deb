// SPDX-License-Identifier: Apache-2.0

#include "client/operations/request_operation.hpp"
#include "zk/request_check.hpp"

#include <utility>

namespace docent::detail {

RequestOperation::RequestOperation(std::shared_ptr<ClientView> view, zk::Request request, Done<zk::Reply> done,
                                   std::optional<RetryBudget> budget)
    : ConnectedOperation(std::move(view), std::move(done)), request_(std::move(request)), budget_(budget) {}

void RequestOperation::begin() {
    if (!budget_) budget_.emplace(view_->retry_policy(), view_->now());
    when_connected([this] { attempt(); });
}

Awaited RequestOperation::awaited() const {
    return in_doubt_ && zk::is_write(request_) ? Awaited::effect : Awaited::answer;
}

void RequestOperation::attempt() {
    if (budget_->leaves_session(view_->session().epoch)) return finish(server_error::session_expired, {});
    sent_ = zk::is_write(request_);
    ask(request_, [this](zk::Reply&& reply) { on_reply(std::move(reply)); });
}

void RequestOperation::on_reply(zk::Reply&& reply) {
    if (reply.ec == error::not_connected) return when_connected([this] { attempt(); }); // the request was not sent
    if (is_lost(reply.ec)) return retry(reply.ec);
    // An earlier attempt with a lost reply has removed the node.
    const bool removed = in_doubt_ && std::holds_alternative<zk::RemoveRequest>(request_);
    if (removed && reply.ec == server_error::no_node) reply.ec = {};
    const error_code ec = reply.ec;
    finish(ec, std::move(reply));
}

void RequestOperation::retry(error_code ec) {
    if (ec == server_error::auth_failed) return finish(ec, {});
    in_doubt_ = in_doubt_ || ec == condition::outcome_unknown;
    const auto pause = budget_->next(ec, view_->now(), view_->random());
    if (!pause) return finish(ec, {});
    after_pause(*pause, [this] { attempt(); });
}

ReconfigureOperation::ReconfigureOperation(std::shared_ptr<ClientView> view, zk::ReconfigRequest request, Done<NodeData> done)
    : ConnectedOperation(std::move(view), std::move(done)), request_(std::move(request)) {}

void ReconfigureOperation::begin() {
    when_connected([this] {
        sent_ = true;
        ask(request_, [this](zk::Reply&& reply) { finish(reply.ec, {std::move(reply.data), reply.stat}); });
    });
}

} // namespace docent::detail
