// SPDX-License-Identifier: Apache-2.0
#include "client/core/completion/turn.hpp"

namespace docent::detail {
namespace {

// What comes after so many is left to the client's thread.
constexpr int kept_at_most = 16;

} // namespace

thread_local int Turn::lent_here = 0;

bool Turn::try_run(std::function<void()>& function) noexcept {
    if (is_ours()) return false;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || posted_ > 0) return false;
    const Held held(*this);
    is_lent_ = true;
    ++lent_here;
    std::exchange(function, nullptr)();
    run_kept();
    --lent_here;
    is_lent_ = false;
    return true;
}

void Turn::run_kept() {
    for (int n = 0; n < kept_at_most && !kept_.empty(); ++n) {
        const auto task = std::move(kept_.front());
        kept_.pop_front();
        task->run();
    }
    for (; !kept_.empty(); kept_.pop_front()) {
        execute(thread_, [task = std::move(kept_.front())] { task->run(); });
    }
}

} // namespace docent::detail
