// SPDX-License-Identifier: Apache-2.0
#include "multi/held_locks.hpp"

#include <boost/thread/lock_guard.hpp>

#include <utility>

namespace docent::detail {

std::string listed(const std::vector<std::string>& paths) {
    std::string text;
    for (const auto& path : paths) text += (text.empty() ? "" : ", ") + path;
    return text;
}

std::string listed(const std::vector<LockFailure>& failures) {
    std::string text;
    for (const auto& failure : failures) text += (text.empty() ? "" : "; ") + failure.path + ": " + failure.ec.message();
    return text;
}

void throw_if(const error_code& ec, std::string_view operation, const std::vector<std::string>& paths,
              const std::vector<LockFailure>& failures) {
    if (!ec) return;
    const std::string details = failures.empty() ? std::string() : " (" + listed(failures) + ")";
    throw MultiLockError(ec, std::string(operation) + " " + listed(paths) + details, failures);
}

HeldLocks::HeldLocks(std::shared_ptr<ClientView> view, std::vector<HeldLock> locks)
    : view_(std::move(view)), forwards_(std::make_shared<Forwards>()) {
    for (auto& lock : locks) {
        paths_.push_back(std::move(lock.path));
        leases_.push_back(std::move(lock.lease));
        forwards_->emplace_back(leases_.back().stop_token(), PassOn{lost_});
    }
}

HeldLocks::HeldLocks(std::vector<LockFailure> failures) : failures_(std::move(failures)) {}

HeldLocks::~HeldLocks() {
    if (!view_) return;
    try {
        // To destroy a stop callback that is running would wait for it, so the strand does this.
        view_->post([forwards = std::move(forwards_)] {});
    } catch (...) {
        // Without memory, they are destroyed here.
    }
}

std::vector<LockFailure> HeldLocks::failures() const {
    if (view_ && !view_->is_here()) return {};
    const boost::lock_guard lock(mutex_);
    return failures_;
}

void HeldLocks::set_failures(std::vector<LockFailure> failures) {
    const boost::lock_guard lock(mutex_);
    failures_ = std::move(failures);
}

} // namespace docent::detail
