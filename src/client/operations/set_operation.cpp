// SPDX-License-Identifier: Apache-2.0
#include "client/operations/set_operation.hpp"

#include <utility>

namespace docent::detail {

std::shared_ptr<Operation> SetSameOperation::first() {
    setting_ = std::make_shared<RequestOperation>(
        view_, request_,
        [self = self<SetSameOperation>()](error_code ec, const zk::Reply& reply) { self->on_set(ec, reply.stat); });
    return setting_;
}

void SetSameOperation::on_set(error_code ec, const Stat& stat) {
    const auto setting = std::exchange(setting_, nullptr);
    if (ec != server_error::bad_version) return finish(ec, stat);
    in_doubt_ = setting->in_doubt();
    continue_with(std::make_shared<RequestOperation>(
        view_, zk::GetRequest{request_.path},
        [self = self<SetSameOperation>()](error_code e, const zk::Reply& reply) { self->on_read(e, reply); },
        setting->budget()));
}

void SetSameOperation::on_read(error_code ec, const zk::Reply& reply) {
    const bool same = reply.data == request_.data && reply.stat.version == request_.version + 1;
    if (!ec && !same) ec = server_error::bad_version;
    finish(with_doubt(ec, in_doubt_), ec ? Stat{} : reply.stat);
}

std::shared_ptr<Operation> SetAclOperation::first() {
    setting_ = std::make_shared<RequestOperation>(
        view_, request_, [self = self<SetAclOperation>()](error_code ec, const zk::Reply&) { self->on_set(ec); });
    return setting_;
}

void SetAclOperation::on_set(error_code ec) {
    const auto setting = std::exchange(setting_, nullptr);
    if (ec) return finish(ec, {});
    continue_with(std::make_shared<RequestOperation>(
        view_, zk::ExistsRequest{request_.path},
        [self = self<SetAclOperation>()](error_code e, const zk::Reply& reply) {
            self->finish(with_doubt(e, true), reply.stat);
        },
        setting->budget()));
}

} // namespace docent::detail
