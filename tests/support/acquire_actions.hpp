// SPDX-License-Identifier: Apache-2.0
#pragma once

// The actions of an AcquireMachine: how tests write them, and how failures print them.

#include "queue/acquire_action.hpp"

#include <ostream>
#include <utility>

namespace docent::detail {

inline std::ostream& operator<<(std::ostream& out, const Enter& a) {
    return out << "Enter{" << a.guid << (a.make_parents ? ", make_parents" : "") << "}";
}
inline std::ostream& operator<<(std::ostream& out, const FindOwn& a) {
    return out << "FindOwn{" << a.guid << "}";
}
inline std::ostream& operator<<(std::ostream& out, const List&) {
    return out << "List{}";
}
inline std::ostream& operator<<(std::ostream& out, const Look& a) {
    return out << "Look{" << a.name << "}";
}
inline std::ostream& operator<<(std::ostream& out, const WatchOwn& a) {
    return out << "WatchOwn{" << a.name << "}";
}
inline std::ostream& operator<<(std::ostream& out, const WatchAhead& a) {
    return out << "WatchAhead{" << a.name << "}";
}
inline std::ostream& operator<<(std::ostream& out, const Pause& a) {
    return out << "Pause{" << a.length.count() << "ms}";
}
inline std::ostream& operator<<(std::ostream& out, const AwaitSession&) {
    return out << "AwaitSession{}";
}
inline std::ostream& operator<<(std::ostream& out, const Grant& a) {
    return out << "Grant{" << a.name << ", czxid " << a.czxid << ", epoch " << a.epoch
               << (a.own_watched ? ", own_watched}" : "}");
}
inline std::ostream& operator<<(std::ostream& out, const Fail& a) {
    return out << "Fail{" << a.ec.message() << "}";
}
inline std::ostream& operator<<(std::ostream& out, const Remove& a) {
    return out << "Remove{" << a.name << "}";
}
inline std::ostream& operator<<(std::ostream& out, const RemoveProtected& a) {
    return out << "RemoveProtected{" << a.guid << "}";
}
inline std::ostream& operator<<(std::ostream& out, const ForgetGuid& a) {
    return out << "ForgetGuid{" << a.guid << "}";
}

/// actions(List{}, Fail{ec}): avoids braces, which a test macro cannot parse.
template <typename... Action> AcquireActions actions(Action... action) {
    AcquireActions all;
    (all.emplace_back(std::move(action)), ...);
    return all;
}

} // namespace docent::detail
