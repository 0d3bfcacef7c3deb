// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/inter_process_semaphore.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"
#include "lease/blocking_acquire.hpp"
#include "lease/lease_core.hpp"
#include "queue/contender.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <docent/client.hpp>
#include <docent/path.hpp>
#include <docent/recipes/shared_count.hpp>

#include <utility>

namespace docent {
namespace detail {
namespace {

std::shared_ptr<Operation> make_acquire(std::shared_ptr<ClientView> view, const SemaphorePlace& place, std::int32_t count,
                                        AcquireWait wait, Done<std::vector<Lease>> done) {
    error_code ec;
    const bool is_possible = count >= 1 && (!place.limit->is_fixed() || count <= place.limit->now(ec));
    if (!is_possible) {
        return std::make_shared<Refusal>([done = std::move(done)] { done(server_error::bad_arguments, {}); });
    }
    return std::make_shared<SemaphoreOperation>(std::move(view), place, count, wait, std::move(done));
}

} // namespace

std::shared_ptr<Operation> SemaphoreCore::attempt(std::shared_ptr<ClientView> view, AcquireWait wait, Done<Lease> done) const {
    return make_acquire(std::move(view), place_, 1, wait, [done = std::move(done)](error_code ec, std::vector<Lease> leases) {
        done(ec, leases.empty() ? Lease{} : std::move(leases.front()));
    });
}

asio::any_io_executor executor_of(const SemaphoreCore& core) {
    return core.view()->executor();
}

void initiate_acquire(const std::shared_ptr<SemaphoreCore>& core, AcquireWait wait, CallOptions call, Handler<Lease> handler) {
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<Lease> done) {
        return core->attempt(view, wait, std::move(done));
    };
    launch<Lease>(core->view(), {"acquire", core->path()}, std::move(call), std::move(handler), make);
}

void initiate_acquire(const std::shared_ptr<SemaphoreCore>& core, std::int32_t count, AcquireWait wait, CallOptions call,
                      Handler<std::vector<Lease>> handler) {
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<std::vector<Lease>> done) {
        return make_acquire(view, core->place(), count, wait, std::move(done));
    };
    launch<std::vector<Lease>>(core->view(), {"acquire", core->path()}, std::move(call), std::move(handler), make);
}

Lease block_on_acquire(const std::shared_ptr<SemaphoreCore>& core, AcquireWait wait, CallOptions call, error_code& ec) {
    return block_on_initiated<Lease>(core, wait, std::move(call), ec);
}

std::vector<Lease> block_on_acquire(const std::shared_ptr<SemaphoreCore>& core, std::int32_t count, AcquireWait wait,
                                    CallOptions call, error_code& ec) {
    return block_on_initiated<std::vector<Lease>>(core, wait, std::move(call), ec, count);
}

void throw_if_failed(const error_code& ec, AcquireWait wait, const SemaphoreCore& core, const Lease&) {
    throw_if(ec, name_of_acquire(wait), core.path());
}

/// The text says why so many permits can never be acquired.
void throw_if_failed(const error_code& ec, AcquireWait wait, const SemaphoreCore& core, const std::vector<Lease>&,
                     std::int32_t count) {
    if (!ec) return;
    std::string why;
    error_code unknown;
    const auto& limit = *core.place().limit;
    if (ec == server_error::bad_arguments && count < 1) why = std::to_string(count) + " permits; at least 1 is needed";
    else if (ec == server_error::bad_arguments && limit.is_fixed())
        why = std::to_string(count) + " permits, but the limit is " + std::to_string(limit.now(unknown));
    throw_if(ec, name_of_acquire(wait), core.path(), why);
}

void initiate_permit_usage(const std::shared_ptr<SemaphoreCore>& core, CallOptions call, Handler<PermitUsage> handler) {
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<PermitUsage> done) {
        return std::make_shared<RequestOperation>(
            view, zk::ChildrenRequest{join_path(core->path(), leases_name)},
            [core, done = std::move(done)](error_code ec, const zk::Reply& reply) {
                if (ec == server_error::no_node) ec = {}; // the parent is missing, so no permit is taken
                PermitUsage usage{0, static_cast<std::int32_t>(sorted_queue(lease_names(), reply.children).size())};
                if (!ec) usage.limit = core->place().limit->now(ec);
                done(ec, ec ? PermitUsage{} : usage);
            });
    };
    launch<PermitUsage>(core->view(), {"usage", core->path()}, std::move(call), std::move(handler), make);
}

} // namespace detail

namespace {

using detail::SemaphoreCore;

std::shared_ptr<SemaphoreCore> make_core(Client& client, std::string_view path,
                                         std::shared_ptr<const detail::PermitLimit> limit, LockOptions options) {
    auto checked = detail::check_lock(client, "semaphore", path, std::move(options), detail::Grants::permits);
    return std::make_shared<SemaphoreCore>(
        std::move(checked.view), detail::SemaphorePlace{std::move(checked.path), std::move(limit), std::move(checked.terms)});
}

} // namespace

InterProcessSemaphore::InterProcessSemaphore(Client& client, std::string_view path, std::int32_t limit, LockOptions options) {
    core_ = make_core(client, path, detail::fixed_limit(limit), std::move(options));
    if (limit < 1) throw Error(server_error::bad_arguments, "semaphore " + this->path() + ": a limit must be at least 1");
}

InterProcessSemaphore::InterProcessSemaphore(Client& client, std::string_view path, const SharedCount& limit,
                                             LockOptions options) {
    core_ = make_core(client, path, detail::shared_limit(detail::Access::core(limit)), std::move(options));
}

const std::string& InterProcessSemaphore::path() const noexcept {
    return core_->path();
}

PermitUsage InterProcessSemaphore::usage(error_code& ec, CallOptions call) const {
    return detail::block<PermitUsage>(*core_->view(), std::move(call), ec, detail::initiate_permit_usage, core_);
}

PermitUsage InterProcessSemaphore::usage(CallOptions call) const {
    return detail::throwing("usage", path(), [&](error_code& ec) { return this->usage(ec, std::move(call)); });
}

} // namespace docent
