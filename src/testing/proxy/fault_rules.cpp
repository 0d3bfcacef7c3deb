// SPDX-License-Identifier: Apache-2.0
#include "testing/proxy/fault_rules.hpp"

namespace docent::testing {

std::optional<std::size_t> FaultRules::take_bytes(Direction direction, std::size_t wanted) {
    auto& left = of(direction).bytes_left;
    if (!left) return std::nullopt;
    if (*left > wanted) {
        *left -= wanted;
        return std::nullopt;
    }
    const std::size_t allowed = *left;
    left.reset();
    return allowed;
}

std::function<void()> FaultRules::action(Opcode opcode) const {
    const auto found = actions_.find(opcode);
    return found == actions_.end() ? nullptr : found->second;
}

bool FaultRules::take(std::multiset<Opcode>& rules, Opcode opcode) {
    const auto found = rules.find(opcode);
    if (found == rules.end()) return false;
    rules.erase(found);
    return true;
}

} // namespace docent::testing
