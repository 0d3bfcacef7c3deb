// SPDX-License-Identifier: Apache-2.0
#pragma once

// A semaphore on clients in memory.

#include "fake_world.hpp"
#include "semaphore/semaphore_operation.hpp"

#include <docent/recipes/lease.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace docent::detail {

/// A limit that a test changes.
class FakeLimit final : public PermitLimit {
public:
    explicit FakeLimit(std::int32_t limit) : limit_(limit) {
        now = [this](error_code&) { return limit_; };
        follow = [this](const ClientView&, std::function<void(std::int32_t)> listener) {
            auto registration = std::make_shared<std::function<void(std::int32_t)>>(std::move(listener));
            listeners_.push_back(registration);
            return registration;
        };
    }
    FakeLimit(const FakeLimit&) = delete;
    FakeLimit& operator=(const FakeLimit&) = delete;

    std::ptrdiff_t followers() const {
        return std::count_if(listeners_.begin(), listeners_.end(), [](const auto& weak) { return !weak.expired(); });
    }
    void change(std::int32_t limit) {
        limit_ = limit;
        for (const auto& weak : std::vector(listeners_)) {
            if (const auto listener = weak.lock()) (*listener)(limit);
        }
    }

private:
    std::int32_t limit_;
    std::vector<std::weak_ptr<std::function<void(std::int32_t)>>> listeners_;
};

/// The result of a request for permits.
struct TakenPermits : Answer {
    std::vector<Lease> leases;
    std::weak_ptr<Operation> operation; // while it is under way
};
/// Asks for permits of the semaphore at `/s`.
inline std::shared_ptr<TakenPermits> take_permits(FakeWorld& world, std::size_t client,
                                                  std::shared_ptr<const PermitLimit> limit, std::int32_t count = 1,
                                                  AcquireWait wait = {}, LeaseTerms terms = {.node_data = "worker"}) {
    const auto view = world.share(client);
    const SemaphorePlace place{"/s", std::move(limit), std::move(terms), [view] { return view->boot_now(); }};
    const auto taken = std::make_shared<TakenPermits>();
    const auto operation = std::make_shared<SemaphoreOperation>(view, place, count, wait, into(taken, &TakenPermits::leases));
    taken->operation = operation;
    operation->begin();
    return taken;
}

} // namespace docent::detail
