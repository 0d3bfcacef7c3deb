// SPDX-License-Identifier: Apache-2.0

#include "client/operations/request_operation.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {

RequestOperation::RequestOperation(std::shared_ptr<ClientView> view, zk::Request request, Done<zk::Reply> done,
                                   std::optional<RetryBudget> budget)
    : ConnectedOperation(std::move(view), std::move(done)), request_(std::move(request)), budget_(budget) {}

void RequestOperation::begin() {
    if (!budget_) budget_.emplace(view_->retry_policy(), view_->now());
    when_connected([this] { attempt(); });
}

void RequestOperation::attempt() {
    if (budget_->leaves_session(view_->session().epoch)) return finish(server_error::session_expired, {});
    const auto then = [this](zk::Reply&& reply) { on_reply(std::move(reply)); };
    zk::is_write(request_) ? ask_for_change(request_, then) : ask(request_, then);
}

void RequestOperation::on_reply(zk::Reply&& reply) {
    if (reply.ec == error::not_connected) return when_connected([this] { attempt(); }); // the request was not sent
    if (is_lost(reply.ec)) return retry(reply.ec);
    // An earlier attempt with a lost reply has removed the node.
    const bool removed = in_doubt_ && std::holds_alternative<zk::RemoveRequest>(request_);
    if (removed && reply.ec == server_error::no_node) reply.ec = {};
    const error_code ec = with_doubt(reply.ec, in_doubt_);
    finish(ec, std::move(reply));
}

void RequestOperation::retry(error_code ec) {
    if (ec == server_error::auth_failed) return finish(ec, {});
    in_doubt_ = in_doubt_ || (sent_ && ec == condition::outcome_unknown);
    const auto pause = budget_->next(ec, view_->now(), view_->random());
    if (!pause) return finish(with_doubt(ec, in_doubt_), {});
    after_pause(*pause, [this] { attempt(); });
}

void RequestsOperation::begin() {
    open_ = requests_.size();
    replies_.resize(open_);
    if (open_ == 0) return std::exchange(done_, nullptr)({}, {});
    for (std::size_t i = 0; i < replies_.size(); ++i) {
        under_way_.push_back(std::make_shared<RequestOperation>(
            view_, std::move(requests_[i]), [self = shared_from_this(), this, i](error_code ec, zk::Reply reply) {
                if (!done_) return;
                if (ec && std::find(accepted_.begin(), accepted_.end(), ec) == accepted_.end()) return abort(ec);
                reply.ec = ec;
                replies_[i] = std::move(reply);
                if (--open_ == 0) std::exchange(done_, nullptr)({}, std::move(replies_));
            }));
    }
    for (const auto& request : std::vector(under_way_)) request->begin();
}

void RequestsOperation::abort(error_code ec) {
    const auto under_way = std::exchange(under_way_, {});
    if (done_) std::exchange(done_, nullptr)(ec, {});
    for (const auto& request : under_way) request->abort(ec);
}

ReconfigureOperation::ReconfigureOperation(std::shared_ptr<ClientView> view, zk::ReconfigRequest request, Done<NodeData> done)
    : ConnectedOperation(std::move(view), std::move(done)), request_(std::move(request)) {}

void ReconfigureOperation::begin() {
    when_connected([this] {
        ask_for_change(request_, [this](zk::Reply&& reply) { finish(reply.ec, {std::move(reply.data), reply.stat}); });
    });
}

std::shared_ptr<Operation> SetSameOperation::first() {
    return request(request_, [this](error_code ec, const zk::Reply& set) {
        if (ec != server_error::bad_version) return finish(ec, set.stat);
        continue_with(
            request(zk::GetRequest{request_.path}, [this](error_code e, const zk::Reply& read) { on_read(e, read); }));
    });
}

void SetSameOperation::on_read(error_code ec, const zk::Reply& reply) {
    const bool same = reply.data == request_.data && reply.stat.version == request_.version + 1;
    if (!ec && !same) ec = server_error::bad_version;
    finish(with_doubt(ec, in_doubt_), ec ? Stat{} : reply.stat);
}

/// The ACL is set before the Stat is read, so a failure of that read is not a failure of the call.
std::shared_ptr<Operation> SetAclOperation::first() {
    return request(request_, [this](error_code ec, const zk::Reply&) {
        if (ec) return finish(ec, {});
        continue_with(request(zk::ExistsRequest{request_.path}, [this](error_code e, const zk::Reply& looked) {
            if (e != server_error::no_auth) return finish({}, e ? Stat{} : looked.stat);
            // The new ACL takes READ from the caller. With ADMIN, the caller may still read the ACL, and the Stat with it.
            continue_with(request(zk::GetAclRequest{request_.path},
                                  [this](error_code last, const zk::Reply& acl) { finish({}, last ? Stat{} : acl.stat); }));
        }));
    });
}

} // namespace docent::detail
