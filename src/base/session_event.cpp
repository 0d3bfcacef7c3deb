// SPDX-License-Identifier: Apache-2.0
#include <docent/session_event.hpp>

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

} // namespace docent
