// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
#include "client/operations/sequence_operation.hpp"

#include <docent/client.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace docent::detail {

/// Sends one request until it is answered: waits for a connection, and sends it again after a lost reply, by the retry policy.
/// Not for creates: see CreateOperation.
class RequestOperation final : public ConnectedOperation<zk::Reply> {
public:
    /// `budget`: from the call that this is a part of. Without a budget, it begins a new one.
    RequestOperation(std::shared_ptr<ClientView> view, zk::Request request, Done<zk::Reply> done,
                     std::optional<RetryBudget> budget = {});

    void begin() override;
    /// Whether a change with a lost reply may have been applied.
    bool in_doubt() const override { return in_doubt_; }

    const std::optional<RetryBudget>& budget() const { return budget_; }

private:
    void attempt();
    void on_reply(zk::Reply&& reply);
    void retry(error_code ec);

    zk::Request request_;
    std::optional<RetryBudget> budget_;
    bool in_doubt_ = false;
};

/// Sends several requests at once, each as a RequestOperation. Completes with the replies in the order of the requests, or with
/// the first error that is not one of `accepted`. A reply with an accepted error contains it.
class RequestsOperation final : public Operation {
public:
    using Replies = std::vector<zk::Reply>;

    RequestsOperation(std::shared_ptr<ClientView> view, std::vector<zk::Request> requests, std::vector<error_code> accepted,
                      Done<Replies> done)
        : view_(std::move(view)), requests_(std::move(requests)), accepted_(std::move(accepted)), done_(std::move(done)) {}

    void begin() override;
    void abort(error_code ec) override;

private:
    const std::shared_ptr<ClientView> view_;
    std::vector<zk::Request> requests_;
    const std::vector<error_code> accepted_;
    Done<Replies> done_;
    std::vector<std::shared_ptr<Operation>> under_way_;
    std::size_t open_ = 0;
    Replies replies_;
};

/// Changes the ensemble, once: after a lost reply, the change cannot be told apart from changes by others.
class ReconfigureOperation final : public ConnectedOperation<NodeData> {
public:
    ReconfigureOperation(std::shared_ptr<ClientView> view, zk::ReconfigRequest request, Done<NodeData> done);

    void begin() override;

private:
    zk::ReconfigRequest request_;
};

/// A sequence of operations. Its requests share one retry budget.
template <typename... Results> class RequestSequence : public SequenceOperation<Results...> {
protected:
    using Then = std::function<void(error_code, zk::Reply&)>;

    RequestSequence(std::shared_ptr<ClientView> view, Done<Results...> done)
        : SequenceOperation<Results...>(std::move(done)), view_(std::move(view)) {}

    /// Makes the operation for one request. Pass it to continue_with(), or return it from first().
    std::shared_ptr<Operation> request(zk::Request request, Then then) {
        auto on_reply = [self = this->shared_from_this(), this, then = std::move(then)](error_code ec, zk::Reply reply) {
            const auto step = std::exchange(step_, nullptr);
            budget_ = step->budget();
            in_doubt_ = in_doubt_ || step->in_doubt();
            then(ec, reply);
        };
        return step_ = std::make_shared<RequestOperation>(view_, std::move(request), std::move(on_reply), budget_);
    }

    const std::shared_ptr<ClientView> view_;
    std::optional<RetryBudget> budget_; // of the call
    bool in_doubt_ = false;             // a step with a lost reply may have been applied

private:
    std::shared_ptr<RequestOperation> step_;
};

/// A set with `IfChanged::accept_same`: it succeeds if the node already has the data and the next version.
class SetSameOperation final : public RequestSequence<Stat> {
public:
    SetSameOperation(std::shared_ptr<ClientView> view, zk::SetRequest request, Done<Stat> done)
        : RequestSequence(std::move(view), std::move(done)), request_(std::move(request)) {}

private:
    std::shared_ptr<Operation> first() override;
    void on_read(error_code ec, const zk::Reply& reply);

    zk::SetRequest request_;
};

/// Replaces an ACL, and reads the Stat, which the C client leaves out of the answer.
class SetAclOperation final : public RequestSequence<Stat> {
public:
    SetAclOperation(std::shared_ptr<ClientView> view, zk::SetAclRequest request, Done<Stat> done)
        : RequestSequence(std::move(view), std::move(done)), request_(std::move(request)) {}

private:
    std::shared_ptr<Operation> first() override;

    zk::SetAclRequest request_;
};

} // namespace docent::detail
