// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <string>
#include <string_view>

namespace docent {

/// What a watch saw.
enum class WatchEventType {
    created,
    deleted,
    data_changed,
    children_changed,
    session_lost, ///< The session ended before anything happened: read again and watch anew.
};

DOCENT_EXPORT std::string_view to_string(WatchEventType type) noexcept;

/// A watch fires once.
struct WatchEvent {
    WatchEventType type = WatchEventType::session_lost;
    std::string path;

    friend bool operator==(const WatchEvent&, const WatchEvent&) = default;
};

} // namespace docent
