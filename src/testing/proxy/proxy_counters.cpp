// SPDX-License-Identifier: Apache-2.0
#include "testing/proxy/proxy_counters.hpp"

namespace docent::testing {

void ProxyCounters::add_connection() {
    const std::scoped_lock lock(mutex_);
    ++connections_;
}

void ProxyCounters::add_request(Opcode opcode) {
    const std::scoped_lock lock(mutex_);
    ++requests_[opcode];
}

void ProxyCounters::add_cut() {
    {
        const std::scoped_lock lock(mutex_);
        ++cuts_;
    }
    changed_.notify_all();
}

std::size_t ProxyCounters::connections() const {
    const std::scoped_lock lock(mutex_);
    return connections_;
}

std::size_t ProxyCounters::requests(Opcode opcode) const {
    const std::scoped_lock lock(mutex_);
    const auto found = requests_.find(opcode);
    return found == requests_.end() ? 0 : found->second;
}

bool ProxyCounters::wait_cuts(std::size_t count, std::chrono::milliseconds timeout) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return cuts_ >= count; });
}

} // namespace docent::testing
