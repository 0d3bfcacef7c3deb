// SPDX-License-Identifier: Apache-2.0
#pragma once

// The actions of a MultiMachine: how tests write them, and how failures print them.

#include "multi/multi_machine.hpp"

#include <ostream>
#include <utility>

namespace docent::detail {

inline std::ostream& operator<<(std::ostream& out, const TryLock& a) {
    return out << "TryLock{" << a.lock << "}";
}
inline std::ostream& operator<<(std::ostream& out, const AwaitLock& a) {
    return out << "AwaitLock{" << a.lock << "}";
}
inline std::ostream& operator<<(std::ostream& out, const AbortAttempt& a) {
    return out << "AbortAttempt{" << a.lock << "}";
}
inline std::ostream& operator<<(std::ostream& out, const GiveBack& a) {
    return out << "GiveBack{" << a.lock << "}";
}
inline std::ostream& operator<<(std::ostream& out, const GrantAll&) {
    return out << "GrantAll{}";
}
inline std::ostream& operator<<(std::ostream& out, const FailAll& a) {
    out << "FailAll{" << a.ec.message();
    for (const auto& ec : a.errors) out << ", " << (ec ? ec.message() : "-");
    return out << "}";
}

/// multi_actions(TryLock{0}, GrantAll{}): avoids braces, which a test macro cannot parse.
template <typename... Action> MultiActions multi_actions(Action... action) {
    MultiActions all;
    (all.emplace_back(std::move(action)), ...);
    return all;
}

} // namespace docent::detail
