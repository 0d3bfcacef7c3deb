// SPDX-License-Identifier: Apache-2.0
#include "mutex/thread_holds.hpp"

#include "client/core/access.hpp"

#include <boost/thread/lock_guard.hpp>

#include <utility>

namespace docent::detail {

ThreadHolds::Held ThreadHolds::held() const {
    boost::lock_guard lock(mutex_);
    const auto hold = holds_.find(this_thread_key());
    if (hold == holds_.end()) return Held::nothing;
    return hold->second.lease.owns() ? Held::surely : Held::lost;
}

void ThreadHolds::enter_again() {
    boost::lock_guard lock(mutex_);
    ++holds_.at(this_thread_key()).count;
}

void ThreadHolds::enter(Lease lease) {
    boost::lock_guard lock(mutex_);
    holds_.emplace(this_thread_key(), Hold{std::move(lease)});
}

bool ThreadHolds::leave() {
    Lease last; // given back outside of the mutex
    boost::lock_guard lock(mutex_);
    const auto hold = holds_.find(this_thread_key());
    if (hold == holds_.end()) return false;
    if (--hold->second.count > 0) return true;
    last = std::move(hold->second.lease);
    holds_.erase(hold);
    return true;
}

std::stop_token ThreadHolds::stop_token() const {
    boost::lock_guard lock(mutex_);
    const auto hold = holds_.find(this_thread_key());
    return hold == holds_.end() ? std::stop_token{} : hold->second.lease.stop_token();
}

std::int64_t ThreadHolds::fencing_token() const {
    boost::lock_guard lock(mutex_);
    const auto hold = holds_.find(this_thread_key());
    return hold == holds_.end() ? 0 : hold->second.lease.fencing_token();
}

std::shared_ptr<LeaseCore> ThreadHolds::lease() const {
    boost::lock_guard lock(mutex_);
    const auto hold = holds_.find(this_thread_key());
    return hold == holds_.end() ? nullptr : Access::core(hold->second.lease);
}

} // namespace docent::detail
