// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/faults.hpp"

namespace docent::testing {

bool is_of_kind(std::int32_t opcode, Opcode kind) {
    const auto actual = static_cast<Opcode>(opcode);
    switch (kind) {
    case Opcode::create:
        return actual == Opcode::create || actual == Opcode::create2 || actual == Opcode::create_container ||
               actual == Opcode::create_ttl;
    case Opcode::children: return actual == Opcode::children || actual == Opcode::children2;
    case Opcode::set_watches: return actual == Opcode::set_watches || opcode == op_set_watches2;
    default: return actual == kind;
    }
}

// ---- MemoryFaults

MemoryFaults::Action MemoryFaults::next_request(std::int32_t opcode) {
    Action action;
    for (Rule& rule : losses_) {
        if (is_of_kind(opcode, rule.kind) && --rule.left == 0 && action.loss != Loss::request) action.loss = rule.what;
    }
    action.rules = std::erase_if(losses_, [](const Rule& rule) { return rule.left == 0; });
    return action;
}

std::size_t MemoryFaults::next_event() {
    for (std::size_t& left : dropped_events_) --left;
    return std::erase(dropped_events_, 0U);
}

void MemoryFaults::clear() {
    losses_.clear();
    dropped_events_.clear();
}

} // namespace docent::testing
