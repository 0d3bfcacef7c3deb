// SPDX-License-Identifier: Apache-2.0
#include "barrier/leave_operation.hpp"

#include <docent/path.hpp>

#include <utility>
#include <variant>

namespace docent::detail {

void LeaveOperation::look() {
    ask_synced(zk::ChildrenRequest{core_->path()}, [this](const zk::Reply& reply) { on_listed(reply); });
}

void LeaveOperation::on_listed(const zk::Reply& reply) {
    if (looks_again_after(reply.ec)) return;
    if (reply.ec && reply.ec != server_error::no_node) return end(reply.ec); // no_node: all members have gone
    LeavingView seen{.own = node_name(core_->own_path)};
    const std::set<std::string> there(reply.children.begin(), reply.children.end());
    if (!std::exchange(listed_, true)) {
        inside_ = there;
        inside_.erase(std::string(ready_name));
        inside_.erase(std::string(seen.own));
    }
    own_is_there_ = seen.own_is_there = there.contains(std::string(seen.own));
    if (!removing_ && (!own_is_there_ || view_->session().epoch != core_->own_epoch)) lost_ = true;
    for (const auto& name : inside_) {
        if (there.contains(name)) seen.others.push_back(name);
    }
    seen.lost = lost_;
    decide(std::move(seen));
}

void LeaveOperation::decide(LeavingView seen) {
    const auto next = next_leaving(seen);
    if (!std::holds_alternative<LookForReady>(next)) return std::visit([&](const auto& step) { act(step); }, next);
    looked_for_ready_ = true;
    ask(zk::ExistsRequest{path_of(ready_name), watch_}, [this, seen = std::move(seen)](const zk::Reply& reply) mutable {
        if (looks_again_after(reply.ec)) return;
        const bool unreadable = reply.ec == server_error::no_auth; // the node exists
        if (reply.ec && !unreadable && reply.ec != server_error::no_node) return end(reply.ec);
        seen.ready = reply.ec != server_error::no_node;
        decide(std::move(seen));
    });
}

void LeaveOperation::act(const LookForReady&) {}

void LeaveOperation::act(const RemoveOwn&) {
    removing_ = true;
    ask(zk::RemoveRequest{core_->own_path}, [this](const zk::Reply& reply) { on_removed(reply.ec); });
}

void LeaveOperation::act(const RemoveOwnAndReady&) {
    if (!ready_may_be_there_) return act(RemoveOwn{});
    removing_ = true;
    zk::MultiRequest request{{zk::RemoveRequest{core_->own_path}, zk::RemoveRequest{path_of(ready_name)}}};
    ask(std::move(request), [this](const zk::Reply& reply) {
        if (!reply.ec) own_is_there_ = false;
        if (!reply.ec) return act(AllHaveLeft{});
        if (reply.ec == server_error::no_node) ready_may_be_there_ = false;
        on_removed(reply.ec);
    });
}

void LeaveOperation::act(const AwaitRemoval& step) {
    if (awaited_ != step.name) forget_awaited();
    awaited_ = step.name;
    ask(zk::ExistsRequest{path_of(step.name), watch_}, [this](const zk::Reply& reply) {
        if (looks_again_after(reply.ec)) return;
        if (reply.ec == server_error::no_node) return look();
        const bool is_there = !reply.ec || reply.ec == server_error::no_auth;
        is_there ? rest() : end(reply.ec);
    });
}

void LeaveOperation::act(const AllHaveLeft&) {
    end(lost_ ? make_error_code(error::lease_lost) : error_code{});
}

void LeaveOperation::on_removed(const error_code& ec) {
    if (looks_again_after(ec)) return;
    const bool failed = ec && ec != server_error::no_node;
    failed ? end(ec) : look();
}

void LeaveOperation::forget_awaited() {
    if (!awaited_.empty()) view_->forget_watch(path_of(awaited_), zk::WatchKind::exists);
}

void LeaveOperation::on_end(error_code) {
    forget_awaited();
    if (looked_for_ready_) view_->forget_watch(path_of(ready_name), zk::WatchKind::exists);
    if (own_is_there_) view_->remove_in_background({core_->own_path}, nullptr); // the member leaves, also if the wait failed
    core_->stage = DoubleBarrierCore::Stage::outside;
    core_->own_path.clear();
}

} // namespace docent::detail
