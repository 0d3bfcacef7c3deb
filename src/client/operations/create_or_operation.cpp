// SPDX-License-Identifier: Apache-2.0
#include "client/operations/create_or_operation.hpp"

#include <utility>

namespace docent::detail {
namespace {

// The limit of rounds because the node was removed between the create that found it and the read. More are not expected.
constexpr int most_rounds = 10;

} // namespace

CreateOrOperation::CreateOrOperation(std::shared_ptr<ClientView> view, zk::CreateRequest request, CreateOptions options,
                                     Done<Created> done)
    : SequenceOperation(std::move(done)), view_(std::move(view)), request_(std::move(request)), options_(std::move(options)) {}

std::shared_ptr<Operation> CreateOrOperation::create() {
    creating_ = std::make_shared<CreateOperation>(
        view_, request_, options_,
        [self = self<CreateOrOperation>()](error_code ec, Created created) { self->on_created(ec, std::move(created)); },
        budget_);
    return creating_;
}

void CreateOrOperation::on_created(error_code ec, Created created) {
    const auto creating = std::exchange(creating_, nullptr);
    if (const CreateMachine* machine = creating ? creating->machine() : nullptr) {
        budget_ = machine->budget();
        in_doubt_ = in_doubt_ || machine->in_doubt();
    }
    if (ec != server_error::node_exists || ++rounds_ > most_rounds)
        return finish(with_doubt(ec, in_doubt_), std::move(created));
    look_at_existing();
}

void CreateOrOperation::look_at_existing() {
    zk::Request request = zk::ExistsRequest{request_.path};
    if (options_.if_exists == IfExists::accept_same) request = zk::GetRequest{request_.path};
    if (options_.if_exists == IfExists::set_data) {
        request = zk::SetRequest{request_.path, request_.data, options_.set_version};
    }
    looking_ = std::make_shared<RequestOperation>(
        view_, std::move(request),
        [self = self<CreateOrOperation>()](error_code ec, const zk::Reply& reply) { self->on_existing(ec, reply); }, budget_);
    continue_with(looking_);
}

void CreateOrOperation::on_existing(error_code ec, const zk::Reply& reply) {
    if (const auto looking = std::exchange(looking_, nullptr)) {
        budget_ = looking->budget();
        in_doubt_ = in_doubt_ || looking->in_doubt();
    }
    if (ec == server_error::no_node) return continue_with(create());
    // A server checks that a node exists before it checks the ACL. So the node exists, and may not be read.
    if (ec == server_error::no_auth && options_.if_exists == IfExists::accept) ec = {};
    if (!ec && options_.if_exists == IfExists::accept_same && !is_same(reply)) ec = server_error::node_exists;
    finish(with_doubt(ec, in_doubt_), ec ? Created{} : Created{request_.path, reply.stat});
}

bool CreateOrOperation::is_same(const zk::Reply& reply) const {
    const std::int64_t owner = is_ephemeral(request_.mode) ? view_->session().session_id : 0;
    return reply.stat.version == 0 && reply.data == request_.data && reply.stat.ephemeral_owner == owner;
}

} // namespace docent::detail
