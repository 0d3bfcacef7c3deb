// SPDX-License-Identifier: Apache-2.0

#include <docent/session_event.hpp>
#include <docent/watch_event.hpp>

namespace docent {

std::string_view to_string(SessionState state) noexcept {
    switch (state) {
    case SessionState::connecting: return "connecting";
    case SessionState::connected: return "connected";
    case SessionState::suspended: return "suspended";
    case SessionState::lost: return "lost";
    case SessionState::closed: return "closed";
    }
    return "unknown";
}

std::string_view to_string(WatchEventType type) noexcept {
    switch (type) {
    case WatchEventType::created: return "created";
    case WatchEventType::deleted: return "deleted";
    case WatchEventType::data_changed: return "data_changed";
    case WatchEventType::children_changed: return "children_changed";
    case WatchEventType::session_lost: return "session_lost";
    }
    return "unknown";
}

} // namespace docent
