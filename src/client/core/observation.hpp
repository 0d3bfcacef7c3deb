// SPDX-License-Identifier: Apache-2.0
#pragma once

// The traces of calls, and the retry policy of a single call.

#include "client/core/forwarding_view.hpp"

#include <docent/call_options.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace docent::detail {

/// A call's name and path for a tracer. A call without a name is not traced.
struct OperationName {
    std::string_view name = {}; // a literal
    std::string path = {};
};

/// The view of a single call, with its own retry policy. Counts the requests of the call. On the strand.
class Observation final : public ForwardingView {
public:
    Observation(std::shared_ptr<ClientView> view, OperationName name, std::optional<RetryPolicy> retry_policy);

    /// Reports the call to the tracer.
    void on_completed(error_code ec);

    const RetryPolicy& retry_policy() const override { return retry_policy_ ? *retry_policy_ : ForwardingView::retry_policy(); }
    void submit(zk::Request request, zk::ReplyHandler handler) override;
    void remove_in_background(RemovalOrder order, Removed done) override;
    std::shared_ptr<ClientView> unobserved() const override { return shared_inner(); }
    /// Counts the request. The handler that it returns also counts the reply, and then calls `handler`.
    zk::ReplyHandler counted(const zk::Request& request, zk::ReplyHandler handler);

private:
    struct Counts {
        std::size_t request_bytes = 0;
        std::size_t response_bytes = 0;
        int requests = 0;
        int retries = 0;
    };

    void count_reply(const zk::Reply& reply);
    void take_back(const Counts& one);

    const OperationName name_;
    const std::optional<RetryPolicy> retry_policy_;
    const steady_clock::time_point started_;
    Counts counts_;
    bool failed_ = false; // the last reply was lost, so the next request is a retry
};

/// Returns null if the call needs no observation.
std::shared_ptr<Observation> observe(const std::shared_ptr<ClientView>& view, OperationName name, const CallOptions& call);

} // namespace docent::detail
