// SPDX-License-Identifier: Apache-2.0
#include "client/core/parents/container_trial.hpp"

#include <variant>

namespace docent::detail {
namespace {

/// Of a server that ends the session over a request that it does not know, in place of an answer. Once, it may be chance.
constexpr int enough_hang_ups = 2;

zk::CreateRequest* parent_container(zk::Request& request) {
    auto* const create = std::get_if<zk::CreateRequest>(&request);
    return create != nullptr && create->is_parent && create->mode == CreateMode::container ? create : nullptr;
}

bool is_refusal(const error_code& ec) {
    return ec == server_error::unimplemented || ec == server_error::bad_arguments;
}

} // namespace

void ContainerTrial::submit(zk::Request request, zk::ReplyHandler handler) {
    if (trying_ || !held_.empty()) held_.push_back({std::move(request), std::move(handler)});
    else send(std::move(request), std::move(handler));
}

void ContainerTrial::send(zk::Request request, zk::ReplyHandler handler) {
    zk::CreateRequest* const parent = parent_container(request);
    if (parent != nullptr && containers_ == Containers::missing) parent->mode = CreateMode::persistent;
    if (parent == nullptr || containers_ != Containers::unknown) return submit_(std::move(request), std::move(handler));
    trying_ = true;
    zk::CreateRequest tried = *parent;
    submit_(std::move(request), [this, weak = std::weak_ptr(alive_), tried = std::move(tried), sent = now_(),
                                 handler = std::move(handler)](zk::Reply reply) {
        if (weak.lock()) on_answer(tried, sent, handler, std::move(reply));
        else handler(std::move(reply));
    });
}

void ContainerTrial::on_answer(const zk::CreateRequest& tried, Clock::time_point sent, const zk::ReplyHandler& handler,
                               zk::Reply reply) {
    trying_ = false;
    const std::weak_ptr<bool> alive = alive_; // the handler may be the last one to know of us
    const bool refused = is_refusal(reply.ec);
    if (refused) are_missing();
    else if (!reply.ec || reply.ec == server_error::node_exists || reply.ec == server_error::no_auth)
        containers_ = Containers::known;
    else if (reply.ec == server_error::connection_loss) without_word_ = sent;
    if (refused && containers_ == Containers::missing) {
        zk::CreateRequest again = tried;
        again.mode = CreateMode::persistent;
        submit_(std::move(again), handler);
    } else {
        handler(std::move(reply));
    }
    while (!alive.expired() && !held_.empty() && !trying_) { // what the handler has submitted is behind them
        Held next = std::move(held_.front());
        held_.pop_front();
        send(std::move(next.request), std::move(next.handler));
    }
}

/// A session that nobody has ended lives for its timeout. If it is over at once, that create was its end.
void ContainerTrial::on_session_event(const SessionEvent& event, std::chrono::milliseconds session_timeout) {
    if (event.state == SessionState::connected) without_word_.reset();
    if (event.state != SessionState::lost || event.reason != server_error::session_expired) return;
    const auto sent = std::exchange(without_word_, std::nullopt);
    if (!sent || now_() - *sent >= session_timeout / 2 || containers_ != Containers::unknown) return;
    if (++hang_ups_ == enough_hang_ups) are_missing();
}

void ContainerTrial::are_missing() {
    if (std::exchange(containers_, Containers::missing) != Containers::missing) on_missing_();
}

} // namespace docent::detail
