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
    read_stat(zk::ExistsRequest{request_.path}, setting->budget(), [self = self<SetAclOperation>()](error_code e, Stat stat) {
        if (e != server_error::no_auth) return self->finish({}, stat);
        // The new ACL takes READ from the caller. With ADMIN, the caller may still read the ACL, and the Stat with it.
        self->read_stat(zk::GetAclRequest{self->request_.path}, self->reading_->budget(),
                        [self](error_code, Stat last) { self->finish({}, last); });
    });
}

/// Reads the Stat. The ACL is set already, so a failure of this read is not a failure of the call.
void SetAclOperation::read_stat(zk::Request request, const std::optional<RetryBudget>& budget,
                                std::function<void(error_code, Stat)> then) {
    reading_ = std::make_shared<RequestOperation>(
        view_, std::move(request),
        [then = std::move(then)](error_code ec, const zk::Reply& reply) { then(ec, ec ? Stat{} : reply.stat); }, budget);
    continue_with(reading_);
}

} // namespace docent::detail
