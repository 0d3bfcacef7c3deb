// SPDX-License-Identifier: Apache-2.0
#include "mutex/thread_holds.hpp"

#include "client/core/access.hpp"

#include <boost/thread/lock_guard.hpp>

#include <utility>

namespace docent::detail {

/// Calls `function` with the calling thread's hold, or with null.
template <typename Function> auto ThreadHolds::with_own(Function function) const {
    if (!process_.is_here()) return function(static_cast<ThreadHold*>(nullptr));
    Part& own = part();
    if (own.size.load(std::memory_order_relaxed) == 0)
        return function(static_cast<ThreadHold*>(nullptr)); // a thread sees its own changes without the mutex
    boost::lock_guard lock(own.mutex);
    const auto hold = own.holds.find(this_thread_key());
    return function(hold == own.holds.end() ? nullptr : &hold->second);
}

ThreadHolds::Ownership ThreadHolds::held() const {
    return with_own([](const ThreadHold* hold) {
        if (!hold) return Ownership::nothing;
        return hold->lease.owns() ? Ownership::surely : Ownership::lost;
    });
}

void ThreadHolds::enter_again() {
    Part& own = part();
    boost::lock_guard lock(own.mutex);
    ++own.holds.at(this_thread_key()).count;
}

void ThreadHolds::enter(Lease lease) {
    Part& own = part();
    boost::lock_guard lock(own.mutex);
    own.holds.emplace(this_thread_key(), ThreadHold{std::move(lease)});
    own.size.store(own.holds.size(), std::memory_order_relaxed);
}

bool ThreadHolds::leave() {
    if (!process_.is_here()) return true; // a guard that goes out of scope must not throw
    Lease last;                           // released outside of the mutex
    Part& own = part();
    boost::lock_guard lock(own.mutex);
    const auto hold = own.holds.find(this_thread_key());
    if (hold == own.holds.end()) return false;
    if (--hold->second.count > 0) return true;
    last = std::move(hold->second.lease);
    own.holds.erase(hold);
    own.size.store(own.holds.size(), std::memory_order_relaxed);
    return true;
}

std::shared_ptr<LeaseCore> ThreadHolds::lease() const {
    return with_own([](const ThreadHold* hold) { return hold ? Access::core(hold->lease) : nullptr; });
}

} // namespace docent::detail
