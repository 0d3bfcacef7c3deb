// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of an InterProcessSemaphore.

#include "lease/lock_source.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <memory>
#include <string>
#include <utility>

namespace docent::detail {

class SemaphoreCore final : public LockSource {
public:
    SemaphoreCore(std::shared_ptr<ClientView> view, SemaphorePlace place) : view_(std::move(view)), place_(std::move(place)) {}

    // LockSource: one permit
    const std::shared_ptr<ClientView>& view() const noexcept override { return view_; }
    const std::string& path() const noexcept override { return place_.path; }
    std::shared_ptr<Operation> attempt(std::shared_ptr<ClientView> view, AcquireWait wait, Done<Lease> done) const override;

    const SemaphorePlace& place() const noexcept { return place_; }

private:
    const std::shared_ptr<ClientView> view_;
    const SemaphorePlace place_;
};

} // namespace docent::detail
