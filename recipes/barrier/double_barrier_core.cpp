// SPDX-License-Identifier: Apache-2.0

#include "barrier/double_barrier_core.hpp"
#include "client/core/parents/parents.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

namespace docent::detail {

void EnterOperation::look() {
    const std::uint64_t epoch = view_->session().epoch;
    if (own_path_.empty() || epoch != epoch_) {
        if (!own_path_.empty())
            view_->remove_in_background({own_path_}, nullptr); // the earlier session may live a little longer
        own_path_ = path_of(view_->new_guid());
        epoch_ = epoch;
        made_ = false;
        own_czxid_ = 0;
        ready_was_missing_ = false;
    }
    made_ ? look_around() : make_own();
}

void EnterOperation::make_own() {
    const auto parents = rounds_ > 0 ? submit_parents(*view_, own_path_) : nullptr;
    sent_ = true;
    ask(zk::CreateRequest{.path = own_path_, .data = view_->default_data(), .mode = CreateMode::ephemeral},
        [this, parents](const zk::Reply& reply) {
            if (!reply.ec) own_czxid_ = reply.stat.czxid;
            on_made(error_of_create(*view_, reply.ec, parents));
        });
}

void EnterOperation::on_made(error_code ec) {
    constexpr int most_rounds = 10; // servers may remove empty containers in between
    if (looks_again_after(ec)) return;
    if (ec == server_error::no_node && rounds_++ < most_rounds) return look();
    if (ec && ec != server_error::node_exists) return end(ec); // an earlier try has made it, and its reply was lost
    made_ = true;
    look();
}

/// Reads the nodes after a sync.
void EnterOperation::look_around() {
    const auto seen = std::make_shared<Seen>();
    const auto note = [seen](const error_code& ec) {
        if (ec && ec != server_error::no_node && !seen->failure) seen->failure = ec;
        return !ec;
    };
    // A node that may not be read exists. Its czxid may be known from elsewhere.
    ask_synced(zk::ExistsRequest{own_path_, watch_}, [this, seen, note](const zk::Reply& reply) {
        const bool unreadable = reply.ec == server_error::no_auth;
        if (unreadable && own_czxid_ != 0) seen->view.own = own_czxid_;
        else if (note(reply.ec)) seen->view.own = reply.stat.czxid;
    });
    ask(zk::ExistsRequest{path_of(ready_name), watch_}, [this, seen, note](const zk::Reply& reply) {
        if (reply.ec == server_error::no_node) ready_was_missing_ = true;
        const bool unreadable = reply.ec == server_error::no_auth;
        if (unreadable && ready_was_missing_) seen->view.ready = std::numeric_limits<std::int64_t>::max(); // after this member
        if (unreadable && ready_was_missing_) return;
        if (!note(reply.ec)) return;
        seen->view.ready = reply.stat.czxid;
        seen->ready_version = reply.stat.version;
    });
    ask(zk::ChildrenRequest{core_->path()}, [this, seen, note](const zk::Reply& reply) {
        note(reply.ec);
        for (const auto& name : reply.children) {
            if (name != ready_name) ++seen->view.members;
            if (name != ready_name && name != node_name(own_path_)) seen->others.push_back(name);
        }
        decide(seen);
    });
}

void EnterOperation::decide(const SeenPtr& seen) {
    if (looks_again_after(seen->failure)) return;
    if (seen->failure) return end(seen->failure);
    if (view_->session().epoch != epoch_) return look();
    std::visit([&](auto step) { act(seen, step); }, next_entering(seen->view, core_->wanted()));
}

void EnterOperation::act(const SeenPtr&, OwnNodeGone) {
    end(error::lock_node_deleted);
}

void EnterOperation::act(const SeenPtr&, GoIn) {
    end({});
}

void EnterOperation::act(const SeenPtr&, MakeReady) {
    zk::MultiRequest request{
        {zk::CheckRequest{own_path_}, zk::CreateRequest{.path = path_of(ready_name), .data = view_->default_data()}}};
    ask(std::move(request), [this](const zk::Reply& reply) { reply.ec ? look_after(reply.ec) : end({}); });
}

void EnterOperation::act(const SeenPtr& seen, LookAtOthers) {
    seen->view.oldest_other = 0;
    for (std::size_t i = 0; i < seen->others.size(); ++i) {
        ask(zk::ExistsRequest{path_of(seen->others[i])},
            [this, seen, last = i + 1 == seen->others.size()](const zk::Reply& reply) {
                auto& oldest = *seen->view.oldest_other;
                if (!reply.ec && (oldest == 0 || reply.stat.czxid < oldest)) oldest = reply.stat.czxid;
                if (reply.ec && reply.ec != server_error::no_node) seen->failure = reply.ec;
                if (last) decide(seen);
            });
    }
    if (seen->others.empty()) decide(seen);
}

/// Writes to `ready` first, so that the removal can require its new version. A node that another member has made in its place
/// has another version, and stays.
void EnterOperation::act(const SeenPtr& seen, RemoveStaleReady) {
    ask(zk::SetRequest{path_of(ready_name), view_->default_data(), seen->ready_version}, [this, seen](const zk::Reply& reply) {
        if (reply.ec || reply.stat.czxid != seen->view.ready) return look_after(reply.ec);
        ask(zk::RemoveRequest{path_of(ready_name), reply.stat.version},
            [this](const zk::Reply& removed) { look_after(removed.ec); });
    });
}

void EnterOperation::act(const SeenPtr&, AwaitReady) {
    rest();
}

/// Looks after a change, also if another member has made it first.
void EnterOperation::look_after(const error_code& ec) {
    if (looks_again_after(ec)) return;
    const bool others_were_faster =
        ec == server_error::no_node || ec == server_error::node_exists || ec == server_error::bad_version;
    ec && !others_were_faster ? end(ec) : look();
}

void EnterOperation::on_end(error_code ec) {
    if (sent_) {
        view_->forget_watch(own_path_, zk::WatchKind::exists);
        view_->forget_watch(path_of(ready_name), zk::WatchKind::exists);
    }
    if (ec && sent_) view_->remove_in_background({own_path_}, nullptr);
    core_->stage = ec ? DoubleBarrierCore::Stage::outside : DoubleBarrierCore::Stage::inside;
    core_->own_path = ec ? std::string() : own_path_;
    core_->own_epoch = epoch_;
}

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
