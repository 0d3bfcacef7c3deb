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

// ---- MemoryCounters

void MemoryCounters::add_connection() {
    const std::lock_guard lock(mutex_);
    ++connections_;
}

void MemoryCounters::add_request(std::int32_t opcode) {
    const std::lock_guard lock(mutex_);
    ++requests_[opcode];
}

void MemoryCounters::add_faults(std::size_t count) {
    const std::lock_guard lock(mutex_);
    faults_ += count;
    changed_.notify_all();
}

std::size_t MemoryCounters::connections() const {
    const std::lock_guard lock(mutex_);
    return connections_;
}

std::size_t MemoryCounters::requests(Opcode kind) const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& [opcode, requests] : requests_) {
        if (is_of_kind(opcode, kind)) count += requests;
    }
    return count;
}

bool MemoryCounters::wait_faults(std::size_t count, std::chrono::milliseconds timeout) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return faults_ >= count; });
}

} // namespace docent::testing
