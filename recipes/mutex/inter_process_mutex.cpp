// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/inter_process_mutex.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "lease/blocking_acquire.hpp"
#include "lease/lease_core.hpp"
#include "local/local_acquire.hpp"
#include "mutex/mutex_core.hpp"
#include "queue/connected_step.hpp"

#include <docent/transaction.hpp>

#include <utility>

namespace docent {
namespace {

using detail::AcquireWait;
using detail::if_acquired;
using detail::MutexCore;
using detail::Sibling;
using Ownership = detail::ThreadHolds::Ownership;

Lease acquire_lease(const std::shared_ptr<MutexCore>& core, AcquireWait wait, CallOptions call, error_code& ec) {
    const bool may_block = !core->local() || !core->view()->running_in_this_thread();
    if (Lease lease = may_block ? core->acquire_at_once(call) : Lease{}) return lease;
    if (may_block && core->waits_locally(wait, call)) {
        Lease lease = detail::wait_for_turn(core->local(), std::move(call), ec);
        core->on_granted(lease);
        return lease;
    }
    return detail::block_on_initiated<Lease>(core, wait, std::move(call), ec);
}

/// Acquires one side of a read/write lock beside the other side, which this thread holds.
Lease block_on_beside(const MutexCore& core, const Sibling& sibling, AcquireWait wait, error_code& ec) {
    CallOptions call;
    const auto now = std::chrono::steady_clock::now();
    wait = detail::without_time_a_try(wait, now);
    if (wait.kind == AcquireWait::Kind::until) call.timeout = std::chrono::ceil<std::chrono::milliseconds>(wait.deadline - now);
    return detail::block_on<Lease>(*core.view(), std::move(call), ec, sibling.enter);
}

/// Locks for the calling thread, which may hold the lock already. Returns whether it holds the lock now.
[[nodiscard]] bool lock_for_thread(const std::shared_ptr<MutexCore>& core, AcquireWait wait) {
    switch (core->holds().held()) {
    case Ownership::surely: core->holds().enter_again(); return true;
    case Ownership::lost: throw Error(error::lease_lost, "lock " + core->path());
    case Ownership::nothing: break;
    }
    error_code ec;
    const Sibling sibling = core->sibling();
    if (sibling.kind == Sibling::Kind::in_the_way && wait.kind != AcquireWait::Kind::forever) return false;
    if (sibling.kind == Sibling::Kind::in_the_way) ec = error::would_deadlock;
    if (sibling.kind == Sibling::Kind::lost) ec = error::lease_lost;
    detail::throw_if(ec, "lock", core->path());
    auto lease = if_acquired(sibling.enter ? block_on_beside(*core, sibling, wait, ec) : acquire_lease(core, wait, {}, ec), ec);
    detail::throw_if(ec, "lock", core->path());
    if (!lease) return false;
    if (sibling.enter) core->on_granted(*lease);
    core->holds().enter(std::move(*lease));
    return true;
}

} // namespace

/// Acquires a lease. If this thread holds the lock by lock(), only a try is allowed: a wait would never end.
Lease detail::block_on_acquire(const std::shared_ptr<MutexCore>& core, AcquireWait wait, CallOptions call, error_code& ec) {
    ec = {};
    if (wait.kind != AcquireWait::Kind::not_at_all && core->held_by_this_thread()) {
        ec = error::would_deadlock;
        return {};
    }
    return acquire_lease(core, wait, std::move(call), ec);
}

void detail::throw_if_failed(const error_code& ec, AcquireWait wait, const MutexCore& core, const Lease&) {
    throw_if(ec, name_of_acquire(wait), core.path());
}

InterProcessMutex::InterProcessMutex(Client& client, std::string_view path, LockOptions options) {
    auto [view, lock_path, terms, others] = detail::check_lock(client, "mutex", path, std::move(options));
    core_ = std::make_shared<MutexCore>(std::move(view), std::move(lock_path), &session::BootClock::now, std::move(terms),
                                        std::move(others));
}

InterProcessMutex::InterProcessMutex(std::shared_ptr<detail::MutexCore> core) {
    core_ = std::move(core);
}

const std::string& InterProcessMutex::path() const noexcept {
    return core_->path();
}

void InterProcessMutex::lock() {
    const bool locked = lock_for_thread(core_, {});
    if (!locked) throw Error(error::not_acquired, "lock " + path()); // the caller must not believe that it has the lock
}

bool InterProcessMutex::try_lock() {
    return lock_for_thread(core_, {AcquireWait::Kind::not_at_all});
}

bool InterProcessMutex::try_lock_until_steady(std::chrono::steady_clock::time_point deadline) {
    return lock_for_thread(core_, {AcquireWait::Kind::until, deadline});
}

void InterProcessMutex::unlock() {
    if (!core_->holds().leave()) throw Error(error::not_owner, "unlock " + path());
}

bool InterProcessMutex::is_owned_by_current_thread() const {
    return core_->holds().held() == Ownership::surely;
}

std::stop_token InterProcessMutex::stop_token() const {
    const auto lease = core_->holds().lease();
    return lease ? lease->stop_token() : std::stop_token{};
}

std::int64_t InterProcessMutex::fencing_token() const {
    const auto lease = core_->holds().lease();
    if (!lease) throw Error(error::not_owner, "fencing token of " + path());
    return lease->fencing_token();
}

std::string InterProcessMutex::node_path() const {
    const auto lease = core_->holds().lease();
    if (!lease) throw Error(error::not_owner, "node path of " + path());
    return lease->path();
}

void InterProcessMutex::make_revocable(std::function<void(const std::string&)> handler, asio::any_io_executor executor) {
    if (core_.is_foreign()) return;
    core_->set_revocation_handler(std::move(handler), std::move(executor));
}

// ---- the guards of transactions

namespace {

/// Returns a function that says why the lease does not hold the lock; no error while it does. An empty lease counts as
/// released.
std::function<error_code()> lease_check(std::shared_ptr<detail::LeaseCore> core) {
    return [core = std::move(core)]() -> error_code {
        switch (core ? core->state() : LeaseState::released) {
        case LeaseState::held:
        case LeaseState::suspended: return {};
        case LeaseState::released: return error::lease_released;
        case LeaseState::lost:
        case LeaseState::expired: break;
        }
        return error::lease_lost;
    };
}

} // namespace

Transaction& Transaction::guard(const Lease& lease) {
    guards_.push_back({lease.node_path(), lease_check(detail::Access::core(lease))});
    return *this;
}

Transaction& Transaction::guard(const InterProcessMutex& mutex) {
    auto core = mutex.core_->holds().lease();
    if (!core) throw Error(error::not_owner, "guard with " + mutex.path());
    guards_.push_back({core->path(), lease_check(core)});
    return *this;
}

} // namespace docent
