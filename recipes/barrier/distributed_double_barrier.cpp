// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/barrier/distributed_double_barrier.hpp>

#include "barrier/double_barrier_core.hpp"
#include "barrier/watching_operation.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/core/parents/parents.hpp"

#include <docent/path.hpp>

#include <limits>
#include <set>
#include <utility>

namespace docent {
namespace detail {
namespace {

constexpr std::string_view ready_name = "ready";

/// The common part of entering and leaving a double barrier.
class PassageOperation : public WatchingOperation {
public:
    PassageOperation(std::shared_ptr<ClientView> view, std::shared_ptr<DoubleBarrierCore> core, Done<> done)
        : WatchingOperation(std::move(view), std::move(done)), core_(std::move(core)) {}

protected:
    using Stage = DoubleBarrierCore::Stage;

    /// Begins, if the member is at the stage `from`.
    void pass(Stage from, Stage to) {
        if (core_->stage != from) return finish(server_error::invalid_state);
        core_->stage = to;
        start();
    }
    std::string path_of(std::string_view name) const { return join_path(core_->path(), name); }

    const std::shared_ptr<DoubleBarrierCore> core_;
};

/// Creates a member's node and waits until enough members are there. Begins again in a new session.
class EnterOperation final : public PassageOperation {
public:
    using PassageOperation::PassageOperation;

    void begin() override { pass(Stage::outside, Stage::entering); }

private:
    struct Seen {
        EnteringView view;
        std::vector<std::string> others;
        std::int32_t ready_version = 0;
        error_code failure;
    };
    using SeenPtr = std::shared_ptr<Seen>;

    void look() override {
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

    void make_own() {
        const auto parents = rounds_ > 0 ? submit_parents(*view_, own_path_) : nullptr;
        sent_ = true;
        ask(zk::CreateRequest{.path = own_path_, .data = view_->default_data(), .mode = CreateMode::ephemeral},
            [this, parents](const zk::Reply& reply) {
                if (!reply.ec) own_czxid_ = reply.stat.czxid;
                on_made(error_of_create(*view_, reply.ec, parents));
            });
    }
    void on_made(error_code ec) {
        constexpr int most_rounds = 10; // servers may remove empty containers in between
        if (looks_again_after(ec)) return;
        if (ec == server_error::no_node && rounds_++ < most_rounds) return look();
        if (ec && ec != server_error::node_exists) return end(ec); // node_exists: made by an earlier try with a lost reply
        made_ = true;
        look();
    }

    /// Reads the nodes after a sync.
    void look_around() {
        const auto seen = std::make_shared<Seen>();
        const auto note = [seen](const error_code& ec) {
            if (ec && ec != server_error::no_node && !seen->failure) seen->failure = ec;
            return !ec;
        };
        // `no_auth` means that the node exists: the server reports a missing node first. Its czxid may be known from elsewhere.
        ask_synced(zk::ExistsRequest{own_path_, watch_}, [this, seen, note](const zk::Reply& reply) {
            const bool unreadable = reply.ec == server_error::no_auth;
            if (unreadable && own_czxid_ != 0) seen->view.own = own_czxid_;
            else if (note(reply.ec)) seen->view.own = reply.stat.czxid;
        });
        ask(zk::ExistsRequest{path_of(ready_name), watch_}, [this, seen, note](const zk::Reply& reply) {
            if (reply.ec == server_error::no_node) ready_was_missing_ = true;
            const bool unreadable = reply.ec == server_error::no_auth;
            if (unreadable && ready_was_missing_) {
                seen->view.ready = std::numeric_limits<std::int64_t>::max(); // made after this member's node
            } else if (note(reply.ec)) {
                seen->view.ready = reply.stat.czxid;
                seen->ready_version = reply.stat.version;
            }
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

    void decide(const SeenPtr& seen) {
        if (looks_again_after(seen->failure)) return;
        if (seen->failure) return end(seen->failure);
        if (view_->session().epoch != epoch_) return look();
        switch (next_entering(seen->view, core_->wanted())) {
        case EnteringStep::fail: return end(error::lock_node_deleted);
        case EnteringStep::go_in: return end({});
        case EnteringStep::make_ready: return make_ready();
        case EnteringStep::look_at_others: return look_at_others(seen);
        case EnteringStep::remove_ready: return remove_ready(seen);
        case EnteringStep::await_ready: return rest();
        }
    }
    void make_ready() {
        zk::MultiRequest request{
            {zk::CheckRequest{own_path_}, zk::CreateRequest{.path = path_of(ready_name), .data = view_->default_data()}}};
        ask(std::move(request), [this](const zk::Reply& reply) { reply.ec ? look_after(reply.ec) : end({}); });
    }
    void look_at_others(const SeenPtr& seen) {
        seen->view.oldest_other = 0;
        if (seen->others.empty()) return decide(seen);
        for (const std::string& other : seen->others) {
            ask(zk::ExistsRequest{path_of(other)}, [this, seen, last = &other == &seen->others.back()](const zk::Reply& reply) {
                auto& oldest = *seen->view.oldest_other;
                if (!reply.ec && (oldest == 0 || reply.stat.czxid < oldest)) oldest = reply.stat.czxid;
                if (reply.ec && reply.ec != server_error::no_node) seen->failure = reply.ec;
                if (last) decide(seen);
            });
        }
    }
    /// Writes to `ready` first, so that the removal can require its new version. A node that another member has made in its
    /// place has another version, and stays.
    void remove_ready(const SeenPtr& seen) {
        ask(zk::SetRequest{path_of(ready_name), view_->default_data(), seen->ready_version},
            [this, seen](const zk::Reply& reply) {
                if (reply.ec || reply.stat.czxid != seen->view.ready) return look_after(reply.ec);
                ask(zk::RemoveRequest{path_of(ready_name), reply.stat.version},
                    [this](const zk::Reply& removed) { look_after(removed.ec); });
            });
    }
    /// Looks after a change, also if another member has made it first.
    void look_after(const error_code& ec) {
        if (looks_again_after(ec)) return;
        const bool others_were_faster =
            ec == server_error::no_node || ec == server_error::node_exists || ec == server_error::bad_version;
        ec && !others_were_faster ? end(ec) : look();
    }

    void on_end(error_code ec) override {
        if (sent_) {
            view_->forget_watch(own_path_, zk::WatchKind::exists);
            view_->forget_watch(path_of(ready_name), zk::WatchKind::exists);
        }
        if (ec && sent_) view_->remove_in_background({own_path_}, nullptr);
        core_->stage = ec ? Stage::outside : Stage::inside;
        core_->own_path = ec ? std::string() : own_path_;
        core_->own_epoch = epoch_;
    }

    std::string own_path_; // empty before the first try
    std::uint64_t epoch_ = 0;
    bool made_ = false;
    std::int64_t own_czxid_ = 0;     // from the reply to the create
    bool ready_was_missing_ = false; // while the member's node existed
    int rounds_ = 0;                 // of creating parents
};

/// Removes a member's node and waits until all members that were inside have left.
class LeaveOperation final : public PassageOperation {
public:
    using PassageOperation::PassageOperation;

    void begin() override { pass(Stage::inside, Stage::leaving); }
    /// The member leaves, also if the call is cancelled before it begins.
    void abort(error_code ec) override {
        if (is_open() && !watch_ && core_->stage == Stage::inside) on_end(ec);
        end(ec);
    }

private:
    void look() override {
        ask_synced(zk::ChildrenRequest{core_->path()}, [this](const zk::Reply& reply) { on_listed(reply); });
    }
    void on_listed(const zk::Reply& reply) {
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

    void decide(LeavingView seen) {
        const LeavingStep next = next_leaving(seen);
        switch (next.kind) {
        case LeavingStep::Kind::remove_own: return remove_own();
        case LeavingStep::Kind::remove_own_and_ready: return remove_own_and_ready();
        case LeavingStep::Kind::await_removal: return await_removal(next.name);
        case LeavingStep::Kind::look_for_ready: return look_for_ready(std::move(seen));
        case LeavingStep::Kind::all_have_left: return finish_leaving();
        }
    }
    void remove_own() {
        removing_ = true;
        ask(zk::RemoveRequest{core_->own_path}, [this](const zk::Reply& reply) { on_removed(reply.ec); });
    }
    void remove_own_and_ready() {
        if (!ready_may_be_there_) return remove_own();
        removing_ = true;
        zk::MultiRequest request{{zk::RemoveRequest{core_->own_path}, zk::RemoveRequest{path_of(ready_name)}}};
        ask(std::move(request), [this](const zk::Reply& reply) {
            if (!reply.ec) own_is_there_ = false;
            if (!reply.ec) return finish_leaving();
            if (reply.ec == server_error::no_node) ready_may_be_there_ = false;
            on_removed(reply.ec);
        });
    }
    void on_removed(const error_code& ec) {
        if (looks_again_after(ec)) return;
        const bool failed = ec && ec != server_error::no_node;
        failed ? end(ec) : look();
    }
    void await_removal(const std::string& name) {
        if (awaited_ != name) forget_awaited();
        awaited_ = name;
        ask(zk::ExistsRequest{path_of(name), watch_}, [this](const zk::Reply& reply) {
            if (looks_again_after(reply.ec)) return;
            if (reply.ec == server_error::no_node) return look();
            const bool is_there = !reply.ec || reply.ec == server_error::no_auth;
            is_there ? rest() : end(reply.ec);
        });
    }
    void look_for_ready(LeavingView seen) {
        looked_for_ready_ = true;
        ask(zk::ExistsRequest{path_of(ready_name), watch_}, [this, seen = std::move(seen)](const zk::Reply& reply) mutable {
            if (looks_again_after(reply.ec)) return;
            const bool unreadable = reply.ec == server_error::no_auth; // the node exists
            if (reply.ec && !unreadable && reply.ec != server_error::no_node) return end(reply.ec);
            seen.ready = reply.ec != server_error::no_node;
            decide(std::move(seen));
        });
    }

    void finish_leaving() { end(lost_ ? make_error_code(error::lease_lost) : error_code{}); }
    void on_end(error_code) override {
        forget_awaited();
        if (looked_for_ready_) view_->forget_watch(path_of(ready_name), zk::WatchKind::exists);
        if (own_is_there_)
            view_->remove_in_background({core_->own_path}, nullptr); // the member leaves, also if the wait failed
        core_->stage = Stage::outside;
        core_->own_path.clear();
    }
    void forget_awaited() {
        if (!awaited_.empty()) view_->forget_watch(path_of(awaited_), zk::WatchKind::exists);
    }

    std::set<std::string> inside_; // the members inside when the call began
    bool listed_ = false;
    bool own_is_there_ = true;
    bool removing_ = false; // this call has sent the removal. A node that is gone before was removed by another client
    bool lost_ = false;
    bool ready_may_be_there_ = true;
    bool looked_for_ready_ = false;
    std::string awaited_;
};

template <typename Passage>
void launch_passage(const std::shared_ptr<DoubleBarrierCore>& core, std::string_view name, CallOptions call,
                    Handler<> handler) {
    launch_made<Passage>(core->view(), {name, core->path()}, std::move(call), std::move(handler), core);
}

} // namespace

asio::any_io_executor executor_of(const DoubleBarrierCore& core) {
    return core.view()->executor();
}

void initiate_barrier_enter(const std::shared_ptr<DoubleBarrierCore>& core, CallOptions call, Handler<> handler) {
    launch_passage<EnterOperation>(core, "barrier_enter", std::move(call), std::move(handler));
}

void initiate_barrier_leave(const std::shared_ptr<DoubleBarrierCore>& core, CallOptions call, Handler<> handler) {
    launch_passage<LeaveOperation>(core, "barrier_leave", std::move(call), std::move(handler));
}

} // namespace detail

DistributedDoubleBarrier::DistributedDoubleBarrier(Client& client, std::string_view path, std::int32_t members) {
    detail::require_path("double barrier", path);
    if (members < 1) detail::throw_if(server_error::bad_arguments, "double barrier", path, "there must be at least 1 member");
    core_ = std::make_shared<detail::DoubleBarrierCore>(detail::Access::open_view(client, "double barrier"), std::string(path),
                                                        static_cast<std::size_t>(members));
}

const std::string& DistributedDoubleBarrier::path() const noexcept {
    return core_->path();
}

void DistributedDoubleBarrier::enter(error_code& ec, CallOptions call) {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_barrier_enter, core_);
}

void DistributedDoubleBarrier::enter(CallOptions call) {
    detail::throwing("enter the double barrier", path(), [&](error_code& ec) { enter(ec, std::move(call)); });
}

void DistributedDoubleBarrier::leave(error_code& ec, CallOptions call) {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_barrier_leave, core_);
}

void DistributedDoubleBarrier::leave(CallOptions call) {
    detail::throwing("leave the double barrier", path(), [&](error_code& ec) { leave(ec, std::move(call)); });
}

} // namespace docent
