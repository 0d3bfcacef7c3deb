// SPDX-License-Identifier: Apache-2.0
#include "client/core/observation.hpp"

#include "base/time_over.hpp"
#include "zk/request_check.hpp"

#include <utility>

namespace docent::detail {

Observation::Observation(std::shared_ptr<ClientView> view, OperationName name, std::optional<RetryPolicy> retry_policy)
    : ForwardingView(std::move(view)), name_(std::move(name)), retry_policy_(retry_policy), started_(now()) {}

void Observation::submit(zk::Request request, zk::ReplyHandler handler) {
    auto counting = counted(request, std::move(handler));
    ForwardingView::submit(std::move(request), std::move(counting));
}

void Observation::remove_in_background(RemovalOrder order, Removed done) {
    if (done) order.counter = std::static_pointer_cast<Observation>(shared_from_this()); // the call waits for `done`
    ForwardingView::remove_in_background(std::move(order), std::move(done));
}

zk::ReplyHandler Observation::counted(const zk::Request& request, zk::ReplyHandler handler) {
    const Counts one{.request_bytes = zk::encoded_size(request), .requests = 1, .retries = failed_ ? 1 : 0};
    counts_.request_bytes += one.request_bytes;
    counts_.requests += one.requests;
    counts_.retries += one.retries;
    failed_ = false;
    return [this, one, self = shared_from_this(), handler = std::move(handler)](zk::Reply&& reply) {
        reply.ec.category() == docent_category() && !reply.was_sent ? take_back(one) : count_reply(reply);
        handler(std::move(reply));
    };
}

void Observation::count_reply(const zk::Reply& reply) {
    failed_ = is_lost(reply.ec);
    if (!failed_ && reply.ec != error::closed) counts_.response_bytes += zk::encoded_size(reply);
}

/// The request was not sent.
void Observation::take_back(const Counts& one) {
    counts_.request_bytes -= one.request_bytes;
    counts_.requests -= one.requests;
    counts_.retries -= one.retries;
    failed_ = failed_ || one.retries > 0;
}

void Observation::on_completed(error_code ec) {
    const auto& tracer = config().tracer;
    if (!tracer || name_.name.empty()) return;
    call_user([tracer, name = name_, counts = counts_, latency = now() - started_, ec] {
        tracer->on_operation({.name = name.name,
                              .path = name.path,
                              .latency = latency,
                              .request_bytes = counts.request_bytes,
                              .response_bytes = counts.response_bytes,
                              .requests = counts.requests,
                              .retries = counts.retries,
                              .ec = ec});
    });
}

std::shared_ptr<Observation> observe(const std::shared_ptr<ClientView>& view, OperationName name, const CallOptions& call) {
    const bool traced = view->config().tracer && !name.name.empty();
    if (!traced && !call.retry_policy) return nullptr;
    return std::make_shared<Observation>(view, std::move(name), call.retry_policy);
}

} // namespace docent::detail
