// SPDX-License-Identifier: Apache-2.0
#include "client/operations/remove_operation.hpp"

#include <boost/asio/error.hpp>

#include <utility>

namespace docent::detail {

RemoveTreeOperation::RemoveTreeOperation(std::shared_ptr<ClientView> view, std::string path, std::int32_t version, Done<> done)
    : ConnectedOperation(std::move(view), std::move(done)), path_(std::move(path)), version_(version) {}

void RemoveTreeOperation::begin() {
    when_connected([this] {
        machine_.emplace(path_, RetryBudget(view_->retry_policy(), view_->now()));
        machine_->leaves_session(view_->session().epoch); // the first try
        perform(machine_->start());
    });
}

void RemoveTreeOperation::perform(RemoveTreeAction action) {
    std::visit([this](auto& a) { act(std::move(a)); }, action);
}

void RemoveTreeOperation::act(RemoveNodes action) {
    struct Batch {
        std::vector<error_code> results;
        std::size_t open;
    };
    auto batch = std::make_shared<Batch>(Batch{std::vector<error_code>(action.paths.size()), action.paths.size()});
    sent_ = true;
    for (std::size_t i = 0; i < action.paths.size(); ++i) {
        const std::int32_t version = action.paths[i] == path_ ? version_ : any_version;
        ask(zk::RemoveRequest{std::move(action.paths[i]), version}, [this, batch, i](const zk::Reply& reply) {
            batch->results[i] = reply.ec;
            if (--batch->open == 0) perform(machine_->on_removed(batch->results, view_->now(), view_->random()));
        });
    }
}

void RemoveTreeOperation::act(const ListNode& action) {
    ask(zk::ChildrenRequest{action.path}, [this](const zk::Reply& reply) {
        perform(machine_->on_listed(reply.ec, reply.children, view_->now(), view_->random()));
    });
}

void RemoveTreeOperation::act(const PauseRemoval& action) {
    after_pause(action.length, [this] {
        if (machine_->leaves_session(view_->session().epoch)) return finish(server_error::session_expired);
        perform(machine_->on_connected());
    });
}

Done<> finish_remove(std::shared_ptr<ClientView> view, std::string path, RemoveOptions options, Done<> done) {
    return [view = std::move(view), path = std::move(path), options, done = std::move(done)](error_code ec) {
        if (ec == server_error::no_node && options.if_missing == IfMissing::accept) ec = {};
        const bool open = is_lost(ec) || ec == asio::error::operation_aborted;
        if (open && options.guarantee == Guarantee::background) view->remove_in_background({path, {}, options.version});
        done(ec);
    };
}

} // namespace docent::detail
