// SPDX-License-Identifier: Apache-2.0
#include "client/operations/reconfigure_operation.hpp"

#include <utility>

namespace docent::detail {

ReconfigureOperation::ReconfigureOperation(std::shared_ptr<ClientView> view, zk::ReconfigRequest request, Done<NodeData> done)
    : ConnectedOperation(std::move(view), std::move(done)), request_(std::move(request)) {}

void ReconfigureOperation::begin() {
    when_connected([this] {
        sent_ = true;
        ask(request_, [this](zk::Reply&& reply) { finish(reply.ec, {std::move(reply.data), reply.stat}); });
    });
}

} // namespace docent::detail
