// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/barrier/distributed_double_barrier.hpp>

#include "barrier/double_barrier_core.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"

#include <docent/path.hpp>

#include <utility>

namespace docent {
namespace detail {
namespace {

using DoubleBarrierCorePtr = std::shared_ptr<DoubleBarrierCore>;

template <typename Passage>
void launch_passage(const DoubleBarrierCorePtr& core, std::string_view name, CallOptions call, Handler<> handler) {
    const auto make = [&core](const std::shared_ptr<ClientView>& view, Done<> done) {
        return std::make_shared<Passage>(view, core, std::move(done));
    };
    launch<>(core->view(), {name, core->path()}, std::move(call), std::move(handler), make);
}

void block_on_passage(const DoubleBarrierCorePtr& core, void (*initiate)(const DoubleBarrierCorePtr&, CallOptions, Handler<>),
                      CallOptions call, error_code& ec) {
    block_on<>(*core->view(), std::move(call), ec,
               [&](CallOptions options, Handler<> handler) { initiate(core, std::move(options), std::move(handler)); });
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
    const std::string what = "double barrier " + std::string(path) + ": ";
    if (const error_code ec = check_path(path)) throw Error(ec, what + explain_path(path));
    if (members < 1) throw Error(server_error::bad_arguments, what + "there must be at least 1 member");
    core_ = std::make_shared<detail::DoubleBarrierCore>(detail::Access::open_view(client, "double barrier"), std::string(path),
                                                        static_cast<std::size_t>(members));
}

DistributedDoubleBarrier::DistributedDoubleBarrier(detail::SameObject, const DistributedDoubleBarrier& other) {
    core_ = other.core_;
}

DistributedDoubleBarrier::~DistributedDoubleBarrier() = default;

const std::string& DistributedDoubleBarrier::path() const noexcept {
    return core_->path();
}

void DistributedDoubleBarrier::enter(error_code& ec, CallOptions call) {
    detail::block_on_passage(core_, &detail::initiate_barrier_enter, std::move(call), ec);
}

void DistributedDoubleBarrier::enter(CallOptions call) {
    detail::throwing("enter the double barrier", path(), [&](error_code& ec) { enter(ec, std::move(call)); });
}

void DistributedDoubleBarrier::leave(error_code& ec, CallOptions call) {
    detail::block_on_passage(core_, &detail::initiate_barrier_leave, std::move(call), ec);
}

void DistributedDoubleBarrier::leave(CallOptions call) {
    detail::throwing("leave the double barrier", path(), [&](error_code& ec) { leave(ec, std::move(call)); });
}

} // namespace docent
