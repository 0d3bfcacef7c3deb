// SPDX-License-Identifier: Apache-2.0
#include "mutex/mutex_core.hpp"
#include "client/core/access.hpp"
#include "client/core/launch.hpp"

#include "queue/acquire_operation.hpp"

#include <utility>

namespace docent::detail {

MutexCore::MutexCore(std::shared_ptr<ClientView> view, std::string path, BootNow boot_now, LeaseTerms terms,
                     OtherNamesPtr others)
    : view_(std::move(view)), path_(std::move(path)), boot_now_(std::move(boot_now)), terms_(std::move(terms)),
      others_(std::move(others)) {}

void MutexCore::set_revocation_listener(RevocationListenerPtr listener) {
    const std::lock_guard lock(listener_mutex_);
    listener_.swap(listener); // what it was ends outside of the mutex
}

void MutexCore::on_granted(const Lease& lease) const {
    RevocationListenerPtr listener;
    {
        const std::lock_guard lock(listener_mutex_);
        listener = listener_;
    }
    if (lease && listener) Access::core(lease)->make_revocable(std::move(listener));
}

bool MutexCore::held_by_this_thread() const {
    return holds_.held() != ThreadHolds::Held::nothing || sibling().kind != Sibling::Kind::none;
}

std::shared_ptr<Operation> MutexCore::attempt(std::shared_ptr<ClientView> view, AcquireWait wait, Done<Lease> done) const {
    Done<Lease> granted = [self = shared_from_this(), done = std::move(done)](error_code ec, Lease lease) {
        self->on_granted(lease);
        done(ec, std::move(lease));
    };
    return std::make_shared<AcquireOperation>(std::move(view), place(), wait, boot_now_, std::move(granted));
}

asio::any_io_executor executor_of(const MutexCore& core) {
    return core.view()->executor();
}

void initiate_acquire(const std::shared_ptr<MutexCore>& core, AcquireWait wait, CallOptions call, Handler<Lease> handler) {
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<Lease> done) {
        return core->attempt(view, wait, std::move(done));
    };
    launch<Lease>(core->view(), {"acquire", core->path()}, std::move(call), std::move(handler), make);
}

} // namespace docent::detail
