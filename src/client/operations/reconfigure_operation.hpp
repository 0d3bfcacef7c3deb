// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"

#include <docent/client.hpp>

namespace docent::detail {

/// Changes the ensemble, once: after a lost reply, the change cannot be told apart from changes by others.
class ReconfigureOperation final : public ConnectedOperation<NodeData> {
public:
    ReconfigureOperation(std::shared_ptr<ClientView> view, zk::ReconfigRequest request, Done<NodeData> done);

    void begin() override;

private:
    zk::ReconfigRequest request_;
};

} // namespace docent::detail
