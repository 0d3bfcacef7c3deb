// SPDX-License-Identifier: Apache-2.0

// The traces of calls, and the retry policy of a single call.

#include "client/core/observation.hpp"
#include "base/time_over.hpp"
#include "client/core/forwarding_view.hpp"
#include "zk/request_check.hpp"

#include <utility>

namespace docent::detail {
namespace {

/// Counts the requests of a call. On the strand.
class ObservedView final : public ForwardingView, public RequestCounter {
public:
    ObservedView(std::shared_ptr<ClientView> inner, std::optional<RetryPolicy> retry_policy)
        : ForwardingView(std::move(inner)), retry_policy_(retry_policy) {}

    struct Counts {
        std::size_t request_bytes = 0;
        std::size_t response_bytes = 0;
        int requests = 0;
        int retries = 0;
    };
    const Counts& counts() const { return counts_; }

    const RetryPolicy& retry_policy() const override { return retry_policy_ ? *retry_policy_ : ForwardingView::retry_policy(); }

    void submit(zk::Request request, zk::ReplyHandler handler) override {
        auto counting = counted(request, std::move(handler));
        ForwardingView::submit(std::move(request), std::move(counting));
    }
    void remove_in_background(RemovalOrder order, std::function<void()> done) override {
        if (done) order.counter = std::static_pointer_cast<ObservedView>(shared_from_this()); // the call waits for it
        ForwardingView::remove_in_background(std::move(order), std::move(done));
    }
    std::shared_ptr<ClientView> unobserved() const override { return shared_inner(); }

    zk::ReplyHandler counted(const zk::Request& request, zk::ReplyHandler handler) override {
        const Counts one{.request_bytes = zk::encoded_size(request), .requests = 1, .retries = failed_ ? 1 : 0};
        counts_.request_bytes += one.request_bytes;
        counts_.requests += one.requests;
        counts_.retries += one.retries;
        failed_ = false;
        return [this, one, self = shared_from_this(), handler = std::move(handler)](zk::Reply&& reply) {
            reply.ec.category() == docent_category() ? take_back(one) : count_reply(reply);
            handler(std::move(reply));
        };
    }

private:
    void count_reply(const zk::Reply& reply) {
        failed_ = is_lost(reply.ec);
        if (!failed_) counts_.response_bytes += zk::encoded_size(reply);
    }
    /// The request was not sent.
    void take_back(const Counts& one) {
        counts_.request_bytes -= one.request_bytes;
        counts_.requests -= one.requests;
        counts_.retries -= one.retries;
        failed_ = failed_ || one.retries > 0;
    }

    std::optional<RetryPolicy> retry_policy_;
    Counts counts_;
    bool failed_ = false; // the last reply was lost, so the next request is a retry
};

class CallObservation final : public Observation {
public:
    CallObservation(const std::shared_ptr<ClientView>& view, OperationName name, std::optional<RetryPolicy> retry_policy)
        : observed_(std::make_shared<ObservedView>(view, retry_policy)), view_(observed_), name_(std::move(name)),
          started_(view->now()) {}

    const std::shared_ptr<ClientView>& view() const override { return view_; }

    void on_completed(error_code ec) override {
        const auto& tracer = view_->config().tracer;
        if (!tracer || name_.name.empty()) return;
        view_->call_user([tracer, name = name_, counts = observed_->counts(), latency = view_->now() - started_, ec] {
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

private:
    std::shared_ptr<ObservedView> observed_;
    std::shared_ptr<ClientView> view_;
    OperationName name_;
    steady_clock::time_point started_;
};

} // namespace

std::shared_ptr<Observation> observe(const std::shared_ptr<ClientView>& view, OperationName name, const CallOptions& call) {
    const bool traced = view->config().tracer && !name.name.empty();
    if (!traced && !call.retry_policy) return nullptr;
    return std::make_shared<CallObservation>(view, std::move(name), call.retry_policy);
}

} // namespace docent::detail
