// SPDX-License-Identifier: Apache-2.0
#pragma once

// Multi-locks on clients in memory.

#include "fake_world.hpp"
#include "multi/multi_operation.hpp"
#include "mutex/mutex_core.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

inline std::shared_ptr<MutexCore> fake_mutex(FakeWorld& world, std::size_t client, std::string path) {
    return std::make_shared<MutexCore>(world.share(client), std::move(path),
                                       [&world, client] { return world.client(client).boot_now(); });
}

inline std::shared_ptr<MultiCore> fake_multi_lock(FakeWorld& world, std::size_t client, const std::vector<std::string>& paths) {
    std::vector<std::shared_ptr<LockSource>> locks;
    for (const auto& path : paths) locks.push_back(fake_mutex(world, client, path));
    return std::make_shared<MultiCore>(std::move(locks));
}

struct MultiOutcome : Answer {
    MultiLease lease;
};

inline std::shared_ptr<MultiOutcome> start_fake(const std::shared_ptr<MultiCore>& core, AcquireWait wait = {},
                                                CallOptions call = {}) {
    const auto outcome = std::make_shared<MultiOutcome>();
    initiate_acquire(core, wait, std::move(call), into(outcome, &MultiOutcome::lease));
    return outcome;
}

} // namespace docent::detail
