// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connection_wait.hpp"
#include "client/core/operation.hpp"

#include <docent/client.hpp>

namespace docent::detail {

/// Changes the ensemble, once: whether it was applied cannot be told apart from what others did.
class ReconfigureOperation final : public Operation {
public:
    ReconfigureOperation(std::shared_ptr<ClientView> view, zk::ReconfigRequest request, Done<NodeData> done);

    void begin() override;
    void abort(error_code ec) override { finish(ec, {}); }
    error_code timeout_error() const override;
    bool may_have_effects() const override { return sent_; }

private:
    void finish(error_code ec, NodeData config);

    std::shared_ptr<ClientView> view_;
    zk::ReconfigRequest request_;
    Done<NodeData> done_;
    ConnectionWait wait_;
    bool sent_ = false;
};

} // namespace docent::detail
