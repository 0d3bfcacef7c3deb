// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/barrier/distributed_barrier.hpp>

#include "barrier/barrier_core.hpp"
#include "barrier/watching_operation.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/operations/create_operation.hpp"
#include "client/operations/remove_operation.hpp"

#include <utility>

namespace docent {
namespace detail {
namespace {

/// Waits until a node does not exist, or was replaced by another node.
class BarrierWaitOperation final : public WatchingOperation {
public:
    BarrierWaitOperation(std::shared_ptr<ClientView> view, std::string path, Done<> done)
        : WatchingOperation(std::move(view), std::move(done)), path_(std::move(path)) {}

private:
    /// Looks with a sync: a server that lags behind may not have the barrier yet. Looks after each connect, also with a watch:
    /// the watch does not report that the servers were restored from older data without the barrier.
    void look() override {
        ask_synced(zk::ExistsRequest{path_, watch_}, [this](const zk::Reply& reply) {
            if (looks_again_after(reply.ec)) return;
            const bool unreadable = reply.ec == server_error::no_auth; // the node exists: a missing node is reported first
            if (reply.ec && !unreadable) return end(reply.ec == server_error::no_node ? error_code{} : reply.ec);
            if (czxid_ != 0 && !unreadable && czxid_ != reply.stat.czxid) return end({}); // it was removed, and set again
            if (!unreadable) czxid_ = reply.stat.czxid;
            found_ = true;
            rest();
        });
    }
    bool says_all(const WatchEvent& event) const override { return event.type == WatchEventType::deleted && found_; }
    void on_end(error_code) override { view_->forget_watch(path_, zk::WatchKind::exists); }

    const std::string path_;
    bool found_ = false;     // the barrier was found
    std::int64_t czxid_ = 0; // of that barrier; 0 if it may not be read
};

} // namespace

asio::any_io_executor executor_of(const BarrierCore& core) {
    return core.view()->executor();
}

void initiate_barrier_set(const std::shared_ptr<BarrierCore>& core, CallOptions call, Handler<> handler) {
    const auto make = [&core](const std::shared_ptr<ClientView>& view, Done<> done) {
        zk::CreateRequest request{core->path(), view->default_data()};
        CreateOptions options{.parents = view->config().own_parents, .if_exists = IfExists::accept};
        return std::make_shared<CreateOrOperation>(view, std::move(request), std::move(options),
                                                   [done = std::move(done)](error_code ec, const Created&) { done(ec); });
    };
    launch<>(core->view(), {"barrier_set", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_barrier_remove(const std::shared_ptr<BarrierCore>& core, CallOptions call, Handler<> handler) {
    const auto make = [&core](const std::shared_ptr<ClientView>& view, Done<> done) {
        auto finish = finish_remove(view, core->path(), {.if_missing = IfMissing::accept}, std::move(done));
        return std::make_shared<RequestOperation>(
            view, zk::RemoveRequest{core->path()},
            [finish = std::move(finish)](error_code ec, const zk::Reply&) { finish(ec); });
    };
    launch<>(core->view(), {"barrier_remove", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_barrier_wait(const std::shared_ptr<BarrierCore>& core, CallOptions call, Handler<> handler) {
    launch_made<BarrierWaitOperation>(core->view(), {"barrier_wait", core->path()}, std::move(call), std::move(handler),
                                      core->path());
}

} // namespace detail

DistributedBarrier::DistributedBarrier(Client& client, std::string_view path) {
    detail::require_path("barrier", path);
    core_ = std::make_shared<detail::BarrierCore>(detail::Access::open_view(client, "barrier"), std::string(path));
}

const std::string& DistributedBarrier::path() const noexcept {
    return core_->path();
}

void DistributedBarrier::set(error_code& ec, CallOptions call) {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_barrier_set, core_);
}

void DistributedBarrier::set(CallOptions call) {
    detail::throwing("set the barrier", path(), [&](error_code& ec) { set(ec, std::move(call)); });
}

void DistributedBarrier::remove(error_code& ec, CallOptions call) {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_barrier_remove, core_);
}

void DistributedBarrier::remove(CallOptions call) {
    detail::throwing("remove the barrier", path(), [&](error_code& ec) { remove(ec, std::move(call)); });
}

void DistributedBarrier::wait(error_code& ec, CallOptions call) const {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_barrier_wait, core_);
}

void DistributedBarrier::wait(CallOptions call) const {
    detail::throwing("wait at the barrier", path(), [&](error_code& ec) { wait(ec, std::move(call)); });
}

} // namespace docent
