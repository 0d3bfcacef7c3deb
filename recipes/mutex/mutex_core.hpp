// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the members of one InterProcessMutex share.

#include "client/operation.hpp"
#include "mutex/thread_holds.hpp"
#include "queue/acquire_driver.hpp"

#include <docent/recipes/inter_process_mutex.hpp>

#include <memory>
#include <string>

namespace docent::detail {

class MutexCore {
public:
    MutexCore(std::shared_ptr<Launcher> launcher, std::string path, BootNow boot_now = &session::BootClock::now);

    const std::shared_ptr<Launcher>& launcher() const noexcept { return launcher_; }
    const std::string& path() const noexcept { return path_; }
    const BootNow& boot_now() const noexcept { return boot_now_; }
    ThreadHolds& holds() noexcept { return holds_; }

    /// `<path>/_c_<uuid>-lock-<ten digits>`
    QueuePlace place() const { return {path_, mutex_names(), "lock-"}; }

private:
    const std::shared_ptr<Launcher> launcher_;
    const std::string path_;
    const BootNow boot_now_;
    ThreadHolds holds_;
};

} // namespace docent::detail
