// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/multi_lease.hpp>

#include "client/core/blocking.hpp"
#include "multi/held_locks.hpp"

#include <algorithm>
#include <utility>

namespace docent {

MultiLease::MultiLease(std::shared_ptr<detail::HeldLocks> held) {
    core_ = std::move(held);
}

bool MultiLease::owns() const noexcept {
    return !leases().empty() && std::all_of(leases().begin(), leases().end(), [](const Lease& lease) { return lease.owns(); });
}

std::stop_token MultiLease::stop_token() const noexcept {
    return core_ ? core_->stop_token() : std::stop_token{};
}

const std::vector<Lease>& MultiLease::leases() const noexcept {
    static const std::vector<Lease> none;
    return core_ ? core_->leases() : none;
}

void MultiLease::keep_nodes_when_lost() noexcept {
    if (!core_) return;
    for (Lease& lease : core_->leases()) lease.keep_node_when_lost();
}

void MultiLease::make_revocable(const std::function<void()>& handler, const asio::any_io_executor& executor) {
    if (!core_) return;
    for (Lease& lease : core_->leases()) lease.make_revocable(handler, executor);
}

std::vector<LockFailure> MultiLease::failures() const {
    return core_ ? core_->failures() : std::vector<LockFailure>{};
}

void MultiLease::release(CallOptions call) {
    error_code ec;
    release(ec, std::move(call));
    if (ec) detail::throw_if(ec, "release", core_->paths(), failures());
}

void MultiLease::release(error_code& ec, CallOptions call) {
    ec = {};
    if (leases().empty()) return;
    detail::block_on<>(*core_->view(), std::move(call), ec, [held = core_](CallOptions options, detail::Handler<> handler) {
        detail::initiate_release_all(held, std::move(options), std::move(handler));
    });
}

} // namespace docent
