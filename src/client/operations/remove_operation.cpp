// SPDX-License-Identifier: Apache-2.0
#include "client/operations/remove_operation.hpp"

#include <boost/asio/error.hpp>

#include <utility>

namespace docent::detail {

RemoveTreeOperation::RemoveTreeOperation(std::shared_ptr<ClientView> view, std::string path, std::int32_t version, Done<> done)
    : view_(std::move(view)), path_(std::move(path)), version_(version), done_(std::move(done)), wait_(*view_) {}

void RemoveTreeOperation::begin() {
    when_connected([this] {
        machine_.emplace(path_, RetryBudget(view_->retry_policy(), view_->now()));
        machine_->leaves_session(view_->session().epoch); // the first try
        perform(machine_->start());
    });
}

void RemoveTreeOperation::abort(error_code ec) {
    finish(ec);
}

error_code RemoveTreeOperation::timeout_error() const {
    return sent_ ? make_error_code(server_error::operation_timeout) : make_error_code(error::not_connected);
}

void RemoveTreeOperation::when_connected(std::function<void()> then) {
    wait_.until_connected([self = shared_from_this(), this, then = std::move(then)](error_code ec) {
        if (!done_) return;
        if (ec) return finish(with_doubt(ec, sent_));
        if (machine_ && machine_->leaves_session(view_->session().epoch)) return finish(server_error::session_expired);
        then();
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
        view_->submit(zk::RemoveRequest{std::move(action.paths[i]), version},
                      [self = shared_from_this(), this, batch, i](const zk::Reply& reply) {
                          batch->results[i] = reply.ec;
                          if (--batch->open > 0 || !done_) return;
                          perform(machine_->on_removed(batch->results, view_->now(), view_->random()));
                      });
    }
}

void RemoveTreeOperation::act(const ListNode& action) {
    view_->submit(zk::ChildrenRequest{action.path}, [self = shared_from_this(), this](const zk::Reply& reply) {
        if (done_) perform(machine_->on_listed(reply.ec, reply.children, view_->now(), view_->random()));
    });
}

void RemoveTreeOperation::act(const PauseRemoval& action) {
    wait_.pause(action.length, [self = shared_from_this(), this](error_code ec) {
        if (!done_) return;
        if (ec) return finish(ec);
        when_connected([this] { perform(machine_->on_connected()); });
    });
}

void RemoveTreeOperation::finish(error_code ec) {
    wait_.cancel();
    if (done_) std::exchange(done_, nullptr)(ec);
}

Done<> finish_remove(std::shared_ptr<ClientView> view, std::string path, RemoveOptions options, Done<> done) {
    return [view = std::move(view), path = std::move(path), options, done = std::move(done)](error_code ec) {
        if (ec == server_error::no_node && options.if_missing == IfMissing::accept) ec = {};
        const bool open =
            ec == condition::outcome_unknown || ec == condition::retryable || ec == asio::error::operation_aborted;
        if (open && options.guarantee == Guarantee::background) view->remove_in_background({path, {}, options.version});
        done(ec);
    };
}

} // namespace docent::detail
