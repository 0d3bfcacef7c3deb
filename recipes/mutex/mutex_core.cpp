// SPDX-License-Identifier: Apache-2.0
#include "mutex/mutex_core.hpp"

#include "queue/acquire_operation.hpp"

#include <utility>

namespace docent::detail {

MutexCore::MutexCore(std::shared_ptr<Launcher> launcher, std::string path, BootNow boot_now)
    : launcher_(std::move(launcher)), path_(std::move(path)), boot_now_(std::move(boot_now)) {}

void start_acquire(const std::shared_ptr<MutexCore>& core, AcquireWait wait, CallOptions call, Handler<Lease> handler) {
    const auto make = [&](const std::shared_ptr<Launcher>& launcher, Done<Lease> done) {
        return std::make_shared<AcquireOperation>(launcher, core->place(), wait, core->boot_now(), std::move(done));
    };
    launch<Lease>(core->launcher(), {"acquire", core->path()}, std::move(call), std::move(handler), make);
}

} // namespace docent::detail
