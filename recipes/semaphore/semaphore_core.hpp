// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the members of one InterProcessSemaphore share.

#include "client/operation.hpp"
#include "lease_core.hpp"
#include "semaphore/permit_limit.hpp"

#include <docent/detail/acquire_wait.hpp>

#include <memory>
#include <string>

namespace docent::detail {

struct SemaphoreCore {
    std::shared_ptr<Launcher> launcher;
    std::string path;
    std::shared_ptr<const PermitLimit> limit;
    std::string data; // of the lease nodes
    BootNow boot_now = &session::BootClock::now;
};

/// One permit, for whoever puts it together with other locks.
std::shared_ptr<Operation> make_acquire_permit(const std::shared_ptr<Launcher>& launcher, const SemaphoreCore& semaphore,
                                               AcquireWait wait, Done<Lease> done);

} // namespace docent::detail
