// SPDX-License-Identifier: Apache-2.0
#include "client/operations/request_operation.hpp"

#include "zk/request_check.hpp"

#include <utility>

namespace docent::detail {

RequestOperation::RequestOperation(std::shared_ptr<ClientView> view, zk::Request request, Done<zk::Reply> done,
                                   std::optional<RetryBudget> budget)
    : view_(std::move(view)), request_(std::move(request)), done_(std::move(done)), wait_(*view_), budget_(budget) {}

void RequestOperation::begin() {
    if (!budget_) budget_.emplace(view_->retry_policy(), view_->now());
    attempt();
}

void RequestOperation::abort(error_code ec) {
    finish(ec);
}

error_code RequestOperation::timeout_error() const {
    if (in_doubt_ || view_->session().state == SessionState::connected) return server_error::operation_timeout;
    return error::not_connected;
}

bool RequestOperation::may_have_effects() const {
    return sent_ && zk::is_write(request_);
}

void RequestOperation::attempt() {
    wait_.until_connected([self = shared_from_this(), this](error_code ec) {
        if (!done_) return;
        if (ec) return finish(with_doubt(ec, in_doubt_));
        if (budget_->leaves_session(view_->session().epoch)) return finish(server_error::session_expired);
        sent_ = true;
        view_->submit(request_, [self = shared_from_this(), this](zk::Reply reply) { on_reply(std::move(reply)); });
    });
}

void RequestOperation::on_reply(zk::Reply reply) {
    if (!done_) return;
    if (reply.ec == error::not_connected) return attempt(); // the connection broke before it could be sent
    if (reply.ec == condition::outcome_unknown || reply.ec == condition::retryable) return retry(reply.ec);
    // What is not there any more has been removed by the attempt whose reply was lost.
    const bool removed = in_doubt_ && std::holds_alternative<zk::RemoveRequest>(request_);
    if (removed && reply.ec == server_error::no_node) reply.ec = {};
    const error_code ec = reply.ec;
    finish(ec, std::move(reply));
}

void RequestOperation::retry(error_code ec) {
    if (ec == server_error::auth_failed) return finish(ec);
    in_doubt_ = in_doubt_ || ec == condition::outcome_unknown;
    const auto pause = budget_->next(ec, view_->now(), view_->random());
    if (!pause) return finish(ec);
    wait_.pause(*pause, [self = shared_from_this(), this](error_code closed) {
        if (!done_) return;
        closed ? finish(closed) : attempt();
    });
}

void RequestOperation::finish(error_code ec, zk::Reply reply) {
    wait_.cancel();
    if (done_) std::exchange(done_, nullptr)(ec, std::move(reply));
}

} // namespace docent::detail
