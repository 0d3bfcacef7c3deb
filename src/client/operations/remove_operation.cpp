// SPDX-License-Identifier: Apache-2.0

#include "client/operations/remove_operation.hpp"
#include "base/time_over.hpp"

#include <docent/path.hpp>

#include <boost/asio/error.hpp>

#include <utility>

namespace docent::detail {
namespace {

// The limit of lists: other clients may create children meanwhile. If they keep doing so, the call fails.
constexpr int most_lists = 10;

} // namespace

RemoveTreeAction RemoveTreeMachine::start() {
    return remove({root_});
}

RemoveTreeAction RemoveTreeMachine::remove(std::vector<std::string> paths) {
    removing_ = paths;
    return RemoveNodes{std::move(paths)};
}

RemoveTreeAction RemoveTreeMachine::on_removed(const std::vector<error_code>& results, steady_clock::time_point now,
                                               std::uint64_t random) {
    error_code lost;
    to_remove_.clear();
    for (std::size_t i = 0; i < results.size(); ++i) {
        const error_code ec = results[i];
        const std::string& path = removing_[i];
        const bool is_open = !open_.empty() && open_.back().path == path;
        if (is_lost(ec)) {
            lost = ec;
            root_in_doubt_ = root_in_doubt_ || (path == root_ && ec == condition::outcome_unknown);
            to_remove_.push_back(path);
        } else if (!ec || (ec == server_error::no_node && (path != root_ || seen_ || root_in_doubt_))) {
            if (is_open) open_.pop_back();
        } else if (ec == server_error::not_empty) {
            seen_ = true;
            if (!is_open) open_.push_back({path});
            else open_.back().children_gone = false;
        } else {
            return FinishRemoval{ec};
        }
    }
    return lost ? again(lost, now, random) : next();
}

RemoveTreeAction RemoveTreeMachine::next() {
    if (open_.empty()) return FinishRemoval{};
    Open& open = open_.back();
    if (open.children_gone) return remove({open.path});
    if (++open.lists > most_lists) return FinishRemoval{server_error::not_empty};
    return ListNode{open.path};
}

RemoveTreeAction RemoveTreeMachine::on_listed(error_code ec, const std::vector<std::string>& names,
                                              steady_clock::time_point now, std::uint64_t random) {
    if (is_lost(ec)) return again(ec, now, random);
    if (ec && ec != server_error::no_node) return FinishRemoval{ec};
    Open& open = open_.back();
    open.children_gone = true; // true when next() comes back here: it handles children with children first
    std::vector<std::string> paths;
    paths.reserve(names.size());
    for (const std::string& name : names) paths.push_back(join_path(open.path, name));
    return paths.empty() ? next() : remove(std::move(paths));
}

RemoveTreeAction RemoveTreeMachine::again(error_code ec, steady_clock::time_point now, std::uint64_t random) {
    if (ec == error::not_connected) return PauseRemoval{}; // the request was not sent
    if (ec == server_error::auth_failed) return FinishRemoval{ec};
    const auto pause = budget_.next(ec, now, random);
    if (!pause) return FinishRemoval{ec};
    return PauseRemoval{*pause};
}

RemoveTreeAction RemoveTreeMachine::on_connected() {
    if (!to_remove_.empty()) return remove(std::exchange(to_remove_, {}));
    return ListNode{open_.back().path};
}

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
    for (std::size_t i = 0; i < action.paths.size(); ++i) {
        const std::int32_t version = action.paths[i] == path_ ? version_ : any_version;
        ask_for_change(zk::RemoveRequest{std::move(action.paths[i]), version}, [this, batch, i](const zk::Reply& reply) {
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
