// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/inter_process_semaphore_mutex.hpp>

#include "client/core/access.hpp"
#include "local/shared_by_threads.hpp"

#include <boost/thread/lock_guard.hpp>
#include <boost/thread/mutex.hpp>

#include <algorithm>
#include <vector>

namespace docent {

struct InterProcessSemaphoreMutex::Holds {
    struct HeldLease {
        detail::ThreadKey thread; // the thread that has locked
        Lease lease;
    };
    mutable boost::mutex mutex;
    std::vector<HeldLease> all; // the oldest first
};

InterProcessSemaphoreMutex::InterProcessSemaphoreMutex(Client& client, std::string_view path, LockOptions options)
    : semaphore_(client, path, 1, std::move(options)), holds_(std::make_shared<Holds>()) {
    core_ = detail::Access::core(semaphore_);
}

bool InterProcessSemaphoreMutex::keep(std::optional<Lease> lease) {
    if (!lease) return false;
    const boost::lock_guard lock(holds_->mutex);
    holds_->all.push_back({detail::this_thread_key(), std::move(*lease)});
    return true;
}

void InterProcessSemaphoreMutex::lock() {
    keep(semaphore_.acquire());
}

bool InterProcessSemaphoreMutex::try_lock() {
    return keep(semaphore_.try_acquire());
}

void InterProcessSemaphoreMutex::unlock() {
    if (holds_.is_foreign()) return; // a guard that goes out of scope must not throw
    Lease last;                      // released outside of the mutex
    const boost::lock_guard lock(holds_->mutex);
    auto& all = holds_->all;
    if (all.empty()) throw Error(error::not_owner, "unlock " + path());
    auto hold = std::find_if(all.begin(), all.end(), [](const auto& h) { return h.thread == detail::this_thread_key(); });
    if (hold == all.end()) hold = all.begin();
    last = std::move(hold->lease);
    all.erase(hold);
}

bool InterProcessSemaphoreMutex::is_locked() const {
    if (holds_.is_foreign()) return false;
    const boost::lock_guard lock(holds_->mutex);
    return std::any_of(holds_->all.begin(), holds_->all.end(), [](const auto& hold) { return hold.lease.owns(); });
}

std::stop_token InterProcessSemaphoreMutex::stop_token() const {
    if (holds_.is_foreign()) return {};
    const boost::lock_guard lock(holds_->mutex);
    return holds_->all.empty() ? std::stop_token{} : holds_->all.back().lease.stop_token();
}

std::int64_t InterProcessSemaphoreMutex::fencing_token() const {
    if (holds_.is_foreign()) throw Error(error::other_process, "fencing token of " + path());
    const boost::lock_guard lock(holds_->mutex);
    if (holds_->all.empty()) throw Error(error::not_owner, "fencing token of " + path());
    return holds_->all.back().lease.fencing_token();
}

} // namespace docent
