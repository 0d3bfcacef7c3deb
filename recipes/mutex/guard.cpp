// SPDX-License-Identifier: Apache-2.0

// The guards of transactions.

#include "client/core/access.hpp"
#include "lease/lease_core.hpp"
#include "mutex/mutex_core.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/transaction.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace docent {
namespace {

/// Returns the reason why the lease does not hold the lock. An empty lease counts as released.
std::function<error_code()> check_of(std::shared_ptr<detail::LeaseCore> core) {
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
    guards_.push_back({lease.node_path(), check_of(detail::Access::core(lease))});
    return *this;
}

Transaction& Transaction::guard(const InterProcessMutex& mutex) {
    auto core = mutex.core_->holds().lease();
    if (!core) throw Error(error::not_owner, "guard with " + mutex.path());
    guards_.push_back({core->path(), check_of(core)});
    return *this;
}

} // namespace docent
