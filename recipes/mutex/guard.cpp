// SPDX-License-Identifier: Apache-2.0

// Where transactions learn of leases.

#include "client/core/access.hpp"
#include "lease/lease_core.hpp"
#include "mutex/mutex_core.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/transaction.hpp>

namespace docent {

Transaction& Transaction::guard(const Lease& lease) {
    guards_.push_back({lease.node_path(), [core = detail::Access::core(lease)] { return core && core->owns(); }});
    return *this;
}

Transaction& Transaction::guard(const InterProcessMutex& mutex) {
    auto core = mutex.core_->holds().lease();
    if (!core) throw Error(error::not_owner, "guard with " + mutex.path());
    guards_.push_back({core->path(), [core] { return core->owns(); }});
    return *this;
}

} // namespace docent
