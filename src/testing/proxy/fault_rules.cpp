// SPDX-License-Identifier: Apache-2.0

#include "testing/proxy/fault_rules.hpp"

#include <utility>

namespace docent::testing {

std::optional<std::size_t> FaultRules::Way::take_bytes(std::size_t wanted) {
    if (!bytes_left) return std::nullopt;
    if (*bytes_left <= wanted) return std::exchange(bytes_left, std::nullopt);
    *bytes_left -= wanted;
    return std::nullopt;
}

bool take_cut(std::multiset<Opcode>& cuts, Opcode opcode) {
    const auto found = cuts.find(opcode);
    if (found == cuts.end()) return false;
    cuts.erase(found);
    return true;
}

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
