// SPDX-License-Identifier: Apache-2.0
#include "client/operations/reconfigure_operation.hpp"

#include <utility>

namespace docent::detail {

ReconfigureOperation::ReconfigureOperation(std::shared_ptr<ClientView> view, zk::ReconfigRequest request, Done<NodeData> done)
    : view_(std::move(view)), request_(std::move(request)), done_(std::move(done)), wait_(*view_) {}

void ReconfigureOperation::begin() {
    wait_.until_connected([self = shared_from_this(), this](error_code ec) {
        if (!done_) return;
        if (ec) return abort(ec);
        sent_ = true;
        view_->submit(request_, [self = shared_from_this(), this](zk::Reply reply) {
            finish(reply.ec, {std::move(reply.data), reply.stat});
        });
    });
}

error_code ReconfigureOperation::timeout_error() const {
    return sent_ ? make_error_code(server_error::operation_timeout) : make_error_code(error::not_connected);
}

void ReconfigureOperation::finish(error_code ec, NodeData config) {
    wait_.cancel();
    if (done_) std::exchange(done_, nullptr)(ec, std::move(config));
}

} // namespace docent::detail
