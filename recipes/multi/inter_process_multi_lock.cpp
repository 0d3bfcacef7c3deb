// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/inter_process_multi_lock.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "lease/blocking_acquire.hpp"
#include "multi/multi_operation.hpp"
#include "mutex/mutex_core.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_semaphore_mutex.hpp>

#include <utility>

namespace docent {

using detail::MultiCore;

// ---- LockMember

LockMember::LockMember(const InterProcessMutex& mutex) : source_(mutex.core_) {}

LockMember::LockMember(const InterProcessSemaphore& semaphore) : source_(detail::Access::core(semaphore)) {}

LockMember::LockMember(const InterProcessSemaphoreMutex& mutex) : source_(detail::Access::core(mutex.semaphore_)) {}

LockMember::LockMember(std::shared_ptr<detail::LockSource> source) : source_(std::move(source)) {}

const std::string& LockMember::path() const noexcept {
    static const std::string none;
    return source_ ? source_->path() : none;
}

// ---- InterProcessMultiLock

namespace {

std::vector<LockMember> mutexes_at(Client& client, const std::vector<std::string>& paths) {
    std::vector<LockMember> locks;
    locks.reserve(paths.size());
    for (const auto& path : paths) locks.emplace_back(InterProcessMutex(client, path));
    return locks;
}

} // namespace

MultiLease detail::block_on_acquire(const std::shared_ptr<MultiCore>& core, AcquireWait wait, CallOptions call,
                                    error_code& ec) {
    std::vector<LockFailure> failures; // this thread holds these locks already: the call would wait for itself
    for (const auto& lock : core->listed()) {
        const bool waits = wait.kind != AcquireWait::Kind::not_at_all;
        if (waits && lock->held_by_this_thread()) failures.push_back({lock->path(), error::would_deadlock});
    }
    if (!failures.empty()) {
        ec = error::would_deadlock;
        return MultiLease(std::make_shared<HeldLocks>(std::move(failures)));
    }
    return block_on_initiated<MultiLease>(core, wait, std::move(call), ec);
}

void detail::throw_if_failed(const error_code& ec, AcquireWait wait, const MultiCore& core, const MultiLease& lease) {
    if (ec) throw_if(ec, name_of_acquire(wait), core.paths(), lease.failures());
}

InterProcessMultiLock::InterProcessMultiLock(const std::vector<LockMember>& locks) {
    std::vector<std::shared_ptr<detail::LockSource>> sources;
    sources.reserve(locks.size());
    for (const auto& lock : locks) {
        const auto& source = detail::Access::source(lock);
        if (!source) throw Error(server_error::bad_arguments, "multi-lock with a lock that was moved from");
        sources.push_back(source);
    }
    core_ = std::make_shared<MultiCore>(std::move(sources));
}

InterProcessMultiLock::InterProcessMultiLock(Client& client, const std::vector<std::string>& paths)
    : InterProcessMultiLock(mutexes_at(client, paths)) {}

std::vector<std::string> InterProcessMultiLock::paths() const {
    return core_->paths();
}

} // namespace docent
